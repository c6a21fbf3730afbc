import { RfqError } from '../domain/errors.ts'
import type { Context } from './context.ts'
import type { HistoryQuery, Outcome } from './ports/store.ts'

/**
 * What became of a maker's quotes, oldest first, for one that was away. Refuses a cursor that is none
 * of the maker's outcomes.
 */
export async function readMakerHistory({ store }: Context, query: HistoryQuery): Promise<readonly Outcome[]> {
  const outcomes = await store.history.list(query)
  if (outcomes === null) {
    throw new RfqError('invalid_request', { detail: 'cursor must be the quoteId of one of your outcomes' })
  }
  return outcomes
}
