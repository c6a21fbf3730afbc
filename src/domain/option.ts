import { type Contracts, type ResolutionBps, type StrikeBps, type Usd6, usd6 } from './units.ts'

/** A European option on the YES outcome. */
export type OptionType = 'call' | 'put'

/** What an option can pay at most, in micro-dollars per option: 1 - K for a call, K for a put. */
export function maxPayoff(optionType: OptionType, strikeBps: StrikeBps): Usd6 {
  return usd6(BigInt(optionType === 'call' ? 10_000 - strikeBps : strikeBps) * 100n)
}

/** What one option would pay at a price of the YES token, both in micro-dollars. */
export function intrinsicValue(optionType: OptionType, strikeBps: StrikeBps, price: Usd6): Usd6 {
  const aboveStrike = price - BigInt(strikeBps) * 100n
  const intrinsic = optionType === 'call' ? aboveStrike : -aboveStrike
  return usd6(intrinsic > 0n ? intrinsic : 0n)
}

/** What one option pays at a resolution price, in micro-dollars (decision U3: the two scales differ by 100). */
export const payoff = (optionType: OptionType, strikeBps: StrikeBps, resolutionBps: ResolutionBps): Usd6 =>
  intrinsicValue(optionType, strikeBps, usd6(BigInt(resolutionBps) * 10_000n))

/** What the writer of `amount` options locks, in micro-dollars: the whole max payoff. */
export function collateral(optionType: OptionType, strikeBps: StrikeBps, amount: Contracts): Usd6 {
  return usd6(maxPayoff(optionType, strikeBps) * amount)
}
