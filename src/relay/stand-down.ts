import { RfqError } from '../domain/errors.ts'
import { endDeclined } from './confirm.ts'
import { type Context, inBackground } from './context.ts'
import { withdrawQuote } from './submit-quote.ts'

/** How soon a quote is looked at again that was out for signature, in milliseconds. */
const RETRY_MS = 50

/** Takes a maker that cannot sign, or may not, out of the market, so that no one waits for it. `reason` is for operators. */
export async function standDown(context: Context, makerId: string, reason: string): Promise<void> {
  const { book, store } = context
  for (const { quoteId } of await book.quotesOf(makerId)) await withdrawUnlessGone(context, { makerId, quoteId })
  for (const acceptance of await store.acceptances.pending({ makerId })) await endDeclined(context, acceptance, reason)
}

/** A quote that is out for signature goes when it is let go: at once, since its acceptance is ended. */
async function withdrawUnlessGone(
  context: Pick<Context, 'clock' | 'book' | 'log' | 'audit'>,
  quote: { makerId: string; quoteId: string },
): Promise<void> {
  try {
    await withdrawQuote(context, quote)
  } catch (fault) {
    if (!(fault instanceof RfqError)) throw fault
    if (fault.code === 'quote_not_found') return
    if (fault.code !== 'quote_locked') throw fault
    const { clock } = context
    clock.schedule(clock.now() + RETRY_MS, () =>
      inBackground(context, 'standing_down_failed', () => withdrawUnlessGone(context, quote)),
    )
  }
}
