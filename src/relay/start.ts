import type { QuoteRequest } from '../domain/request.ts'
import { type Context, inBackground } from './context.ts'
import { expireRequestAt, finishRequest } from './expire-request.ts'
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
  book.onEmptied(() => putBack(context))
  await seriesIndex.refresh()
  await openAgain(context)
  for (const acceptance of await store.acceptances.pending()) {
    inBackground(context, 'leftover_acceptance_failed', () => waitForConfirmation(context, acceptance))
  }
}

/**
 * Makes the live market what the store says: Redis may have come back without its last writes, so that a request that has
 * ended is open there again (reliability I4).
 */
async function putBack(context: Context): Promise<void> {
  const open = new Set((await openAgain(context)).map(({ requestId }) => requestId))
  const shown = (await context.book.openRequests()).map(({ request }) => request.requestId)
  // One that was opened meanwhile is open in the store as well, and stays so.
  const doubtful = shown.filter((requestId) => !open.has(requestId))
  await forEachOf(doubtful, OPENED_AT_ONCE, (requestId) => finishRequest(context, requestId))
}

async function openAgain(context: Context): Promise<readonly QuoteRequest[]> {
  const { store, book } = context
  const requests = await store.requests.listOpen()
  await forEachOf(requests, OPENED_AT_ONCE, async (request) => {
    await book.open(request)
    expireRequestAt(context, request.requestId, request.expiresAt)
  })
  return requests
}
