import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { QuoteRequest } from '@rfqctl/protocol/domain/request'
import { type Context, record } from './context.ts'
import type { HeldQuote, LiveRequest } from './ports/book.ts'
import { thenMaybe } from './ports/maybe-promise.ts'
import type { Acceptance } from './ports/store.ts'

/**
 * Reads the book, and after a restart the store. While a maker is asked to sign, the store decides whether the request
 * is over: it knows of a trade before the book does (invariant V10). Refuses an unknown request with
 * `request_not_found`, an expired one with `request_expired`.
 */
export function findRequest(context: Context, requestId: string) {
  return thenMaybe(context.book.find(requestId), (live) => {
    if (live !== null && (live.status !== 'open' || live.signing === null)) return assertThere(context, live)
    const judged = live === null ? findStored(context, requestId) : withStoredEnd(context, live)
    return judged.then((found) => assertThere(context, found))
  })
}

function assertThere({ clock }: Pick<Context, 'clock'>, live: LiveRequest | null): LiveRequest {
  if (live === null) throw new RfqError('request_not_found')
  const isOver = live.status === 'open' && live.signing === null && clock.now() >= live.request.expiresAt
  if (live.status === 'expired' || isOver) throw new RfqError('request_expired')
  return live
}

/** Refuses with `taker_secret_required`. */
export function assertTakerSecret({ ids }: Context, request: QuoteRequest, takerSecret: string | null): void {
  if (takerSecret === null || ids.digest(takerSecret) !== request.takerSecretDigest) {
    throw new RfqError('taker_secret_required')
  }
}

/** The same, for locked requests only. */
export function assertUnlocked(context: Context, request: QuoteRequest, takerSecret: string | null): void {
  if (request.locked) assertTakerSecret(context, request, takerSecret)
}

/** The book's state, unless the store knows that the request is over. */
async function withStoredEnd({ store }: Pick<Context, 'store'>, live: LiveRequest): Promise<LiveRequest> {
  const stored = await store.requests.find(live.request.requestId)
  return stored === null || stored.status === 'open' ? live : { ...stored, signing: null }
}

/** Reopens a request that the book has lost and the store has open. */
export async function findStored(context: Context, requestId: string): Promise<LiveRequest | null> {
  const { store, book } = context
  const stored = await store.requests.find(requestId)
  if (stored === null) return null
  if (stored.status !== 'open') return { ...stored, signing: null }
  const active = await store.acceptances.findActive(requestId)
  const signing = active?.state === 'pending' ? heldFor(active) : null
  await book.open(stored.request, { signing, quotedBy: [] })
  record(context, requestId, { kind: 'reopened' })
  const found = await withStoredEnd(context, { ...stored, signing })
  // The request ended meanwhile, and its closer found no book to close.
  if (found.status !== 'open') await book.close(requestId, found.status)
  return found
}

/** Held since the maker was asked. */
export const heldFor = ({ makerId, quoteId, createdAt }: Acceptance): HeldQuote => ({
  makerId,
  quoteId,
  heldAt: createdAt,
})
