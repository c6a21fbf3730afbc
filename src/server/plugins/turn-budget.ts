import type { FastifyInstance } from 'fastify'
import { ANSWERS_TO_COMMITS } from '../shutdown.ts'

/** A budget of each turn of the event loop, for what strangers ask. */
export type TurnBudget = {
  /** Whether what comes now is to wait for a later turn: the budget of this one is spent, or others wait already. */
  isSpent: () => boolean
  /** Runs a piece of work in a later turn, after those that came before it. */
  later: (work: () => void) => void
}

/** How the event loop goes: the time in milliseconds, and what runs when its present turn is over. */
export type Turns = { now: () => number; afterThisTurn: (work: () => void) => void }

/** The routes of a commit, from its taker's call to its maker's answer. */
const COMMIT_ROUTES = ['/quote-requests/:id/commit', ...ANSWERS_TO_COMMITS]

/** How far into a turn work may begin, in milliseconds. A commit takes some twenty turns, each as long as what begins in it. */
const BUDGET_MS = 2

/** Pieces of work that wait at most; what comes then begins at once. */
const MAX_WAITING = 10_000

const PROCESS: Turns = { now: () => performance.now(), afterThisTurn: (work) => void setImmediate(work) }

/**
 * Divides a flood of requests over many turns of the event loop, so that timers, files and sockets of running commits get
 * theirs in between. At least one piece of work begins in each turn.
 */
export function createTurnBudget({ now, afterThisTurn }: Turns = PROCESS): TurnBudget {
  const waiting: (() => void)[] = []
  let begunAt: number | null = null

  function isTurnSpent(): boolean {
    const at = now()
    if (begunAt !== null) return at - begunAt >= BUDGET_MS
    begunAt = at
    afterThisTurn(() => {
      begunAt = null
    })
    return false
  }

  /** One piece at a time: what it leaves to microtasks runs before the next one, and counts for this turn. */
  function next(): void {
    if (isTurnSpent()) afterThisTurn(next)
    else waiting.shift()?.()
  }

  return {
    isSpent: () => waiting.length < MAX_WAITING && (waiting.length > 0 || isTurnSpent()),
    later: (work) => {
      waiting.push(work)
      afterThisTurn(next)
    },
  }
}

/**
 * Lets a request begin in a later turn where the budget of this one is spent, unless it makes a commit: request rates and
 * makers' keys bound how many do.
 */
export function spreadRequests(app: FastifyInstance, { isSpent, later }: TurnBudget): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!isSpent() || COMMIT_ROUTES.includes(request.routeOptions.url)) return done()
    // Whoever has left meanwhile is owed no work.
    later(() => (request.raw.socket.destroyed ? reply.hijack() : done()))
  })
}
