import type { Resolution, ResolutionMeta } from './resolution.ts'
import type { ListedSeries, SeriesId } from './series.ts'
import type { PricePoint, TwapWindow } from './twap.ts'
import type { ResolutionBps } from './units.ts'

/** Resolution of a series. */
export type ResolvedSeries = {
  resolutionBps: ResolutionBps
  method: ResolutionMeta['method']
  /** Time, Unix milliseconds. */
  resolvedAt: number
  /** Person who decided, if one did. */
  decision: { by: string; reason: string } | null
}

/** A series that waits for a person. */
export type ReviewItem = TwapWindow & {
  series: ListedSeries
  /** `no_price_data`, `too_few_points` or `gap_too_long`. */
  reason: string
  /** Start of the wait, Unix milliseconds. */
  escalatedAt: number
}

/** All that is known of the prices and the resolution of a series. */
export type ReviewDetails = TwapWindow & {
  series: ListedSeries
  /** Why and since when (`escalatedAt`, Unix milliseconds) it waits for a person; null where it does not. */
  review: { reason: string; escalatedAt: number } | null
  /** Its resolution; null while it is open. */
  resolution: ResolvedSeries | null
  /** Whether the price source could be asked. */
  sourceAvailable: boolean
  /** Prices of the half-hour, recorded then or fetched later. */
  points: readonly (PricePoint & { origin: 'recorded' | 'fetched' })[]
  /** Number of them that count. */
  pointCount: number
  /** The longest time without a price, seconds; null where there is no average. */
  maxGapS: number | null
  /** The average over the points of both origins, dollars; null where there is none. */
  twap: number | null
}

/** Prices of the half-hour before the expiry of a series, which settle it. */
export type WindowPrices = TwapWindow & {
  seriesId: SeriesId
  /** In the order of time; of more than a thousand, an even selection with the first and the last. */
  points: readonly PricePoint[]
  /** Average of all so far, dollars; null while there is none. */
  twap: number | null
  /** Null until the series is resolved. */
  resolutionBps: ResolutionBps | null
  /** Null while it is open, and where only the chain has the resolution. */
  method: ResolutionMeta['method'] | null
}

/** A person's decision. */
export type ReviewDecision = {
  resolutionBps: ResolutionBps
  by: string
  reason: string
}

/** A resolution as it is shown. */
export function resolvedSeries(stored: Resolution & Pick<ResolvedSeries, 'resolvedAt' | 'decision'>): ResolvedSeries {
  const { resolutionBps, meta, resolvedAt, decision } = stored
  return { resolutionBps, method: meta.method, resolvedAt, decision }
}

/** Prices of both origins in the order of time; where both have the same time, the recorded one counts (decision S3). */
export function labelPoints(
  recorded: readonly PricePoint[],
  fetched: readonly PricePoint[],
): ReviewDetails['points'][number][] {
  const byTime = new Map<number, ReviewDetails['points'][number]>()
  for (const { t, p } of fetched) byTime.set(t, { t, p, origin: 'fetched' })
  for (const { t, p } of recorded) byTime.set(t, { t, p, origin: 'recorded' })
  return [...byTime.values()].sort((a, b) => a.t - b.t)
}
