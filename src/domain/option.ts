import { type Contracts, type ResolutionBps, type StrikeBps, type Usd6, usd6 } from './units.ts'

/** A European option on the YES outcome. */
export type OptionType = 'call' | 'put'

/**
 * What an option can pay at most: 1 - K for a call, K for a put.
 * @param optionType - Call or put.
 * @param strikeBps - The strike K, in hundredths of a percent of $1.
 * @returns Micro-dollars per option.
 * @example
 * ```ts
 * import { computeMaxPayoff, type StrikeBps } from 'rfqctl/client'
 *
 * computeMaxPayoff('call', 4_500 as StrikeBps) // 550_000n
 * ```
 */
export function maxPayoff(optionType: OptionType, strikeBps: StrikeBps): Usd6 {
  return usd6(BigInt(optionType === 'call' ? 10_000 - strikeBps : strikeBps) * 100n)
}

/** What one option would pay at a price of the YES token, both in micro-dollars. */
export function intrinsicValue(optionType: OptionType, strikeBps: StrikeBps, price: Usd6): Usd6 {
  const aboveStrike = price - BigInt(strikeBps) * 100n
  const intrinsic = optionType === 'call' ? aboveStrike : -aboveStrike
  return usd6(intrinsic > 0n ? intrinsic : 0n)
}

/**
 * What one option pays at a resolution price (decision U3: the two scales differ by 100).
 * @param optionType - Call or put.
 * @param strikeBps - The strike, in hundredths of a percent of $1.
 * @param resolutionBps - The resolution price, in hundredths of $1.
 * @returns Micro-dollars per option.
 * @example
 * ```ts
 * import { computePayoff, type ResolutionBps, type StrikeBps } from 'rfqctl/client'
 *
 * computePayoff('call', 4_500 as StrikeBps, 62 as ResolutionBps) // 170_000n
 * ```
 */
export const payoff = (optionType: OptionType, strikeBps: StrikeBps, resolutionBps: ResolutionBps): Usd6 =>
  intrinsicValue(optionType, strikeBps, usd6(BigInt(resolutionBps) * 10_000n))

/**
 * What the writer of some options locks: the most that they can pay.
 * @param optionType - Calls or puts.
 * @param strikeBps - The strike, in hundredths of a percent of $1.
 * @param amount - How many options.
 * @returns Micro-dollars.
 * @example
 * ```ts
 * import { computeCollateral, contracts, type StrikeBps } from 'rfqctl/client'
 *
 * computeCollateral('put', 4_500 as StrikeBps, contracts(200n)) // 90_000_000n
 * ```
 */
export function collateral(optionType: OptionType, strikeBps: StrikeBps, amount: Contracts): Usd6 {
  return usd6(maxPayoff(optionType, strikeBps) * amount)
}
