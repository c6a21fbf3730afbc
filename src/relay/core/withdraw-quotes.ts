import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { SeriesId } from '@rfqctl/protocol/domain/series'
import { type Context, record } from './context.ts'
import type { Book } from './ports/book.ts'

type Removing = Pick<Context, 'book' | 'audit' | 'clock'>

export async function withdrawQuote(context: Context, { makerId, quoteId }: { makerId: string; quoteId: string }) {
  const { book } = context
  const quote = await book.findQuote({ makerId, quoteId })
  if (quote === null) throw new RfqError('quote_not_found')
  const result = await book.remove(quote)
  if (result === 'locked') throw new RfqError('quote_locked')
  if (result === 'absent') throw new RfqError('quote_not_found')
  record(context, quote.requestId, { kind: 'quote_withdrawn', makerId, quoteId })
}

/** For the maker itself: quotes held for signature are kept, whatever a caller passes on. */
export const withdrawQuotes = (
  context: Removing,
  { makerId, seriesId, conditionId }: { makerId: string; seriesId?: SeriesId; conditionId?: string },
): Promise<number> =>
  removeQuotes(context, makerId, {
    ...(seriesId === undefined ? {} : { seriesId }),
    ...(conditionId === undefined ? {} : { conditionId }),
    held: 'kept',
  })

/** A quote that is held for signature stays or goes as `held` says. */
export async function removeQuotes(
  context: Removing,
  makerId: string,
  which: Parameters<Book['removeAll']>[1],
): Promise<number> {
  const removed = await context.book.removeAll(makerId, which)
  for (const { requestId, quoteId } of removed) {
    record(context, requestId, { kind: 'quote_withdrawn', makerId, quoteId })
  }
  return removed.length
}
