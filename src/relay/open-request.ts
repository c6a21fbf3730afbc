import { LruMap } from 'toad-cache'
import { RfqError } from '../domain/errors.ts'
import { isPackage } from '../domain/option.ts'
import {
  type OpenedRequest,
  type QuoteRequest,
  type RequestTerms,
  requestExpiry,
  seriesTermsOf,
  type TakerRating,
} from '../domain/request.ts'
import { type SeriesId, type SeriesTerms, seriesIdOf, shapeOf } from '../domain/series.ts'
import { contracts } from '../domain/units.ts'
import { readChainTime } from './chain-time.ts'
import { expireRequestAt } from './close-request.ts'
import { type Context, record } from './context.ts'
import { createHeadroom } from './headroom.ts'
import { createOpenCounts, type OpenCounts } from './open-limits.ts'
import type { Freshness } from './ports/chain.ts'
import { type Step, within } from './ports/tracer.ts'
import type { Spot } from './spot.ts'
import { readTakerPosition } from './taker-position.ts'
import { assertWallet } from './tradable.ts'

/** `clientAddress` is whom the request counts for where clients are bounded; it is not kept with the request. `traceparent`: of the client, if it traces. */
export type OpenInput = RequestTerms & { locked: boolean; clientAddress?: string; traceparent?: string | null }

/**
 * What opens a quote request and announces it to makers. Refuses an option whose expiry is not ahead with `option_expired`,
 * what is too much at once with `too_many_requests`, and all while there is no memory with `overloaded`.
 */
export function createOpenRequest(context: Context, spot: Spot): (input: OpenInput) => Promise<OpenedRequest> {
  const idOf = createSeriesIds()
  const counts = createOpenCounts(context)
  const headroom = createHeadroom(context)
  return ({ traceparent: parent = null, ...input }) =>
    context.tracer.step('create', { parent, facts: {} }, async (step) => {
      headroom.assertRoom()
      const opened = await openRequest(context, input, { idOf, counts, spot, step })
      const { requestId, seriesId } = opened
      step.note({ requestId, seriesId })
      return opened
    })
}

async function openRequest(
  context: Context,
  input: Omit<OpenInput, 'traceparent'>,
  { idOf, counts, spot, step }: { idOf: (terms: SeriesTerms) => SeriesId; counts: OpenCounts; spot: Spot; step: Step },
): Promise<OpenedRequest> {
  const { clock, ids, store, book, presence, seriesIndex, settings } = context
  const { clientAddress = null, ...asked } = input
  if (input.wallet !== null) assertWallet(context, 'wallet', input.wallet)
  const now = clock.now()
  const series = seriesTermsOf(input)
  await assertNotExpired(context, series.expiry, now)
  const takerSecret = ids.secret()
  const seriesId = idOf(series)
  await assertReduces(context, input, seriesId)
  const seriesListed = (await seriesIndex.find(seriesId)) !== null
  const yesPrice = seriesListed ? spot.recent(series.yesTokenId) : null
  const market = yesPrice === null ? input.market : { ...input.market, yesPrice }
  const untraced: QuoteRequest = {
    ...asked,
    market,
    requestId: ids.uuid(),
    seriesId,
    createdAt: now,
    expiresAt: requestExpiry({ now, ttlMs: settings.quoteRequestTtlMs, expiryMs: input.option.expiryMs }),
    takerSecretDigest: ids.digest(takerSecret),
  }
  const request = within(untraced, step)
  await counts.admit(clientAddress, async (opened) => {
    const takerRating = await ratingOf(context, request)
    const rated = takerRating === null ? request : { ...request, takerRating }
    await store.requests.insert(rated)
    await book.open(rated)
    opened(request.requestId)
  })
  expireRequestAt(context, request.requestId, request.expiresAt)
  const makersConnected = await presence.countStreams(isPackage(input.option) ? 'packages' : 'stream')
  const { requestId, expiresAt } = request
  const { wallet, firmOnly, option, trade } = input
  context.log.info('request_opened', { requestId, seriesId })
  record(context, requestId, {
    kind: 'opened',
    terms: { wallet, market, option, trade, ...(firmOnly === true ? { firmOnly } : {}) },
    seriesId,
    expiresAt,
    makersConnected,
  })
  return { requestId, expiresAt, seriesId, takerSecret, makersConnected, seriesListed }
}

/**
 * What makers are told of the wallet that a request names, read once so that all of them see the same. Null where they are told
 * nothing, without a chain, on which alone orders are filled, and where the store does not answer: it stops no one from asking.
 */
async function ratingOf(
  { store, orderEvents, settings, log }: Pick<Context, 'store' | 'orderEvents' | 'settings' | 'log'>,
  { requestId, wallet }: QuoteRequest,
): Promise<TakerRating | null> {
  if (settings.takerRatingMs === null || wallet === null || orderEvents === null) return null
  try {
    return await store.orders.ratingOf({ taker: wallet, sinceMs: settings.takerRatingMs })
  } catch (fault) {
    log.warn('taker_not_rated', { requestId, fault })
    return null
  }
}

/**
 * A trade that is to reduce a position needs one; of a purchase that names no amount, one option. What was just filled shows only in
 * what is read now.
 */
async function assertReduces(context: Context, { trade, wallet }: OpenInput, seriesId: SeriesId): Promise<void> {
  if (trade.reduceOnly !== true || wallet === null) return
  const amount = trade.side === 'sell' ? trade.size : (trade.most ?? contracts(1n))
  const read = async (freshness: Freshness) =>
    readTakerPosition(context, { trade, seriesId }, { wallet, amount, freshness })
  await read('cached').catch(() => read('latest'))
}

/** Both clocks must lie before the expiry. A chain that cannot be read now does not stop a taker from asking. */
async function assertNotExpired(context: Pick<Context, 'chain'>, expiry: number, now: number): Promise<void> {
  const latest = Math.max(Math.floor(now / 1_000), (await readChainTime(context)) ?? 0)
  if (expiry <= latest) throw new RfqError('option_expired', { data: { expiry, now: latest } })
}

/** Series that are remembered: half a megabyte of them, more than any relay trades at a time. */
const KNOWN_SERIES = 1_000

/**
 * The id of a series, remembered. Takers ask for few series again and again, and to hash one takes 25 µs: with ten makers a
 * twentieth of all that a request costs until its last quote is shown.
 */
export function createSeriesIds(): (terms: SeriesTerms) => SeriesId {
  const known = new LruMap<SeriesId>(KNOWN_SERIES)
  return (terms) => {
    const { conditionId, yesTokenId, expiry } = terms
    const { shape, kind } = shapeOf(terms)
    const name = `${conditionId} ${yesTokenId} ${shape} ${expiry} ${kind}`
    const seriesId = known.get(name)
    if (seriesId !== undefined) return seriesId
    const fresh = seriesIdOf(terms)
    known.set(name, fresh)
    return fresh
  }
}
