import { mergePoints, type PricePoint, twapOf, twapResolutionBps, twapToNumber, twapWindow } from './twap.ts'
import type { ResolutionBps } from './units.ts'

/** The final outcome of a market: the YES token is worth 1 or 0; `closedAt` in Unix seconds, null when not given. */
export type FinalOutcome = { yesPrice: 0 | 1; closedAt: number | null }

/** The figures behind a resolution. */
export type ResolutionMeta = {
  /** `twap` is the average over the last half-hour, `manual` by a person. */
  method: 'outcome' | 'twap' | 'manual'
  /** The average price of the YES token, dollars. */
  twap: number
  /** Number of prices in the average. */
  pointCount: number
  /** Price before rounding, dollars. */
  yesPrice: number
  /** Start of the half-hour, Unix seconds. */
  windowStart: number
  /** The expiry, Unix seconds. */
  windowEnd: number
  /** Longest time in seconds without a point, for an average only; older relays do not say it. */
  maxGapS?: number
}

/** A resolution price with the figures behind it. */
export type Resolution = { resolutionBps: ResolutionBps; meta: ResolutionMeta }

/** A resolution, or the reason that a person must look: no usable price, too few, or too long without one (decision S1). */
export type ResolutionDecision =
  | ({ kind: 'resolved' } & Resolution)
  | { kind: 'review'; reason: 'no_price_data' | 'too_few_points' | 'gap_too_long' }

/** Limits within which a TWAP is trusted: the fewest points, and the most seconds without a point (null: any). */
export type TwapLimits = { minPoints: number; maxGapS: number | null }

/**
 * The resolution waterfall: a final outcome that closed by expiry, else the TWAP of the window, else manual review
 * (decisions S2, S3).
 */
export function resolveSeries(input: {
  expiry: number
  outcome: FinalOutcome | null
  recorded: readonly PricePoint[]
  fetched: readonly PricePoint[]
  limits: TwapLimits
}): ResolutionDecision {
  const { expiry, outcome, recorded, fetched, limits } = input
  const window = twapWindow(expiry)
  if (outcome !== null && (outcome.closedAt === null || outcome.closedAt <= expiry)) {
    const { yesPrice } = outcome
    const resolutionBps = (yesPrice * 100) as ResolutionBps
    return {
      kind: 'resolved',
      resolutionBps,
      meta: { method: 'outcome', twap: yesPrice, pointCount: 0, yesPrice, ...window },
    }
  }
  const twap = twapOf(mergePoints(recorded, fetched), window)
  if (twap === null) return { kind: 'review', reason: 'no_price_data' }
  if (twap.pointCount < limits.minPoints) return { kind: 'review', reason: 'too_few_points' }
  if (limits.maxGapS !== null && twap.maxGapS > limits.maxGapS) return { kind: 'review', reason: 'gap_too_long' }
  const average = twapToNumber(twap)
  const { pointCount, maxGapS } = twap
  return {
    kind: 'resolved',
    resolutionBps: twapResolutionBps(twap),
    meta: { method: 'twap', twap: average, pointCount, yesPrice: average, ...window, maxGapS },
  }
}

/** An operator's decision in the shape of a resolution (decision S2). */
export function manualResolution(resolutionBps: ResolutionBps, expiry: number): Resolution {
  const yesPrice = resolutionBps / 100
  return { resolutionBps, meta: { method: 'manual', twap: yesPrice, pointCount: 0, yesPrice, ...twapWindow(expiry) } }
}
