import { usd6ToNumber } from './decimal.ts'
import { impliedVolatility } from './implied-volatility.ts'
import { floorOf, legsOf, type Option, optionOf, type VanillaOption } from './option.ts'
import { fairValue } from './pricing.ts'
import type { SeriesId, SeriesTerms } from './series.ts'
import type { Hex, StrikeBps, Usd6 } from './units.ts'

/** Prices at which a maker would trade a series now, micro-dollars per option: they bind no one. */
export type Level = { seriesId: SeriesId; bid: Usd6; ask: Usd6 }

/** The worth of a series, and its sources; micro-dollars per option. */
export type SeriesMark = SeriesTerms & {
  seriesId: SeriesId
  /** The present price of the YES token in dollars; null where it is not known. */
  yesPrice: number | null
  /** The model's value at the volatility of the surface; null where there is no surface or no YES price. */
  mark: Usd6 | null
  /** The payoff at the present YES price; null without one. */
  intrinsic: Usd6 | null
  /** The surface at its strike, per square root of a year; null of a package, and where there is none. */
  volatility: number | null
  /** The volatility that was seen of this very series; null: none. */
  observed: ObservedVolatility | null
  /** The highest bid and the lowest ask of the levels of `makers`, their number; null: there are none. */
  indicative: { bid: Usd6; ask: Usd6; makers: number } | null
}

/** The volatility that levels and trades show of one series, before it is smoothed. */
export type ObservedVolatility = {
  /** The weighted median, per square root of a year. */
  volatility: number
  /** Number of makers whose levels were seen. */
  makers: number
  /** Number of filled trades that were seen. */
  trades: number
  /** Time of the newest of them, Unix milliseconds. */
  at: number
}

/** The surface of a market. */
export type MarketSurface = {
  conditionId: Hex
  /** Time of the surface, Unix milliseconds. */
  at: number
  /** The open series of the market. */
  series: readonly SeriesMark[]
}

/** Prices of one call or put between which the fair one lies, dollars. */
export type Observation = VanillaOption & {
  bid: number
  ask: number
  /** The YES price at that time, dollars. */
  spot: number
  /** Years from that time until expiry, more than 0. */
  years: number
}

/** A volatility that was observed at a strike; `weight` is 0 or more. */
export type VolatilityPoint = Pick<VanillaOption, 'strikeBps'> & { volatility: number; weight: number }

/** An expiry of one market; `years` from now, more than 0. */
export type Slice = { years: number; points: readonly VolatilityPoint[] }

/** The volatility of one expiry at a strike, per square root of a year. */
export type Smile = (strikeBps: number) => number

/** At this distance of a bound, in the logarithm of the volatility, an observation counts half. */
const HALF_WEIGHT_AT = 0.1

/** Distance of strikes over which what was observed at one counts for another, dollars. */
const BANDWIDTH = 0.05

/** Weight of the assumption that all strikes have one volatility. */
const FLATNESS = 0.25

/** An observed volatility counts as at most this many times that of its expiry, and as at least its inverse. */
const MOST_DEVIATION = Math.log(2)

/** Shares of the deviations between strikes: the first one that is free of arbitrage is taken, else none of them. */
const SHARES = [1, 0.75, 0.5, 0.25]

/** Each cent at which a strike may be, in basis points. */
const STRIKES = Array.from({ length: 99 }, (_, i) => ((i + 1) * 100) as StrikeBps)

/** Dollars; rounding of a double must not be taken for arbitrage. */
const ROUNDING = 1e-12

/**
 * The volatility that a bid and an ask show at their strike: the geometric mean of those that they imply. It counts by how near these are.
 * Null where one of the two implies none: the price of an option that is nearly certain does not depend on it.
 */
export function volatilityPoint({ bid, ask, spot, years, ...option }: Observation): VolatilityPoint | null {
  const low = impliedVolatility(option, { price: bid, spot, years })
  const high = impliedVolatility(option, { price: ask, spot, years })
  if (low === null || high === null) return null
  const doubt = Math.log(high / low) / 2 / HALF_WEIGHT_AT
  return { strikeBps: option.strikeBps, volatility: Math.sqrt(low * high), weight: 1 / (1 + doubt ** 2) }
}

/**
 * The volatilities that the slices of a market show together, at each expiry and strike, without arbitrage at strikes of whole
 * cents: calls never rise with the strike, are convex in it, and never fall with a later expiry.
 *
 * An expiry has the weighted median of its points, so that who names another price than the others moves it little. Total variance is
 * made to rise with time (isotonic regression); expiries without points are interpolated in it. Around that each strike has the mean of
 * the deviations near it, or as large a share of it as leaves no arbitrage: with none, the model is a law of one martingale.
 * @param spot - The present YES price, dollars.
 * @param slices - Ascending by `years`.
 * @returns A smile for each slice, in their order; null where no slice has a point.
 * @see R. E. Barlow et al., Statistical inference under order restrictions, 1972, for the regression
 */
