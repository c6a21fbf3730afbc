import type { Quote } from '../domain/quote.ts'
import type { Context } from './context.ts'
import type { Acceptance } from './ports/store.ts'

/** A maker's live quotes and the orders that wait for its signature. */
export async function readMakerBook(
  { book, store }: Context,
  makerId: string,
): Promise<{ quotes: readonly Quote[]; pending: readonly Acceptance[] }> {
  const [quotes, pending] = await Promise.all([book.quotesOf(makerId), store.acceptances.pending({ makerId })])
  return { quotes, pending }
}
