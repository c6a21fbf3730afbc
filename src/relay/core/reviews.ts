import { RfqError } from '@rfqctl/protocol/domain/errors'
import { manualResolution } from '@rfqctl/protocol/domain/resolution'
import {
  labelPoints,
  type ResolvedSeries,
  type ReviewDecision,
  type ReviewDetails,
  type ReviewItem,
  resolvedSeries,
} from '@rfqctl/protocol/domain/review'
import type { SeriesId } from '@rfqctl/protocol/domain/series'
import { mergePoints, twapOf, twapToNumber, twapWindow } from '@rfqctl/protocol/domain/twap'
import type { Context } from './context.ts'
import type { PinnedResolution } from './ports/store.ts'
import { groupOf, pinAlike, resolutionOf } from './resolver.ts'
import { expiredSeries } from './settlement.ts'

/** Longest waiting first; leaves out series that were settled on chain meanwhile. */
export async function listReviews(context: Pick<Context, 'store' | 'seriesIndex'>): Promise<readonly ReviewItem[]> {
  const { store, seriesIndex } = context
  const escalated = await store.resolutions.listEscalated()
  const reviews = await Promise.all(
    escalated.map(async ({ seriesId, reason, windowStart, windowEnd, at }) => {
      const series = await seriesIndex.find(seriesId)
      const isOpen = series !== null && series.resolutionBps === null
      return isOpen ? [{ series, reason, windowStart, windowEnd, escalatedAt: at }] : []
    }),
  )
  return reviews.flat()
}

/** Refuses with `series_not_found`. */
export async function readReview(context: Context, seriesId: SeriesId): Promise<ReviewDetails> {
  const { store, prices, seriesIndex, chain } = context
  const [series, chainTime] = await Promise.all([seriesIndex.find(seriesId), chain.time('cached')])
  if (series === null) throw new RfqError('series_not_found')
  const { yesTokenId, expiry } = series
  const { windowStart, windowEnd } = twapWindow(expiry)
  const until = Math.min(windowEnd, chainTime)
  const [escalation, resolution, recorded, fetched] = await Promise.all([
    store.resolutions.findEscalation(seriesId),
    store.resolutions.find(seriesId),
    store.prices.between(yesTokenId, windowStart, windowEnd),
    until < windowStart ? [] : prices.history(yesTokenId, windowStart, until).catch(() => null),
  ])
  // The future part of the window is not a gap.
  const twap = twapOf(mergePoints(recorded, fetched ?? []), { windowStart, windowEnd: until })
  return {
    series,
    windowStart,
    windowEnd,
    review: escalation && { reason: escalation.reason, escalatedAt: escalation.at },
    resolution: resolution && resolvedSeries(resolution),
    sourceAvailable: fetched !== null,
    points: labelPoints(recorded, fetched ?? []),
    pointCount: twap?.pointCount ?? 0,
    maxGapS: twap?.maxGapS ?? null,
    twap: twap && twapToNumber(twap),
  }
}

/**
 * Pins the decision (decision S2) for all series of the market and expiry, since they share the same price; also
 * without an escalation, since a source may be gone for good. Refuses with `already_resolved`,
 * `series_already_settled`, `series_not_expired` and `series_not_found`.
 */
export async function resolveReview(
  context: Context,
  seriesId: SeriesId,
  { resolutionBps, by, reason }: ReviewDecision,
): Promise<ResolvedSeries> {
  const { clock, log } = context
  const { series } = await expiredSeries(context, seriesId)
  const group = await groupOf(context, series)
  const earlier = await resolutionOf(context, group)
  if (earlier !== null) throw alreadyResolved({ ...earlier, seriesId })
  const resolution: PinnedResolution = {
    ...manualResolution(resolutionBps, series.expiry),
    seriesId,
    resolvedAt: clock.now(),
    decision: { by, reason },
  }
  const standing = await pinAlike(context, group, resolution)
  if (!isSameDecision(standing, resolution)) throw alreadyResolved({ ...standing, seriesId })
  log.info('series_decided', { seriesId, reason })
  return resolvedSeries(standing)
}

const isSameDecision = (a: PinnedResolution, b: PinnedResolution): boolean =>
  a.resolutionBps === b.resolutionBps &&
  a.resolvedAt === b.resolvedAt &&
  a.decision?.by === b.decision?.by &&
  a.decision?.reason === b.decision?.reason

function alreadyResolved({ seriesId, resolutionBps, meta, decision }: PinnedResolution): RfqError {
  const how = decision === null ? `by ${meta.method}` : `by ${decision.by}`
  const detail = `The series is already resolved at ${resolutionBps} hundredths of a dollar, ${how}.`
  return new RfqError('already_resolved', { detail, data: { seriesId, resolutionBps } })
}
