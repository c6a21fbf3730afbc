import { type Context, inBackground } from './context.ts'
import { expireRequestAt } from './expire-request.ts'
import { forEachOf } from './repeat.ts'
import { waitForConfirmation } from './wait-for-confirmation.ts'

/** Requests that are opened again at the same time: there may be thousands, each a way to Redis and back. */
const OPENED_AT_ONCE = 50

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
  await forEachOf(await store.requests.listOpen(), OPENED_AT_ONCE, async (request) => {
    await book.open(request)
    expireRequestAt(context, request.requestId, request.expiresAt)
  })
}
