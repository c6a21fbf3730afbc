import { closeRequest } from './close-request.ts'
import { type Context, inBackground } from './context.ts'

/** How long after a deadline the expiry looks again whether a confirmation was still running. */
const RECHECK_MS = 50

/** Sets the timer that ends a request. */
export function expireRequestAt(context: Context, requestId: string, at: number): void {
  context.clock.schedule(at, () => inBackground(context, 'expire_failed', () => expireRequest(context, requestId)))
}

/**
 * Ends an open request whose time has come. A confirmation that runs may finish first (ruling C6): the store knows of
 * it even when the book was lost.
 */
export async function expireRequest(context: Context, requestId: string): Promise<void> {
  const live = await context.book.find(requestId)
  if (live === null || live.status !== 'open' || context.clock.now() < live.request.expiresAt) return
  const active = await context.store.acceptances.findActive(requestId)
  if (active?.state === 'pending') {
    expireRequestAt(context, requestId, Math.max(active.deadline, context.clock.now()) + RECHECK_MS)
    return
  }
  // A commit that holds a quote, and has not stored its acceptance yet, comes here itself when it ends.
  await closeRequest(context, { requestId, status: 'expired' })
}
