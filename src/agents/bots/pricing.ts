import { usd6ToNumber } from '@rfqctl/protocol/domain/decimal'
import { floorOf, legsOf, type Option, type VanillaOption } from '@rfqctl/protocol/domain/option'
import { probit } from './normal.ts'

/** `spot` is dollars, 0..1; `volatility` the probit diffusion's, per square root of a year; `years` until expiry. */
export type PricingInput = { spot: number; volatility: number; years: number }

export const YEAR_MS = 365 * 24 * 60 * 60 * 1_000

/** A trapezoid in this step is exact to about 1e-13 on the smooth integrands below. */
const STEP = 1 / 16
const NODES = Array.from({ length: 97 }, (_, i) => (i - 48) * STEP)

/** Below this variance an option has no time value that a double beside its price could show. */
const NO_VARIANCE = 1e-36

/**
 * The value of a European option on the YES price, in dollars per option.
 *
 * The YES price is a martingale in (0, 1), the probit diffusion dP = volatility x phi(probit(P)) dW: the fair odds of an
 * event decided by the sign of a Brownian motion, its clock changed so that information flows evenly. Given P now, the
 * price after `years` is Phi((probit(P) + r Z) / sqrt(1 - r^2)) with r^2 = 1 - exp(-volatility^2 years) and Z normal.
 * The value is intrinsic value plus time value (Tanaka's formula), so that a call less a put is spot less strike exactly. Expectations
 * add: a package is worth what its legs are worth, less its floor.
 *
 * @see N. N. Taleb, "Election predictions as martingales: an arbitrage approach", Quantitative Finance 18(1), 2018
 * @see O. Vasicek, "The distribution of loan portfolio value", Risk 15, 2002, for the law of the later price
 */
export function optionValue(option: Option, input: PricingInput): number {
  const sum = legsOf(option).reduce((total, leg) => total + leg.quantity * legValue(leg, input), 0)
  return Math.max(0, sum - usd6ToNumber(floorOf(option)))
}

function legValue({ optionType, strikeBps }: VanillaOption, { spot, volatility, years }: PricingInput): number {
  const strike = strikeBps / 10_000
  const intrinsic = Math.max(0, optionType === 'call' ? spot - strike : strike - spot)
  return intrinsic + timeValue({ strike, spot, variance: volatility ** 2 * years })
}

/** The spot moves this far either way for the difference: small beside a tick, large beside a double's noise. */
const BUMP = 1e-5

/** An option's delta: the YES tokens that hedge one option sold, -1..1, by central difference. */
export function optionDelta(option: Option, input: PricingInput): number {
  const up = Math.min(1, input.spot + BUMP)
  const down = Math.max(0, input.spot - BUMP)
  return (optionValue(option, { ...input, spot: up }) - optionValue(option, { ...input, spot: down })) / (up - down)
}

/**
 * The value beyond intrinsic, the same for call and put: half the expected local time of the price at the strike,
 * (1 / 2 pi) x the integral over 0..asin(r) of exp(-(a^2 + k^2 - 2 a k cos x) / (2 sin^2 x)) dx, with a and k the probits
 * of spot and strike. All terms are positive and at most one, so nothing cancels and nothing overflows; the substitution
 * (H. Takahasi, M. Mori, 1974) crowds the nodes at 0, where the integrand bends when spot and strike nearly meet.
 */
function timeValue({ strike, spot, variance }: { strike: number; spot: number; variance: number }): number {
  if (variance < NO_VARIANCE || spot <= 0 || spot >= 1 || strike <= 0 || strike >= 1) return 0
  const a = probit(spot)
  const k = probit(strike)
  const end = Math.asin(Math.sqrt(-Math.expm1(-variance)))
  let sum = 0
  for (const node of NODES) {
    const q = Math.exp(-Math.PI * Math.sinh(node))
    const x = end / (1 + q)
    const exponent = (a - k) ** 2 / (2 * Math.sin(x) ** 2) + (a * k) / (1 + Math.cos(x))
    sum += ((Math.cosh(node) * q) / (1 + q) ** 2) * Math.exp(-exponent)
  }
  return (sum * STEP * Math.PI * end) / (2 * Math.PI)
}
