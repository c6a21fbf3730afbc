import { usd6ToNumber } from './decimal.ts'
import { normalDistribution, probit } from './normal.ts'
import { floorOf, legsOf, type Option, type VanillaOption } from './option.ts'

/** The present of a market, and what is assumed of its future. */
export type PricingInput = {
  /** The price of the YES token in dollars, 0..1. */
  spot: number
  /** The probit diffusion's volatility per square root of a year, 0 or more; 1 is 100 %. */
  volatility: number
  /** The time until expiry in years of 365 days, 0 or more. */
  years: number
}

/** The sensitivities of an option's fair value. */
export type Greeks = {
  /** Dollars per dollar of spot, which is the number of YES tokens that hedge one option sold; -1..1 for a call or put. */
  delta: number
  /** The change of delta for $1 of spot. */
  gamma: number
  /** Dollars for 1 percentage point of volatility. */
  vega: number
  /** Dollars for 24 hours that pass, below 0 for a call or put. */
  theta: number
}

const DAYS_PER_YEAR = 365

export const YEAR_MS = DAYS_PER_YEAR * 24 * 60 * 60 * 1_000

/** A trapezoid in this step is exact to about 1e-15. */
const STEP = 1 / 8

/**
 * The nodes of an integral over 0..end, at end / divisor each, from the end downwards. The substitution crowds them doubly
 * exponentially at the end, and exponentially at 0: the integrand below has an edge there when spot and strike nearly meet,
 * as near to 0 as they to each other, and it takes as many nodes at any distance.
 * @see H. Takahasi, M. Mori, "Double exponential formulas for numerical integration", Publ. RIMS 9, 1974
 */
const NODES = Array.from({ length: 351 }, (_, i) => {
  const node = (30 - i) * STEP
  const q = Math.exp(-node - Math.exp(node))
  return { divisor: 1 + q, weight: ((1 + Math.exp(node)) * q) / (1 + q) ** 2 }
})

/** A term that is smaller beside the sum changes nothing in it, nor do those after it. */
const NEGLIGIBLE = 1e-17

/** Below this variance an option has no time value that a double beside its price could show. */
const NO_VARIANCE = 1e-36

/**
 * The fair value of a European option on the YES price.
 *
 * The YES price is a martingale in (0, 1), the probit diffusion dP = volatility x phi(probit(P)) dW: the fair odds of an
 * event decided by the sign of a Brownian motion, its clock changed so that information flows evenly. Given P now, the
 * price after `years` is Phi((probit(P) + r Z) / sqrt(1 - r^2)) with r^2 = 1 - exp(-volatility^2 years) and Z normal.
 * The value is intrinsic value plus time value (Tanaka's formula), so that a call less a put is spot less strike exactly. Expectations
 * add: a package is worth what its legs are worth, less its floor.
 * @see N. N. Taleb, "Election predictions as martingales: an arbitrage approach", Quantitative Finance 18(1), 2018
 * @see O. Vasicek, "The distribution of loan portfolio value", Risk 15, 2002, for the law of the later price
 * @param option - The option; a request's option or a series is also accepted.
 * @param input - The present of its market, and the volatility.
 * @returns Dollars per option, exact to about 1e-15.
 * @example
 * import { computeFairValue, type StrikeBps } from 'rfqctl/client'
 *
 * const call = { optionType: 'call' as const, strikeBps: 4_500 as StrikeBps }
 * computeFairValue(call, { spot: 0.45, volatility: 1, years: 30 / 365 }) // 0.04496
 */
export function fairValue(option: Option, input: PricingInput): number {
  const sum = legsOf(option).reduce((total, leg) => total + leg.quantity * legValue(leg, input), 0)
  return Math.max(0, sum - usd6ToNumber(floorOf(option)))
}

function legValue(leg: VanillaOption, input: PricingInput): number {
  const strike = strikeOf(leg)
  const intrinsic = Math.max(0, leg.optionType === 'call' ? input.spot - strike : strike - input.spot)
  const at = diffusionAt(strike, input)
  return intrinsic + (at === null ? 0 : timeValue(at))
}

