import { announceClose, closeRequest, endOf } from './close-request.ts'
import { type Context, inBackground } from './context.ts'

/** How long after a deadline the expiry looks again whether a confirmation was still running. */
const RECHECK_MS = 50

/** How soon an expiry that failed, for instance because the store was down, is tried again. */
const RETRY_MS = 1_000

/** Sets the timer that ends a request, and sets it again until the store has taken it. */
export function expireRequestAt(context: Context, requestId: string, at: number): void {
  context.clock.schedule(at, () =>
    inBackground(context, 'expire_failed', async () => {
      try {
        await expireRequest(context, requestId)
      } catch (fault) {
        expireRequestAt(context, requestId, context.clock.now() + RETRY_MS)
        throw fault
      }
    }),
  )
}

/** After a commit: the request ends if its time came meanwhile, or if the store says that it has ended. */
export async function finishRequest(context: Context, requestId: string): Promise<void> {
  const stored = await context.store.requests.find(requestId)
  if (stored === null || stored.status === 'open') return expireRequest(context, requestId)
  await announceClose(context, await endOf(context, requestId, stored.status))
}

/**
 * Ends an open request whose time has come. A confirmation that runs may finish first (decision C6): the store knows of
 * it even when the book was lost.
 */
async function expireRequest(context: Context, requestId: string): Promise<void> {
  const { book, clock, store } = context
  const live = await book.find(requestId)
  if (live === null || live.status !== 'open' || clock.now() < live.request.expiresAt) return
  const active = await store.acceptances.findActive(requestId)
  if (active?.state === 'pending') {
    // One whose commit could not end it, because the store was down, is ended here.
    if (clock.now() >= active.deadline) await store.acceptances.end(active.acceptanceId, 'timed_out')
    expireRequestAt(context, requestId, Math.max(active.deadline, clock.now()) + RECHECK_MS)
    return
  }
  // A commit that holds a quote, and has not stored its acceptance yet, comes here itself when it ends.
  await closeRequest(context, { requestId, status: 'expired' })
}
