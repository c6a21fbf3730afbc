import type { ReviewDetails } from '../../client/index.ts'
import { safeText } from '../../domain/safe-text.ts'
import { utcText } from '../../domain/utc-text.ts'
import { type SeriesRow, seriesJson, seriesWords } from '../show/series-listing.ts'
import { duration, plural, resolution, when } from '../terminal/format.ts'

/** Why a series waits for a person, in words; an unknown reason is shown as it is. */
export const reasonWords = (reason: string): string => REASONS[reason] ?? safeText(reason)

const REASONS: Readonly<Record<string, string>> = {
  no_price_data: 'no price in the window',
  too_few_points: 'too few prices in the window',
  gap_too_long: 'too long without a price',
}

/** A review for programs: what is known of the prices and the resolution of a series. */
export const reviewJson = (row: SeriesRow, { series: _, review, resolution, ...details }: ReviewDetails) => ({
  type: 'review',
  series: seriesJson(row),
  review: review === null ? null : { reason: review.reason, escalatedAt: isoTime(review.escalatedAt) },
  resolution:
    resolution === null
      ? null
      : {
          resolutionBps: resolution.resolutionBps,
          method: resolution.method,
          resolvedAt: isoTime(resolution.resolvedAt),
          by: resolution.decision?.by ?? null,
          reason: resolution.decision?.reason ?? null,
        },
  ...details,
})

/** A review for people, as facts. `now` is Unix milliseconds. */
export function reviewFacts(row: SeriesRow, details: ReviewDetails, now: number): [name: string, value: string][] {
  const { review, windowStart, windowEnd, twap, maxGapS, pointCount, sourceAvailable } = details
  const average = twap === null ? 'no price' : `${twap.toFixed(4)} over ${plural(pointCount, 'point')}`
  const gap = maxGapS === null ? '' : `, at most ${duration(maxGapS * 1_000)} without one`
  return [
    ['series', seriesWords(row)],
    ['window', `${utcText(windowStart * 1_000)} to ${utcText(windowEnd * 1_000)} (${when(windowEnd * 1_000, now)})`],
    ['average', `${average}${gap}${sourceAvailable ? '' : '; the source does not answer'}`],
    ['review', review === null ? 'none' : `${reasonWords(review.reason)}, since ${utcText(review.escalatedAt)}`],
    ['resolution', resolutionWords(details)],
    ['seriesId', row.seriesId],
  ]
}

function resolutionWords({ resolution: resolved }: ReviewDetails): string {
  if (resolved === null) return 'none yet'
  const { resolutionBps, method, decision } = resolved
  const how = decision === null ? method : `by ${safeText(decision.by)}: ${safeText(decision.reason)}`
  return `${resolution(resolutionBps)} (${how})`
}

const isoTime = (ms: number): string => new Date(ms).toISOString()
