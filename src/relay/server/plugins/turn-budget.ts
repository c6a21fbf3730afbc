import type { FastifyInstance, FastifyRequest } from 'fastify'

/** What one kind of clients may begin in a turn of the event loop. */
export type TurnBudget = {
  /** Whether what comes now is to wait for a later turn: the budget of this one is spent, or others wait already. */
  isSpent: () => boolean
  /** Runs a piece of work in a later turn: behind what waits of the same client, in rotation with the other clients. */
  later: (client: string, work: () => void) => void
}

/**
 * The budget of each turn of the event loop, for all that comes in. Clients that have shown what they are do not wait behind
 * those that have not: each of the two may begin at least one piece of work in a turn.
 */
export type TurnBudgets = {
  /** Makers by their keys, and commits to requests that there are. */
  known: TurnBudget
  strangers: TurnBudget
}

/** How the event loop goes: the time in milliseconds, and what runs when its present turn is over. */
export type Turns = { now: () => number; afterThisTurn: (work: () => void) => void }

/** By which budget a request begins, and as whose it waits. */
export type Place = { turns: TurnBudget; client: () => string }

/** How far into a turn work may begin, in milliseconds. A commit takes some twenty turns, each as long as what begins in it. */
const BUDGET_MS = 2

/** Pieces of work of one kind that may begin in a turn, however short they are: each is looked at in each turn in which it waits. */
const MOST_IN_A_TURN = 512

const PROCESS: Turns = { now: () => performance.now(), afterThisTurn: (work) => void setImmediate(work) }

/** Divides a flood over many turns of the event loop, so that timers, files and sockets of running commits get theirs in between. */
export function createTurnBudgets(turns: Turns = PROCESS): TurnBudgets {
  const turn = createTurnClock(turns)
  return { known: createTurnBudget(turn), strangers: createTurnBudget(turn) }
}

/** The turn that it is now, as a number, and how much of it is over, in milliseconds, since the first work that began in it. */
type TurnClock = Pick<Turns, 'afterThisTurn'> & { look: () => { turn: number; elapsedMs: number } }

function createTurnClock({ now, afterThisTurn }: Turns): TurnClock {
  let turn = 0
  let begunAt: number | null = null
  return {
    afterThisTurn,
    look: () => {
      const at = now()
      if (begunAt === null) {
        turn += 1
        begunAt = at
        afterThisTurn(() => {
          begunAt = null
        })
      }
      return { turn, elapsedMs: at - begunAt }
    },
  }
}

function createTurnBudget({ look, afterThisTurn }: TurnClock): TurnBudget {
  /** Clients that wait, the next one first, each with its work in the order in which it came. */
  const lines = new Map<string, (() => void)[]>()
  let waiting = 0
  let scheduled = 0
  let lastBegunIn = 0

  function isTurnSpent(): boolean {
    const { turn, elapsedMs } = look()
    if (turn === lastBegunIn) return elapsedMs >= BUDGET_MS
    lastBegunIn = turn
    return false
  }

  function schedule(): void {
    if (scheduled >= Math.min(waiting, MOST_IN_A_TURN)) return
    scheduled += 1
    afterThisTurn(next)
  }

  /** One piece at a time: what it leaves to microtasks runs before the next one, and counts for this turn. */
  function next(): void {
    if (isTurnSpent()) {
      afterThisTurn(next)
      return
    }
    scheduled -= 1
    const work = takeNext()
    schedule()
    work?.()
  }

  function takeNext(): (() => void) | undefined {
    const [client, line] = lines.entries().next().value ?? ['', []]
    const work = line.shift()
    if (work !== undefined) waiting -= 1
    lines.delete(client)
    if (line.length > 0) lines.set(client, line)
    return work
  }

  return {
    isSpent: () => waiting > 0 || isTurnSpent(),
    later: (client, work) => {
      const line = lines.get(client)
      if (line === undefined) lines.set(client, [work])
      else line.push(work)
      waiting += 1
      schedule()
    },
  }
}

/** Lets a request begin in a later turn where the budget of this one is spent; `placeOf` says whose it is. */
export function spreadRequests(app: FastifyInstance, placeOf: (request: FastifyRequest) => Place): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { turns, client } = placeOf(request)
    if (!turns.isSpent()) return done()
    // Whoever has left meanwhile is owed no work.
    turns.later(client(), () => (request.raw.socket.destroyed ? reply.hijack() : done()))
  })
}
