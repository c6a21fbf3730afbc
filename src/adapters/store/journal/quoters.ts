import type { Quoter } from '../../../relay/ports/store.ts'
import type { RowOf } from './rows.ts'

/** Who has quoted on which request. */
export type Quoters = {
  note: (row: Pick<RowOf<'quoted'>, 'requestId' | 'quoters'>) => void
  forget: (requestId: string) => void
  /** By requestId and makerId. */
  all: () => ReadonlyMap<string, ReadonlyMap<string, Quoter>>
}

/** No one yet. Misses only rise, so that a row that is written again does no harm. */
export function createQuoters(): Quoters {
  const requests = new Map<string, Map<string, Quoter>>()

  return {
    note: ({ requestId, quoters }) => {
      const ofRequest = requests.get(requestId) ?? new Map<string, Quoter>()
      requests.set(requestId, ofRequest)
      for (const [makerId, quoteId, misses] of quoters) {
        const known = ofRequest.get(makerId)?.misses ?? 0
        ofRequest.set(makerId, { makerId, quoteId, misses: Math.max(misses, known) })
      }
    },
    forget: (requestId) => void requests.delete(requestId),
    all: () => requests,
  }
}
