import { RfqError } from '../domain/errors.ts'
import { type Context, record } from './context.ts'

/** Takes a maker's own quote out of the book. */
export async function withdrawQuote(
  context: Context,
  { makerId, quoteId }: { makerId: string; quoteId: string },
): Promise<void> {
  const { book } = context
  const quote = await book.findQuote(quoteId)
  if (quote === null || quote.makerId !== makerId) throw new RfqError('quote_not_found')
  const result = await book.remove(quote.requestId, quoteId)
  if (result === 'locked') throw new RfqError('quote_locked')
  if (result === 'absent') throw new RfqError('quote_not_found')
  record(context, quote.requestId, { kind: 'quote_withdrawn', makerId, quoteId })
}
