import type { Quote } from '@rfqctl/protocol/domain/quote'
import { type Context, record } from './context.ts'
import type { QuoteKey } from './ports/book.ts'
import type { Stop } from './ports/runtime.ts'

/**
 * Takes a quote out of the book at the expiry of the newest one under its quoteId. A quote that lasts as long as its
 * request, whose end is `requestExpiresAt` in Unix milliseconds, ends with it and needs no timer.
 */
export type QuoteExpiries = (quote: Quote, requestExpiresAt: number) => void

/** One timer per quoteId: at `timerAt` it continues if a later quote lasts longer. */
type Waiting = { timerAt: number; stop: Stop }

/**
 * At most one timer per quoteId. A maker may quote again thousands of times a second, so a quote that lasts longer than
 * its former one, as nearly all do, moves no timer.
 */
export function createQuoteExpiries(context: Pick<Context, 'book' | 'clock' | 'audit' | 'background'>): QuoteExpiries {
  const { book, clock } = context
  const all = new Map<string, Waiting>()

  function wait(quote: Quote, requestExpiresAt: number): void {
    const work = () => end(quote, requestExpiresAt)
    const stop = clock.schedule(quote.expiresAt, () => context.background.run('quote_expiry_failed', work))
    all.set(quote.quoteId, { timerAt: quote.expiresAt, stop })
  }

  /** The book decides which quote is the newest: its answers to two concurrent quotes may come in either order. */
  async function end(key: QuoteKey, requestExpiresAt: number): Promise<void> {
    const { requestId, quoteId, makerId } = key
    all.delete(quoteId)
    if (await book.expire(key)) {
      record(context, requestId, { kind: 'quote_expired', makerId, quoteId })
      return
    }
    const newest = await book.findQuote(key)
    const needsTimer = newest !== null && newest.expiresAt < requestExpiresAt && !all.has(quoteId)
    if (needsTimer) wait(newest, requestExpiresAt)
  }

  return (quote, requestExpiresAt) => {
    const { quoteId, expiresAt } = quote
    const waiting = all.get(quoteId)
    if (waiting !== undefined && waiting.timerAt <= expiresAt) return
    waiting?.stop()
    if (expiresAt < requestExpiresAt) wait(quote, requestExpiresAt)
  }
}
