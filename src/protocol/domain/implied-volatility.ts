import { legsOf, type Option } from './option.ts'
import { fairValue, greeks, type PricingInput } from './pricing.ts'

/** Prices nearer than this, in dollars, are one price: a double shows no less beside a dollar. */
const SAME_PRICE = 1e-15

/**
 * Volatilities times the square root of the years, from no time value to the most of it. Vega changes its sign at most once
 * between two of them, but for packages whose value hardly moves there.
 */
const DEVIATIONS = Array.from({ length: 475 }, (_, i) => 1e-18 * 1.1 ** i)

/** An interval whose ends differ by less than this factor is nearly straight. */
const NARROW = 1.05

/** A search has been seen to take at most half of these steps. */
const MOST_STEPS = 64

/**
 * The volatility at which an option is worth a price: the inverse of `computeFairValue`.
 *
 * The value of a call, a put or a package without sold legs rises with volatility: at most one volatility gives a price. The
 * value of a package with sold legs may rise and fall, and several volatilities may give a price: the lowest is returned.
 * @param option - The option; a request's option or a series is also accepted.
 * @param input.price - The price of one option, in dollars.
 * @param input.spot - The price of the YES token in dollars, 0..1.
 * @param input.years - The time until expiry in years of 365 days.
 * @returns The volatility per square root of a year, as exact as a double shows it beside the price: to 1e-9 where vega is
 * above 1e-8. Null where no volatility above 0 gives the price, and where the price is within 1e-15 of a value that shows none: that
 * of no volatility, that of an endless one, and those at which the value of a package turns.
 * @example
 * import { computeImpliedVolatility, type StrikeBps } from 'rfqctl/client'
 *
 * const call = { optionType: 'call' as const, strikeBps: 4_500 as StrikeBps }
 * computeImpliedVolatility(call, { price: 0.05, spot: 0.45, years: 30 / 365 }) // 1.114
 */
export function impliedVolatility(
  option: Option,
  input: { price: number; spot: number; years: number },
): number | null {
  const { price, spot, years } = input
  const rootYears = Math.sqrt(years)
  const inputAt = (deviation: number): PricingInput => ({ spot, volatility: deviation / rootYears, years })
  const excessAt = (deviation: number): number => fairValue(option, inputAt(deviation)) - price
  const slopeAt = (deviation: number): number => greeks(option, inputAt(deviation)).vega
  const turns = legsOf(option).some(({ quantity }) => quantity < 0) ? crossingsOf(slopeAt) : []
  const found = intervalsOf([DEVIATIONS[0], ...turns, DEVIATIONS.at(-1)] as number[]).find(([low, high]) => {
    const [atLow, atHigh] = [excessAt(low), excessAt(high)]
    return Math.min(Math.abs(atLow), Math.abs(atHigh)) > SAME_PRICE && atLow > 0 !== atHigh > 0
  })
  return found === undefined ? null : crossingOf(excessAt, found) / rootYears
}

type Interval = readonly [low: number, high: number]

const intervalsOf = (ends: readonly number[]): Interval[] =>
  ends.slice(1).map((high, i) => [ends[i] as number, high] as const)

/** The deviations at which a function changes its sign. */
function crossingsOf(f: (deviation: number) => number): number[] {
  const signs = new Map(DEVIATIONS.map((deviation) => [deviation, Math.sign(f(deviation))]))
  return intervalsOf(DEVIATIONS)
    .filter(([low, high]) => (signs.get(low) as number) * (signs.get(high) as number) < 0)
    .map((interval) => crossingOf(f, interval))
}

/**
 * Halves by geometric means, since the deviations span many powers of ten, then by secants, where the end that stays counts half (the
 * Illinois method): some 18 values in place of 64.
 */
function crossingOf(f: (deviation: number) => number, [low, high]: Interval): number {
  let [below, above] = [low, high]
  let [atBelow, atAbove] = [f(low), f(high)]
  let replaced: 'below' | 'above' | null = null
  let last = 0
  for (let step = 1; ; step += 1) {
    const isNarrow = above < below * NARROW
    const secant = below + ((above - below) * atBelow) / (atBelow - atAbove)
    const next = isNarrow && secant > below && secant < above ? secant : Math.sqrt(below * above)
    const value = f(next)
    const isFound = value === 0 || Math.abs(next - last) <= next * Number.EPSILON
    if (isFound || step === MOST_STEPS) return next
    last = next
    if (value > 0 === atBelow > 0) {
      if (isNarrow && replaced === 'below') atAbove /= 2
      ;[below, atBelow] = [next, value]
      replaced = 'below'
    } else {
      if (isNarrow && replaced === 'above') atBelow /= 2
      ;[above, atAbove] = [next, value]
      replaced = 'above'
    }
  }
}
