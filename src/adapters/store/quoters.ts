import type { Store } from '../../relay/ports/store.ts'
import type { StoreBase } from './db.ts'
import type { QuoterRow } from './journal/rows.ts'

/** Who quoted on which request, in the journal: those that come before one write are one row for each request. */
export function createQuoters({ db }: Pick<StoreBase, 'db'>): Store['quoters'] {
  /** What the next write takes; null once it has, or while there is nothing. */
  let waiting: Map<string, QuoterRow[]> | null = null

  return {
    note: (requestId, { makerId, quoteId, misses }) => {
      const quoter = [makerId, quoteId, misses] as const
      const ofRequest = waiting?.get(requestId)
      if (ofRequest !== undefined) ofRequest.push(quoter)
      else if (waiting !== null) waiting.set(requestId, [quoter])
      else noteAll(new Map([[requestId, [quoter]]]))
    },
    list: async () => {
      await db.flush()
      const requests = [...db.journal.quoters()]
      return new Map(requests.map(([requestId, ofRequest]) => [requestId, [...ofRequest.values()]]))
    },
  }

  /** A write that fails runs it again with the next one. */
  function noteAll(requests: Map<string, QuoterRow[]>): void {
    waiting = requests
    db.note((draft) => {
      if (waiting === requests) waiting = null
      for (const [requestId, quoters] of requests) draft.append({ kind: 'quoted', requestId, quoters })
    })
  }
}
