import type { Outcome, Rejection, Store } from '../../core/ports/store.ts'
import { decodeExecution, decodeFeedback, type Encoded, encode } from './codec.ts'
import type { StoreBase } from './db.ts'
import { ENDED_MEMORY_MS } from './journal/journal.ts'
import type { OutcomeRow } from './journal/outcomes.ts'
import type { QuoterRow } from './journal/rows.ts'

/** The quoters of requests, in the journal: all that come before one write are one row per request. */
export function createQuoters({ db }: Pick<StoreBase, 'db'>): Store['quoters'] {
  /** Quoters for the next write; null when there are none. */
  let waiting: Map<string, QuoterRow[]> | null = null

  return {
    record: (requestId, { makerId, quoteId, misses }) => {
      const quoter = [makerId, quoteId, misses] as const
      const ofRequest = waiting?.get(requestId)
      if (ofRequest !== undefined) ofRequest.push(quoter)
      else if (waiting !== null) waiting.set(requestId, [quoter])
      else recordAll(new Map([[requestId, [quoter]]]))
    },
    list: async () => {
      await db.flush()
      const requests = [...db.journal.quoters()]
      return new Map(requests.map(([requestId, ofRequest]) => [requestId, [...ofRequest.values()]]))
    },
  }

  /** A failed write is retried with the next one. */
  function recordAll(requests: Map<string, QuoterRow[]>): void {
    waiting = requests
    db.changeLater((draft) => {
      if (waiting === requests) waiting = null
      for (const [requestId, quoters] of requests) draft.append({ kind: 'quoted', requestId, quoters })
    })
  }
}

/** Only its feedback has amounts, and the end of a request has a row for each maker. */
const rowOf = ({ feedback, ...row }: Rejection): Encoded<Rejection> =>
  feedback === undefined ? row : { ...row, feedback: encode(feedback) }

/** Confirmed quotes are the executions; rejected ones have rows of their own. */
export function createHistory({ clock, db }: StoreBase): Store['history'] {
  async function outcomeOf(row: OutcomeRow): Promise<Outcome> {
    if (row.kind === 'rejected') {
      const { requestId, quoteId, reason, feedback } = row.rejection
      const stood = feedback === undefined ? {} : { feedback: decodeFeedback(feedback) }
      return { status: 'rejected', at: row.at, requestId, quoteId, reason, ...stood }
    }
    const execution = decodeExecution(row.execution)
    const { requestId, quoteId } = execution.acceptance
    const end = (await db.journal.orderEnded(requestId)?.())?.end ?? null
    const defunding = (await db.journal.orderDefunded(requestId)?.())?.defunding ?? null
    return { status: 'confirmed', at: execution.executedAt, requestId, quoteId, execution, end, defunding }
  }

  return {
    reject: (requestId, rejections) => {
      const at = clock.now()
      db.changeLater((draft) => {
        for (const rejection of rejections) draft.append({ kind: 'rejected', rejection: rowOf(rejection), at })
        draft.append({ kind: 'told', requestId })
      })
    },
    list: async (query) => {
      await db.flush()
      const rows = await db.journal.outcomes(query)
      return rows === null ? null : Promise.all(rows.map(outcomeOf))
    },
    countWins: async (makerId) => {
      await db.flush()
      return db.journal.countWins(makerId, clock.now() - ENDED_MEMORY_MS + 1)
    },
  }
}