const strikeOf = ({ strikeBps }: VanillaOption): number => strikeBps / 10_000

/** Probits of spot and strike, and the angle whose sine is r and whose cosine is sqrt(1 - r^2). */
type Diffusion = { a: number; k: number; angle: number }

/** Null where the price can no longer move, or not by as much as a double shows. */
function diffusionAt(strike: number, { spot, volatility, years }: PricingInput): Diffusion | null {
  const variance = volatility ** 2 * years
  if (!(variance >= NO_VARIANCE) || spot <= 0 || spot >= 1) return null
  return { a: probit(spot), k: probit(strike), angle: Math.atan(Math.sqrt(Math.expm1(variance))) }
}

/**
 * The value beyond intrinsic, the same for call and put: half the expected local time of the price at the strike,
 * the integral of the density below over 0..angle. All terms are positive and at most one, so nothing cancels and nothing
 * overflows.
 */
function timeValue({ a, k, angle }: Diffusion): number {
  let sum = 0
  for (const { divisor, weight } of NODES) {
    const term = weight * Math.exp(-exponent({ a, k, angle: angle / divisor }))
    sum += term
    if (term < sum * NEGLIGIBLE) break
  }
  return (sum * STEP * angle) / (2 * Math.PI)
}

/** (a^2 + k^2 - 2 a k cos x) / (2 sin^2 x), of which exp(-exponent) / 2 pi is the bivariate normal density. */
const exponent = ({ a, k, angle }: Diffusion): number =>
  (a - k) ** 2 / (2 * Math.sin(angle) ** 2) + (a * k) / (1 + Math.cos(angle))

/**
 * The sensitivities of an option's fair value, in closed form. Where the price can no longer move (`years`, `volatility` or
 * `spot` at an end), delta is the slope of the payoff and the others are 0.
 * @param option - The option; a request's option or a series is also accepted.
 * @param input - The present of its market, and the volatility.
 * @returns Per option: delta in YES tokens, gamma in delta per dollar, vega in dollars per percentage point, theta in dollars
 * per day.
 * @example
 * import { computeGreeks, type StrikeBps } from 'rfqctl/client'
 *
 * const call = { optionType: 'call' as const, strikeBps: 4_500 as StrikeBps }
 * const { delta } = computeGreeks(call, { spot: 0.45, volatility: 1, years: 30 / 365 }) // 0.5072
 */
export function greeks(option: Option, input: PricingInput): Greeks {
  const sum = { delta: 0, gamma: 0, vega: 0, theta: 0 }
  for (const leg of legsOf(option)) {
    const { delta, gamma, vega, theta } = legGreeks(leg, input)
    sum.delta += leg.quantity * delta
    sum.gamma += leg.quantity * gamma
    sum.vega += leg.quantity * vega
    sum.theta += leg.quantity * theta
  }
  return sum
}

function legGreeks(leg: VanillaOption, input: PricingInput): Greeks {
  const { spot, volatility, years } = input
  const strike = strikeOf(leg)
  const ofPut = leg.optionType === 'put' ? 1 : 0
  const at = diffusionAt(strike, input)
  if (at === null) {
    const slope = spot === strike ? 0.5 : spot > strike ? 1 : 0
    return { delta: slope - ofPut, gamma: 0, vega: 0, theta: 0 }
  }
  const { a, k, angle } = at
  // Time value grows by the density with the angle, and the angle by cos / (2 sin) with the variance.
  const perVariance = Math.exp(-exponent(at)) / (4 * Math.PI * Math.tan(angle))
  return {
    delta: normalDistribution((a * Math.cos(angle) - k) / Math.sin(angle)) - ofPut,
    gamma: Math.exp(a ** 2 - exponent(at)) / Math.tan(angle),
    vega: (perVariance * 2 * volatility * years) / 100,
    theta: (-perVariance * volatility ** 2) / DAYS_PER_YEAR,
  }
}
