import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Work that one kind of client may begin in a turn of the event loop. */
export type TurnBudget = ReturnType<typeof createTurnBudget>

/** Known clients do not wait behind strangers: each kind may begin at least one piece of work in a turn. */
export type TurnBudgets = {
  /** Makers by their keys, and commits to requests that exist. */
  known: TurnBudget
  strangers: TurnBudget
}

/** `now` is in milliseconds; `afterThisTurn` runs work when the present turn is over. */
export type Turns = { now: () => number; afterThisTurn: (work: () => void) => void }

/** `client` names the queue in which the request waits. */
export type Place = { turns: TurnBudget; client: () => string }

/** Work may begin this far into a turn. A commit takes some twenty turns, each as long as the work begun in it. */
const BUDGET_MS = 2

/** Pieces of work of one kind that may begin in a turn: each is looked at in every turn in which it waits. */
const MOST_IN_A_TURN = 512

const PROCESS: Turns = { now: () => performance.now(), afterThisTurn: (work) => void setImmediate(work) }

/** Spreads a flood over many turns of the event loop: timers, files and sockets of running commits get theirs. */
export function createTurnBudgets(turns: Turns = PROCESS): TurnBudgets {
  const turn = createTurnClock(turns)
  return { known: createTurnBudget(turn), strangers: createTurnBudget(turn) }
}

/** `elapsedMs` counts from the first work that began in the turn. */
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

function createTurnBudget({ look, afterThisTurn }: TurnClock) {
  /** Work by client, in order of arrival; the next client is first. */
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

  /** One piece at a time: its microtasks run before the next one, and count for this turn. */
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
    /** Whether new work must wait: the budget of this turn is spent, or other work waits already. */
    isSpent: (): boolean => waiting > 0 || isTurnSpent(),
    /** Runs work in a later turn: in order within a client, in rotation among clients. */
    later: (client: string, work: () => void): void => {
      const line = lines.get(client)
      if (line === undefined) lines.set(client, [work])
      else line.push(work)
      waiting += 1
      schedule()
    },
  }
}

export function spreadRequests(app: FastifyInstance, placeOf: (request: FastifyRequest) => Place): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { turns, client } = placeOf(request)
    if (!turns.isSpent()) return done()
    // A client that has left meanwhile is owed no work.
    turns.later(client(), () => (request.raw.socket.destroyed ? reply.hijack() : done()))
  })
}
