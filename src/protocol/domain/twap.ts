import { toFixedPoint } from './decimal.ts'
import type { ResolutionBps } from './units.ts'

/** A price of the YES token. */
export type PricePoint = {
  /** Time, Unix seconds. */
  t: number
  /** The price in dollars, 0 to 1. */
  p: number
}

/** The half-hour before expiry, ends included. */
export type TwapWindow = {
  /** Start, Unix seconds. */
  windowStart: number
  /** The expiry, Unix seconds. */
  windowEnd: number
}

/**
 * An exact average: `numerator / denominator` dollars in units of 10^-18, the points used, those dropped as unusable,
 * and the longest time in seconds without a point.
 */
export type Twap = { numerator: bigint; denominator: bigint; pointCount: number; dropped: number; maxGapS: number }

/** Length of the window of an average, in seconds. */
export const TWAP_WINDOW_S = 1_800

/** Doubles in [0, 1] that differ by less than this never matter to a price in hundredths. */
const PRICE_DECIMALS = 18
const ONE = 10n ** BigInt(PRICE_DECIMALS)

/** The most points of a window that are shown. */
const MAX_SHOWN_POINTS = 1_000

/** Points in the order of time, without those that cannot be a price; of points in the same second, the last one wins. */
export function inOrder(points: readonly PricePoint[]): PricePoint[] {
  const priceAt = new Map(points.filter(isUsable).map(({ t, p }) => [t, p]))
  return [...priceAt].map(([t, p]) => ({ t, p })).sort((a, b) => a.t - b.t)
}

/** Points in order; of more than a thousand, a thousand are selected evenly by their number, with the first and the last. */
export function shownPoints(points: readonly PricePoint[]): PricePoint[] {
  const all = inOrder(points)
  if (all.length <= MAX_SHOWN_POINTS) return all
  const step = (all.length - 1) / (MAX_SHOWN_POINTS - 1)
  return Array.from({ length: MAX_SHOWN_POINTS }, (_, i) => all[Math.round(i * step)] as PricePoint)
}

/** The window of a series, always the 30 minutes ending at expiry (decision S2). */
export const twapWindow = (expiry: number): TwapWindow => ({ windowStart: expiry - TWAP_WINDOW_S, windowEnd: expiry })

/** Recorded and fetched points as one list; where both have a time, the recorded one wins (decision S3). */
export function mergePoints(recorded: readonly PricePoint[], fetched: readonly PricePoint[]): PricePoint[] {
  return [...fetched, ...recorded]
}

/**
 * The time-weighted average price over a window, exact; null when no usable point lies in it.
 * Each price holds until the next point and the last until the end; the average starts at the first point; with no time
 * at all it is the last point's price. Order does not matter, of equal times the last wins (decision S3).
 */
export function twapOf(points: readonly PricePoint[], { windowStart, windowEnd }: TwapWindow): Twap | null {
  const usable = points.filter(isUsable)
  const priceAt = new Map<number, bigint>()
  for (const { t, p } of usable) {
    if (t >= windowStart && t <= windowEnd) priceAt.set(t, toFixedPoint(p, PRICE_DECIMALS, 'half-up') as bigint)
  }
  const times = [...priceAt.keys()].sort((a, b) => a - b)
  const first = times[0]
  if (first === undefined) return null
  const counts = { pointCount: times.length, dropped: points.length - usable.length }
  const ends = [...times.slice(1), windowEnd]
  const maxGapS = Math.max(first - windowStart, ...times.map((t, i) => (ends[i] as number) - t))
  if (first === windowEnd) return { numerator: priceAt.get(first) as bigint, denominator: 1n, ...counts, maxGapS }
  const numerator = times.reduce((sum, t, i) => sum + (priceAt.get(t) as bigint) * BigInt((ends[i] as number) - t), 0n)
  return { numerator, denominator: BigInt(windowEnd - first), ...counts, maxGapS }
}

/** The average rounded to a resolution price, halves up (decision S3). */
export function twapResolutionBps({ numerator, denominator }: Pick<Twap, 'numerator' | 'denominator'>): ResolutionBps {
  const scale = denominator * ONE
  return Number((numerator * 200n + scale) / (scale * 2n)) as ResolutionBps
}

/** The average as a JSON number of dollars, for people; rounded half up to 12 decimals. */
export function twapToNumber({ numerator, denominator }: Pick<Twap, 'numerator' | 'denominator'>): number {
  const scale = denominator * 10n ** 6n
  return Number((numerator * 2n + scale) / (scale * 2n)) / 1e12
}

const isUsable = ({ t, p }: PricePoint): boolean => Number.isSafeInteger(t) && Number.isFinite(p) && p >= 0 && p <= 1
