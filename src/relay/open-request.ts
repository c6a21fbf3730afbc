import { RfqError } from '../domain/errors.ts'
import { type QuoteRequest, type RequestTerms, requestExpiry, seriesTermsOf } from '../domain/request.ts'
import type { SeriesId, SeriesTerms } from '../domain/series.ts'
import { assertWallet } from './assert-wallet.ts'
import { type Context, record } from './context.ts'
import { expireRequestAt } from './expire-request.ts'
import { createOpenCounts, type OpenCounts } from './open-limits.ts'
import { createSeriesIds } from './series-ids.ts'

/** `clientAddress` is whom the request counts for where clients are bounded; it is not kept with the request. */
export type OpenInput = RequestTerms & { locked: boolean; clientAddress?: string }

/** A fresh request with the secret that only its taker gets (ruling Q1). */
export type OpenedRequest = {
  request: QuoteRequest
  takerSecret: string
  makersConnected: number
  seriesListed: boolean
}

/**
 * What opens a quote request and announces it to makers. Refuses an option whose expiry is not ahead with `option_expired`,
 * and what is too much at once with `too_many_requests`.
 * @see spec "POST /quote-requests"
 */
export function createOpenRequest(context: Context): (input: OpenInput) => Promise<OpenedRequest> {
  const idOf = createSeriesIds()
  const counts = createOpenCounts(context)
  return (input) => openRequest(context, input, { idOf, counts })
}

async function openRequest(
  context: Context,
  input: OpenInput,
  { idOf, counts }: { idOf: (terms: SeriesTerms) => SeriesId; counts: OpenCounts },
): Promise<OpenedRequest> {
  const { clock, ids, store, book, presence, seriesIndex, settings } = context
  const { clientAddress = null, ...asked } = input
  if (input.wallet !== null) assertWallet(context, 'wallet', input.wallet)
  const now = clock.now()
  const series = seriesTermsOf(input)
  await assertNotExpired(context, series.expiry, now)
  const takerSecret = ids.secret()
  const request: QuoteRequest = {
    ...asked,
    requestId: ids.uuid(),
    seriesId: idOf(series),
    createdAt: now,
    expiresAt: requestExpiry({ now, ttlMs: settings.quoteRequestTtlMs, expiryMs: input.option.expiryMs }),
    takerSecretDigest: ids.digest(takerSecret),
  }
  await counts.admit(clientAddress, async (opened) => {
    await store.requests.insert(request)
    await book.open(request)
    opened(request.requestId)
  })
  expireRequestAt(context, request.requestId, request.expiresAt)
  const makersConnected = await presence.countStreams()
  const { requestId, seriesId, expiresAt } = request
  const { wallet, market, option, trade } = input
  record(context, requestId, {
    kind: 'opened',
    terms: { wallet, market, option, trade },
    seriesId,
    expiresAt,
    makersConnected,
  })
  return {
    request,
    takerSecret,
    makersConnected,
    seriesListed: (await seriesIndex.find(request.seriesId)) !== null,
  }
}

/** Both clocks must lie before the expiry. A chain that cannot be read now does not stop a taker from asking. */
async function assertNotExpired({ chain }: Context, expiry: number, now: number): Promise<void> {
  const chainTime = await chainTimeOrZero(chain)
  const latest = Math.max(Math.floor(now / 1_000), chainTime)
  if (expiry <= latest) throw new RfqError('option_expired', { data: { expiry, now: latest } })
}

async function chainTimeOrZero(chain: Context['chain']): Promise<number> {
  try {
    return await chain.time('cached')
  } catch {
    return 0
  }
}