export function fitSurface(spot: number, slices: readonly Slice[]): Smile[] | null {
  const variances = totalVariances(slices)
  if (variances === null) return null
  const fitted = slices.map(({ years, points }, i) => {
    const volatility = Math.sqrt((variances[i] as number) / years)
    return { years, volatility, deviationAt: deviationsOf(points, medianOf(points) ?? volatility) }
  })
  const smilesAt = (share: number) =>
    fitted.map(
      ({ volatility, deviationAt }): Smile =>
        (strikeBps) =>
          volatility * Math.exp(share * deviationAt(strikeBps)),
    )
  return SHARES.map(smilesAt).find((smiles) => isFreeOfArbitrage(spot, slices, smiles)) ?? smilesAt(0)
}

/**
 * The model's value of an option, each leg at the volatility of its strike.
 * @returns Dollars per option.
 */
export function markOf(option: Option, { spot, years, smile }: { spot: number; years: number; smile: Smile }): number {
  const legs = legsOf(option)
  const sum = legs.reduce(
    (total, leg) => total + leg.quantity * fairValue(optionOf(leg), { spot, years, volatility: smile(leg.strikeBps) }),
    0,
  )
  return Math.max(0, sum - usd6ToNumber(floorOf(option)))
}

/** Variance from now until the expiry of each slice, never less than that of an earlier one; null without any point. */
function totalVariances(slices: readonly Slice[]): number[] | null {
  const seen = slices.flatMap(({ years, points }) => {
    const volatility = medianOf(points)
    return volatility === null ? [] : [{ years, variance: volatility ** 2 * years, weight: weightOf(points) }]
  })
  const rising = isotonic(seen)
  const [first, last] = [rising[0], rising.at(-1)]
  if (first === undefined || last === undefined) return null
  return slices.map(({ years }) => {
    const after = rising.findIndex((one) => one.years >= years)
    if (after === 0) return (first.variance * years) / first.years
    if (after < 0) return (last.variance * years) / last.years
    const [left, right] = [rising[after - 1], rising[after]] as [Variance, Variance]
    return left.variance + ((right.variance - left.variance) * (years - left.years)) / (right.years - left.years)
  })
}

type Variance = { years: number; variance: number; weight: number }

/** The nearest list of variances that never falls, by least squares: neighbours that fall share their mean. */
function isotonic(variances: readonly Variance[]): Variance[] {
  const blocks: { mean: number; weight: number; members: Variance[] }[] = []
  for (const one of variances) {
    let block = { mean: one.variance, weight: one.weight, members: [one] }
    for (let last = blocks.at(-1); last !== undefined && last.mean > block.mean; last = blocks.at(-1)) {
      blocks.pop()
      const weight = last.weight + block.weight
      const mean = (last.mean * last.weight + block.mean * block.weight) / weight
      block = { mean, weight, members: [...last.members, ...block.members] }
    }
    blocks.push(block)
  }
  return blocks.flatMap(({ mean, members }) => members.map((one) => ({ ...one, variance: mean })))
}

/** The weighted median: half of the weight is at this volatility or below; null without a point. */
export function medianOf(points: readonly VolatilityPoint[]): number | null {
  const half = weightOf(points) / 2
  let sum = 0
  for (const { volatility, weight } of points.toSorted((a, b) => a.volatility - b.volatility)) {
    sum += weight
    if (sum >= half) return volatility
  }
  return null
}

const weightOf = (points: readonly VolatilityPoint[]): number => points.reduce((sum, { weight }) => sum + weight, 0)

/** The logarithm of the volatility at a strike over that of its expiry: the mean of those near it, 0 where there is none. */
function deviationsOf(points: readonly VolatilityPoint[], volatility: number): Smile {
  const seen = points.map((point) => {
    const deviation = Math.log(point.volatility / volatility)
    return { ...point, deviation: Math.min(MOST_DEVIATION, Math.max(-MOST_DEVIATION, deviation)) }
  })
  return (strikeBps) => {
    let [sum, weights] = [0, FLATNESS]
    for (const point of seen) {
      const distance = (point.strikeBps - strikeBps) / 10_000 / BANDWIDTH
      const weight = point.weight * Math.exp(-(distance ** 2) / 2)
      sum += weight * point.deviation
      weights += weight
    }
    return sum / weights
  }
}

function isFreeOfArbitrage(spot: number, slices: readonly Slice[], smiles: readonly Smile[]): boolean {
  let before: readonly number[] | null = null
  for (const [i, { years }] of slices.entries()) {
    const smile = smiles[i] as Smile
    const calls = [
      spot,
      ...STRIKES.map((strikeBps) => markOf({ optionType: 'call', strikeBps }, { spot, years, smile })),
      0,
    ]
    const isConvex = calls.every((value, k) => {
      const [left, right] = [calls[k - 1], calls[k + 1]]
      return left === undefined || right === undefined || left + right - 2 * value >= -ROUNDING
    })
    // Convex calls that end at 0 fall, too.
    if (!isConvex || before?.some((earlier, k) => (calls[k] as number) < earlier - ROUNDING)) return false
    before = calls
  }
  return true
}
