import { type Events, release } from './ask-maker.ts'
import { announceClose, endOf, finishRequest, notifyQuoters } from './close-request.ts'
import type { Context } from './context.ts'
import type { HeldQuote } from './ports/book.ts'
import type { Takeover } from './ports/live.ts'
import { announceMissed } from './wait-for-confirmation.ts'

/**
 * Where a commit of a request was cut off, whose node is gone or whose call has failed. No other commit of it runs, so
 * the holder of a quote is gone, or has just ended its acceptance.
 */
export async function findLeft(
  { store, book }: Pick<Context, 'store' | 'book'>,
  requestId: string,
): Promise<Events['resuming']> {
  const [active, live] = await Promise.all([store.acceptances.findActive(requestId), book.find(requestId)])
  if (active !== null)
    return active.state === 'confirmed' ? { kind: 'trade_left' } : { kind: 'order_left', quote: active, asked: active }
  const quote = live?.signing ?? null
  if (quote === null) return { kind: 'nothing_left' }
  return { kind: 'quote_left', quote, outcome: await outcomeOfHeld(store, quote) }
}

/** Either its maker did not sign, and the call that ended that is about to let go or is gone; or it was never asked. */
async function outcomeOfHeld(
  { acceptances }: Context['store'],
  { quoteId, heldAt }: HeldQuote,
): Promise<'missed' | 'changed'> {
  const newest = await acceptances.findByQuote(quoteId)
  if (newest === null || newest.createdAt < heldAt) return 'changed'
  return newest.state === 'timed_out' || newest.state === 'declined' ? 'missed' : 'changed'
}

/** For nodes that are gone or hang: the maker has missed, and callers on other nodes are notified (fault I6). */
export async function endOverdueConfirmations(context: Context, takeover: Takeover): Promise<void> {
  for (const acceptance of await takeover.endOverdue()) {
    const { acceptanceId, requestId } = acceptance
    announceMissed(context, acceptance)
    await context.bus.publish('acceptance', acceptanceId, 'timed_out')
    await release(context, requestId, { quote: acceptance, outcome: 'missed' })
    await finishRequest(context, requestId)
    await context.standingCommits.lookAgain(requestId)
  }
}

/** Finishes the work of other nodes: expired requests, held quotes, ends that were not announced. */
export async function finishOrphans(context: Context, takeover: Takeover): Promise<void> {
  for (const { requestId, status } of await takeover.unannounced(context.settings.feedbackDelayMs)) {
    const ended = await endOf(context, requestId, status)
    // A closed book may mean that its closer notified none, some or all of the makers: a maker drops the duplicate.
    if ((await announceClose(context, ended)) !== 'absent') continue
    // The delay is over: `unannounced` waits for it.
    await notifyQuoters(context, ended, await takeover.quotedBy(requestId), 0)
  }
  for (const requestId of await context.book.orphans()) {
    await releaseHeld(context, requestId)
    await finishRequest(context, requestId)
    await context.standingCommits.lookAgain(requestId)
  }
}

/** Keeps the hold of a running commit or a pending order: a commit that begins after this look takes no quote from it. */
async function releaseHeld(context: Context, requestId: string): Promise<void> {
  const held = (await context.book.find(requestId))?.signing ?? null
  if (held === null || (await context.leases.isRunning(requestId))) return
  const left = await findLeft(context, requestId)
  if (left.kind === 'quote_left' && left.quote.quoteId === held.quoteId) await release(context, requestId, left)
}
