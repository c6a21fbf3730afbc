import type { OptionType } from '../../../src/protocol/domain/option.ts'
import { multiply, positivePart, type Rational, rational, subtract } from './rational.ts'

const strikeOf = (strikeBps: number): Rational => rational(BigInt(strikeBps), 10_000n)

const priceOf = (resolutionBps: number): Rational => rational(BigInt(resolutionBps), 100n)

const ONE_DOLLAR = rational(1n)

/** An amount of dollars in micro-dollars; fails when it is not whole. */
export function exactMicro(dollars: Rational): bigint {
  const { n, d } = multiply(dollars, rational(1_000_000n))
  if (n % d !== 0n) throw new Error(`${n}/${d} is not whole`)
  return n / d
}

/** The spec's max payoff in dollars: 1 - K for a call, K for a put. */
export function maxPayoffDollars(optionType: OptionType, strikeBps: number): Rational {
  return optionType === 'call' ? subtract(ONE_DOLLAR, strikeOf(strikeBps)) : strikeOf(strikeBps)
}

/** The textbook payoff in dollars: max(0, S - K) for a call, max(0, K - S) for a put. */
export function payoffDollars(optionType: OptionType, strikeBps: number, resolutionBps: number): Rational {
  const [s, k] = [priceOf(resolutionBps), strikeOf(strikeBps)]
  return positivePart(optionType === 'call' ? subtract(s, k) : subtract(k, s))
}
