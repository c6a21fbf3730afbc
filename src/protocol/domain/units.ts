declare const unit: unique symbol
type Unit<Value, Name extends string> = Value & { readonly [unit]: Name }

/** Hex text with its 0x prefix. */
export type Hex = `0x${string}`

/** An EVM address in its checksummed form. */
export type Address = Hex

/** Micro-dollars: the stablecoin has 6 decimals. */
export type Usd6 = Unit<bigint, 'Usd6'>

/** Whole options; an ERC-1155 position has no decimals. */
export type Contracts = Unit<bigint, 'Contracts'>

/** A strike in hundredths of a percent of $1, an integer 1..9999 (decision U3). */
export type StrikeBps = Unit<number, 'StrikeBps'>

/** A resolution price in hundredths of $1, an integer 0..100; in spite of its name not on the scale of a strike (decision U3). */
export type ResolutionBps = Unit<number, 'ResolutionBps'>

/** One dollar, which is also what a call and a put of the same strike can pay together. */
export const ONE_USD = 1_000_000n as Usd6

/**
 * Names a bigint as micro-dollars.
 * @param micro - One dollar is 1_000_000n.
 * @returns The same number.
 * @example
 * import { usd6 } from 'rfqctl/client'
 *
 * const budget = usd6(100_000_000n) // $100
 */
export const usd6 = (micro: bigint): Usd6 => micro as Usd6

/**
 * Names a bigint as a count of whole options.
 * @param count - The number of options.
 * @returns The same number.
 * @example
 * import { contracts } from 'rfqctl/client'
 *
 * const size = contracts(500n)
 */
export const contracts = (count: bigint): Contracts => count as Contracts

/** Says whether a number can be a strike: an integer 1..9999 (decision U3). */
export const isStrikeBps = (value: number): value is StrikeBps =>
  Number.isInteger(value) && value >= 1 && value <= 9_999

/** Says whether a number can be a resolution price: an integer 0..100 (decision U3). */
export const isResolutionBps = (value: number): value is ResolutionBps =>
  Number.isInteger(value) && value >= 0 && value <= 100
