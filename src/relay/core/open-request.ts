import { openedEntry } from '@rfqctl/protocol/domain/audit'
import { assertLimit } from '@rfqctl/protocol/domain/commit'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import {
  type OpenedRequest,
  type QuoteRequest,
  type RequestTerms,
  requestExpiry,
  seriesTermsOf,
  walletOf,
} from '@rfqctl/protocol/domain/request'
import { utcText } from '@rfqctl/protocol/domain/safe-text'
import { type SeriesId, type SeriesTerms, seriesIdOf, shapeOf } from '@rfqctl/protocol/domain/series'
import { standingTermsOf } from '@rfqctl/protocol/domain/standing-limit'
import { contracts } from '@rfqctl/protocol/domain/units'
import { LruMap } from 'toad-cache'
import { readChainTime } from './chain-time.ts'
import { identifyRequest } from './client-request.ts'
import { expireRequestAt } from './close-request.ts'
import { checkProof } from './commit-proof.ts'
import type { Context } from './context.ts'
import { findStored } from './find-request.ts'
import { createHeadroom } from './headroom.ts'
import type { LatestPrices } from './latest-prices.ts'
import { createOpenCounts, type OpenCounts } from './open-limits.ts'
import type { Freshness } from './ports/chain.ts'
import { type Step, within } from './ports/tracer.ts'
import { channelOf, kindOf } from './request-kind.ts'
import { readTakerPosition } from './taker-position.ts'
import { assertWallet, tradingEnd } from './tradable.ts'

/**
 * `clientAddress` is the client whose bounds the request counts for. A repeat has the same `clientRequestId`, which is
 * as secret as the request it opens. Neither is kept with the request. `traceparent` is the client's own, if it traces.
 */
export type OpenInput = RequestTerms & {
  locked: boolean
  clientAddress?: string
  clientRequestId?: string
  traceparent?: string | null
}

/**
 * Refuses with `option_expired` unless the end of trading is ahead, `too_many_requests` beyond the bounds, and `overloaded`
 * without memory. A repeat of the same `clientRequestId` gets the request that the first call opened, or
 * `client_request_id_reused` if its terms differ.
 */
export function createOpenRequest(context: Context, spot: LatestPrices): (input: OpenInput) => Promise<OpenedRequest> {
  const idOf = createSeriesIds()
  const counts = createOpenCounts(context)
  const unsure = createUnsureRequests(context)
  const headroom = createHeadroom(context)
  return ({ traceparent: parent = null, ...input }) =>
    context.tracer.step('create', { parent, facts: {} }, async (step) => {
      const identity = identify(context, input)
      const known = identity.isNamed ? await findOpened(context, identity) : null
      if (known === null) headroom.assertRoom()
      const opened =
        known === null
          ? await openRequest(context, input, { identity, idOf, counts, unsure, spot, step })
          : await answerOf(context, known, { identity, makersConnected: await countMakers(context, known) })
      const { requestId, seriesId } = opened
      step.note({ requestId, seriesId })
      return opened
    })
}

async function openRequest(
  context: Context,
  input: Omit<OpenInput, 'traceparent'>,
  { identity, idOf, counts, unsure, spot, step }: Opening,
): Promise<OpenedRequest> {
  const { clock, ids, store, book, seriesIndex, settings } = context
  const { clientAddress = null, clientRequestId: _, ...asked } = input
  const wallet = walletOf(input)
  if (wallet !== null) assertWallet(context, 'wallet', wallet)
  const now = clock.now()
  const series = seriesTermsOf(input)
  const tradingEndsAt = tradingEnd(context, series.expiry)
  await assertNotExpired(context, { expiry: series.expiry, tradingEndsAt }, now)
  const seriesId = idOf(series)
  await assertReduces(context, input, seriesId)
  await assertStanding(context, input, identity)
  const seriesListed = (await seriesIndex.find(seriesId)) !== null
  const yesPrice = seriesListed ? await spot.recent(series.yesTokenId) : null
  const market = yesPrice === null ? input.market : { ...input.market, yesPrice }
  const untraced: QuoteRequest = {
    ...asked,
    market,
    requestId: identity.requestId,
    seriesId,
    createdAt: now,
    expiresAt: requestExpiry({ now, ttlMs: settings.quoteRequestTtlMs, tradingEndsAt }),
    takerSecretDigest: ids.digest(identity.takerSecret),
  }
  const request = within(untraced, step)
  const isFirst = await counts.admit(clientAddress, async (opened) => {
    const takerRating = await ratingOf(context, request)
    const rated = takerRating === null ? request : { ...request, takerRating }
    try {
      if (!(await store.requests.insert(rated)) && identity.isNamed) return false
      await book.open(rated)
    } catch (fault) {
      unsure.note(request)
      throw fault
    }
    opened(request.requestId)
    return true
  })
  if (!isFirst) return answerToRepeat(context, identity)
  expireRequestAt(context, request.requestId, request.expiresAt)
  const { requestId } = request
  const makersConnected = await countMakers(context, request)
  context.log.info('request_opened', { requestId, seriesId })
  // Before anything that waits for the chain, and so before the first quote.
  context.audit.record(openedEntry(request, { makersConnected }))
  return answerOf(context, request, { identity, makersConnected })
}

type Opening = {
  identity: Identity
  idOf: (terms: SeriesTerms) => SeriesId
  counts: OpenCounts
  unsure: UnsureRequests
  spot: LatestPrices
  step: Step
}

