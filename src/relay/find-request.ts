import { RfqError } from '../domain/errors.ts'
import type { QuoteRequest } from '../domain/request.ts'
import type { Context } from './context.ts'
import type { HeldQuote, LiveRequest } from './ports/book.ts'
import { type MaybePromise, thenMaybe } from './ports/maybe-promise.ts'
import type { Acceptance } from './ports/store.ts'

/**
 * A request that is open or still remembered: from the book, and after a restart from the store.
 * Refuses an unknown one with `request_not_found`, an expired one with `request_expired`.
 */
export function findRequest(
  context: Pick<Context, 'book' | 'store' | 'clock'>,
  requestId: string,
): MaybePromise<LiveRequest> {
  return thenMaybe(context.book.find(requestId), (live) =>
    live === null
      ? findStored(context, requestId).then((stored) => assertThere(context, stored))
      : assertThere(context, live),
  )
}

function assertThere({ clock }: Pick<Context, 'clock'>, live: LiveRequest | null): LiveRequest {
  if (live === null) throw new RfqError('request_not_found')
  const isOver = live.status === 'open' && live.signing === null && clock.now() >= live.request.expiresAt
  if (live.status === 'expired' || isOver) throw new RfqError('request_expired')
  return live
}

/** Refuses with `taker_secret_required` unless the secret is the one that opening the request returned. */
export function assertTakerSecret(
  { ids }: Pick<Context, 'ids'>,
  request: QuoteRequest,
  takerSecret: string | null,
): void {
  if (takerSecret === null || ids.digest(takerSecret) !== request.takerSecretDigest) {
    throw new RfqError('taker_secret_required')
  }
}

/** The same for a request that its taker has locked. */
export function assertUnlocked(context: Pick<Context, 'ids'>, request: QuoteRequest, takerSecret: string | null): void {
  if (request.locked) assertTakerSecret(context, request, takerSecret)
}

/** What the book has lost, and the store knows to be open, is opened again. */
async function findStored(
  { store, book }: Pick<Context, 'store' | 'book'>,
  requestId: string,
): Promise<LiveRequest | null> {
  const stored = await store.requests.find(requestId)
  if (stored === null) return null
  if (stored.status !== 'open') return { ...stored, signing: null }
  const active = await store.acceptances.findActive(requestId)
  const signing = active?.state === 'pending' ? heldFor(active) : null
  await book.open(stored.request, { signing, quotedBy: [] })
  return { ...stored, signing }
}

/** The quote of a pending acceptance, held since its maker was asked. */
export const heldFor = ({ makerId, quoteId, createdAt }: Acceptance): HeldQuote => ({
  makerId,
  quoteId,
  heldAt: createdAt,
})
