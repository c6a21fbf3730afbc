import type { Quote } from '../domain/quote.ts'
import { type Context, inBackground, record } from './context.ts'
import type { Stop } from './ports/clock.ts'

/**
 * Takes a quote out of the book at the time of the newest one under its quoteId. One that lives as long as its request, whose
 * end is `requestExpiresAt` in Unix milliseconds, ends with it and needs no timer.
 */
export type QuoteExpiries = (quote: Quote, requestExpiresAt: number) => void

/** The one timer of a quoteId: it waits until `timerAt`, and then on until `expiresAt` where a later quote lasts longer. */
type Waiting = { requestId: string; makerId: string; expiresAt: number; timerAt: number; stop: Stop }

/**
 * Timers over the relay's clock, at most one a quoteId. A maker may quote again thousands of times a second, so that a quote
 * which lasts longer than its former one, as nearly all do, moves no timer.
 */
export function createQuoteExpiries(context: Pick<Context, 'book' | 'clock' | 'audit' | 'log'>): QuoteExpiries {
  const { book, clock } = context
  const all = new Map<string, Waiting>()

  function wait(
    quoteId: string,
    { requestId, makerId, expiresAt }: Pick<Waiting, 'requestId' | 'makerId' | 'expiresAt'>,
  ) {
    const stop = clock.schedule(expiresAt, () => end(quoteId))
    all.set(quoteId, { requestId, makerId, expiresAt, timerAt: expiresAt, stop })
  }

  function end(quoteId: string): void {
    const waiting = all.get(quoteId)
    if (waiting === undefined) return
    all.delete(quoteId)
    if (clock.now() < waiting.expiresAt) wait(quoteId, waiting)
    else inBackground(context, 'quote_expiry_failed', () => expire(quoteId, waiting))
  }

  async function expire(quoteId: string, { requestId, makerId }: Waiting): Promise<void> {
    if (!(await book.expire(requestId, quoteId))) return
    record(context, requestId, { kind: 'quote_expired', makerId, quoteId })
  }

  return (quote, requestExpiresAt) => {
    const { quoteId, expiresAt } = quote
    const waiting = all.get(quoteId)
    if (waiting !== undefined && waiting.timerAt <= expiresAt && expiresAt < requestExpiresAt) {
      waiting.expiresAt = expiresAt
      return
    }
    waiting?.stop()
    all.delete(quoteId)
    if (expiresAt < requestExpiresAt) wait(quoteId, quote)
  }
}