/** `isNamed`: the client named the request, and may have opened it before. */
type Identity = { requestId: string; takerSecret: string; isNamed: boolean }

function identify({ ids }: Pick<Context, 'ids'>, { clientRequestId, ...opening }: OpenInput): Identity {
  if (clientRequestId === undefined) return { requestId: ids.uuid(), takerSecret: ids.secret(), isNamed: false }
  return { ...identifyRequest(ids, { clientRequestId, opening }), isNamed: true }
}

/** Also a request that has ended since; null if no call has opened it. */
async function findOpened(context: Context, { requestId, takerSecret }: Identity): Promise<QuoteRequest | null> {
  const live = await context.book.find(requestId)
  const known = live ?? (await findStored(context, requestId))
  if (known === null) return null
  const { request, status } = known
  if (!context.ids.isSameDigest(context.ids.digest(takerSecret), request.takerSecretDigest)) {
    throw new RfqError('client_request_id_reused')
  }
  // The call that stored it may have failed before it set the timer.
  if (live === null && status === 'open') expireRequestAt(context, requestId, request.expiresAt)
  return request
}

/** Another call came first. Its request may be forgotten while the store still holds the id. */
async function answerToRepeat(context: Context, identity: Identity): Promise<OpenedRequest> {
  const request = await findOpened(context, identity)
  if (request === null) throw new RfqError('client_request_id_reused')
  return answerOf(context, request, { identity, makersConnected: await countMakers(context, request) })
}

const countMakers = ({ presence }: Pick<Context, 'presence'>, request: QuoteRequest) =>
  presence.countStreams(channelOf(kindOf(request)), request.audience)

async function answerOf(
  { seriesIndex }: Pick<Context, 'seriesIndex'>,
  { requestId, expiresAt, seriesId }: QuoteRequest,
  { identity: { takerSecret }, makersConnected }: { identity: Identity; makersConnected: number },
): Promise<OpenedRequest> {
  const seriesListed = (await seriesIndex.find(seriesId)) !== null
  return { requestId, expiresAt, seriesId, takerSecret, makersConnected, seriesListed }
}

type UnsureRequests = ReturnType<typeof createUnsureRequests>

/** Requests with a failed opening that a node ends itself, at a time; others end when a node starts. */
const UNSURE_AT_MOST = 1_000

/** The store may have a request although its opening failed, for instance if the answer was lost: it ends at its time. */
function createUnsureRequests(context: Context) {
  let count = 0
  return {
    note: ({ requestId, expiresAt }: QuoteRequest): void => {
      if (count >= UNSURE_AT_MOST) return
      count += 1
      context.clock.schedule(expiresAt, () => {
        count -= 1
        expireRequestAt(context, requestId, context.clock.now())
      })
    },
  }
}

/**
 * Read once, so that all makers see the same rating. Null if ratings are off, without a chain, since orders are filled
 * only there, and if the store does not answer: that stops no taker from asking.
 */
async function ratingOf({ store, orderEvents, settings, log }: Context, { requestId, wallet }: QuoteRequest) {
  if (settings.takerRatingMs === null || wallet === null || orderEvents === null) return null
  try {
    return await store.orders.ratingOf({ taker: wallet, sinceMs: settings.takerRatingMs })
  } catch (fault) {
    log.warn('taker_not_rated', { requestId, fault })
    return null
  }
}

/**
 * A reduce-only trade needs a position; a purchase without an amount needs one option. Only a fresh read shows a fill
 * of a moment ago.
 */
async function assertReduces(context: Context, input: OpenInput, seriesId: SeriesId): Promise<void> {
  const { trade } = input
  const wallet = walletOf(input)
  if (trade.side === 'both' || trade.reduceOnly !== true || wallet === null) return
  const amount = trade.side === 'sell' ? trade.size : (trade.most ?? contracts(1n))
  const read = async (freshness: Freshness) =>
    readTakerPosition(context, { trade, seriesId }, { wallet, amount, freshness })
  await read('cached').catch(() => read('latest'))
}

/** The terms of a standing commit are refused now where the commit itself would be (protocol open-11). */
async function assertStanding(context: Context, input: OpenInput, { requestId }: Identity): Promise<void> {
  const terms = standingTermsOf(input)
  if (terms === null) return
  assertLimit(input.option, terms)
  const { standing, clientAddress = null } = input
  await checkProof(context, { ...terms, requestId }, { proof: standing?.proof ?? null, clientAddress })
}

/** Both clocks must be before the end of trading. An unreadable chain does not stop a taker from asking. */
async function assertNotExpired(
  context: Pick<Context, 'chain'>,
  { expiry, tradingEndsAt }: { expiry: number; tradingEndsAt: number },
  now: number,
): Promise<void> {
  const latest = Math.max(Math.floor(now / 1_000), (await readChainTime(context)) ?? 0)
  if (latest < tradingEndsAt) return
  const detail = `Trading of the option ended at ${utcText(tradingEndsAt * 1_000)}, before its expiry.`
  throw new RfqError('option_expired', { ...(latest < expiry ? { detail } : {}), data: { expiry, now: latest } })
}

/** Half a megabyte of series, more than any relay trades at a time. */
const KNOWN_SERIES = 1_000

/** Takers repeat few series, and one hash takes 25 µs: a twentieth of a request's cost with ten makers. */
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
