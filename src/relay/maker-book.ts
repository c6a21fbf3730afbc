import { RfqError } from '../domain/errors.ts'
import type { Quote } from '../domain/quote.ts'
import type { Context } from './context.ts'
import type { Acceptance, HistoryQuery, Outcome } from './ports/store.ts'

/** A maker's live quotes and the orders that wait for its signature. */
export async function readMakerBook(
  { book, store }: Pick<Context, 'book' | 'store'>,
  makerId: string,
): Promise<{ quotes: readonly Quote[]; pending: readonly Acceptance[] }> {
  const [quotes, pending] = await Promise.all([book.quotesOf(makerId), store.acceptances.pending({ makerId })])
  return { quotes, pending }
}

/**
 * What became of a maker's quotes, oldest first, for one that was away. Refuses a cursor that is none
 * of the maker's outcomes.
 */
export async function readMakerHistory(
  { store }: Pick<Context, 'store'>,
  query: HistoryQuery,
): Promise<readonly Outcome[]> {
  const outcomes = await store.history.list(query)
  if (outcomes === null) {
    throw new RfqError('invalid_request', { detail: 'cursor must be the quoteId of one of your outcomes' })
  }
  return outcomes
}
