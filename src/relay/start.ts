import { type Context, inBackground } from './context.ts'
import { expireRequestAt } from './expire-request.ts'
import { waitForConfirmation } from './wait-for-confirmation.ts'

/**
 * Takes up what a former run left: open requests are announced again (their quotes are gone, makers quote anew), and
 * pending acceptances can still be confirmed until their deadline. The same when the live market is lost later on.
 */
export async function start(context: Context): Promise<void> {
  const { store, book, seriesIndex } = context
  book.onEmptied(() => openAgain(context))
  await seriesIndex.refresh()
  await openAgain(context)
  for (const acceptance of await store.acceptances.pending()) {
    inBackground(context, 'leftover_acceptance_failed', () => waitForConfirmation(context, acceptance))
  }
}

async function openAgain(context: Context): Promise<void> {
  const { store, book } = context
  for (const request of await store.requests.listOpen()) {
    await book.open(request)
    expireRequestAt(context, request.requestId, request.expiresAt)
  }
}
