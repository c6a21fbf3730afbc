import { announceClose, endOf, finishRequest, notifyQuoters } from './close-request.ts'
import type { Context } from './context.ts'
import type { HeldQuote } from './ports/book.ts'
import type { Takeover } from './ports/live.ts'
import { announceMissed } from './wait-for-confirmation.ts'

/** For nodes that are gone or hang: the maker has missed, and callers on other nodes are notified (fault I6). */
export async function endOverdueConfirmations(context: Context, takeover: Takeover): Promise<void> {
  const { book, bus } = context
  for (const acceptance of await takeover.endOverdue()) {
    const { acceptanceId, requestId, quoteId } = acceptance
    announceMissed(context, acceptance)
    await bus.publish('acceptance', acceptanceId, 'timed_out')
    await book.unlock(requestId, quoteId, 'missed')
    await finishRequest(context, requestId)
  }
}

/** Finishes the work of other nodes: expired requests, held quotes, ends that were not announced. */
export async function finishOrphans(context: Context, takeover: Takeover): Promise<void> {
  const { book } = context
  for (const { requestId, status } of await takeover.unannounced()) {
    const ended = await endOf(context, requestId, status)
    // A closed book may mean that its closer notified none, some or all of the makers: a maker drops the duplicate.
    if ((await announceClose(context, ended)) !== 'absent') continue
    await notifyQuoters(context, ended, await takeover.quotedBy(requestId))
  }
  for (const requestId of await book.orphans()) {
    await releaseHeld(context, requestId)
    await finishRequest(context, requestId)
  }
}

/** Keeps the hold of a running commit or a pending order. */
async function releaseHeld(context: Context, requestId: string): Promise<void> {
  const { leases, book, store } = context
  const held = (await book.find(requestId))?.signing ?? null
  if (held === null || (await leases.isRunning(requestId))) return
  if ((await store.acceptances.findActive(requestId)) !== null) return
  await book.unlock(requestId, held.quoteId, await resultOfHeld(context, held))
}

/**
 * No commit runs and no acceptance is active, but the quote is held: either its maker did not sign and the call that
 * ended that is about to release it, or is gone; or its maker was never asked.
 */
export async function resultOfHeld({ store }: Context, { quoteId, heldAt }: HeldQuote): Promise<'missed' | 'unasked'> {
  const newest = await store.acceptances.findByQuote(quoteId)
  if (newest === null || newest.createdAt < heldAt) return 'unasked'
  return newest.state === 'timed_out' || newest.state === 'declined' ? 'missed' : 'unasked'
}
