import { announceClose, endOf, finishRequest, notifyQuoters } from './close-request.ts'
import type { Context } from './context.ts'
import type { HeldQuote } from './ports/book.ts'
import type { Takeover } from './ports/live.ts'
import { announceMissed } from './wait-for-confirmation.ts'

/**
 * Ends the confirmations that no one ended at their deadline, because their node is gone or stands still: the maker has
 * missed, and whoever waits on another node is told (fault I6).
 */
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

/** Finishes what a node began and did not end: requests past their time, held quotes, ends that no one was told of. */
export async function finishOrphans(context: Context, takeover: Takeover): Promise<void> {
  const { book } = context
  for (const { requestId, status } of await takeover.unannounced()) {
    const ended = await endOf(context, requestId, status)
    // Where the book is closed its closer has told no one, or some, or all: who has heard it passes over the double.
    if ((await announceClose(context, ended)) !== 'absent') continue
    await notifyQuoters(context, ended, await takeover.quotedBy(requestId))
  }
  for (const requestId of await book.orphans()) {
    await releaseHeld(context, requestId)
    await finishRequest(context, requestId)
  }
}

/** A quote is held by a commit that runs, or by an order that waits for its signature, or by no one. */
async function releaseHeld(
  { leases, book, store }: Pick<Context, 'leases' | 'book' | 'store'>,
  requestId: string,
): Promise<void> {
  const held = (await book.find(requestId))?.signing ?? null
  if (held === null || (await leases.isRunning(requestId))) return
  if ((await store.acceptances.findActive(requestId)) !== null) return
  await book.unlock(requestId, held.quoteId, await resultOfHeld({ store }, held))
}

/**
 * What came of a quote that is still held although no commit runs and no acceptance is active: its maker was asked and has
 * not signed, and whoever ended that is on the way to let it go, or gone; or its maker was never asked.
 */
export async function resultOfHeld(
  { store }: Pick<Context, 'store'>,
  { quoteId, heldAt }: HeldQuote,
): Promise<'missed' | 'unasked'> {
  const newest = await store.acceptances.findByQuote(quoteId)
  if (newest === null || newest.createdAt < heldAt) return 'unasked'
  return newest.state === 'timed_out' || newest.state === 'declined' ? 'missed' : 'unasked'
}
