import { RfqError } from './errors.ts'
import { type Contracts, isStrikeBps, ONE_USD, type ResolutionBps, type StrikeBps, type Usd6, usd6 } from './units.ts'

/** A European option on the YES outcome. */
export type OptionType = 'call' | 'put'

/** A single call or put. */
export type VanillaOption = {
  optionType: OptionType
  /** The strike, in hundredths of a percent of $1. */
  strikeBps: StrikeBps
}

/** Call or put of a package; who buys the package sells one of negative quantity. */
export type Leg = VanillaOption & {
  /** -4..4 in one package, not 0. */
  quantity: number
}

/** Calls and puts of one market and expiry that trade as one, in normal form (decision K1). */
export type PackageOption = {
  /** Two to four, ascending by type and strike. */
  legs: readonly Leg[]
}

/** Payoff rule of a series: from the price that a market resolves at to money. */
export type Option = VanillaOption | PackageOption

/** Fewest and most legs of a package. */
export const MIN_LEGS = 2
export const MAX_LEGS = 4

/** Largest quantity of one leg, of either sign. */
const MAX_QUANTITY = 4

/** Upper bound of any payoff: a package whose legs all pay a dollar as often as they may (decision K3). */
export const MOST_PAYOFF: Usd6 = usd6(ONE_USD * BigInt(MAX_LEGS * MAX_QUANTITY))

/** Whether an option is a package, and not a single call or put. */
export const isPackage = <Some extends Option>(option: Some): option is Extract<Some, PackageOption> => 'legs' in option

/** The option of a series or of a request, without their other fields. */
export function optionOf(option: Option): Option {
  if (!isPackage(option)) return { optionType: option.optionType, strikeBps: option.strikeBps }
  return { legs: option.legs.map(({ optionType, strikeBps, quantity }) => ({ optionType, strikeBps, quantity })) }
}

/** The legs of an option; a single call or put is one of itself. */
export const legsOf = (option: Option): readonly Leg[] =>
  isPackage(option) ? option.legs : [{ ...option, quantity: 1 }]

/** The option type's number on chain: call 0, put 1 (decision U6). */
export const optionTypeNumber = (optionType: OptionType): 0 | 1 => (optionType === 'call' ? 0 : 1)

/**
 * A package of these legs in its normal form (decision K1). Refuses with `invalid_package`: too few or too many legs, the same
 * option twice, quantities of 0, beyond -4..4 or with a common divisor, and a package that pays the same at every resolution.
 */
export function normalPackage(legs: readonly Leg[]): PackageOption {
  if (legs.length < MIN_LEGS || legs.length > MAX_LEGS)
    throw notNormal(`The package has ${legs.length} legs, not 2 to 4.`)
  for (const { quantity } of legs) {
    if (Number.isInteger(quantity) && quantity !== 0 && Math.abs(quantity) <= MAX_QUANTITY) continue
    throw notNormal(`A quantity is ${quantity}, not a whole number from -4 to 4 other than 0.`)
  }
  const sorted = legs.toSorted((a, b) => rankOf(a) - rankOf(b))
  if (sorted.some((leg, i) => i > 0 && rankOf(leg) === rankOf(sorted[i - 1] as Leg))) {
    throw notNormal('The package has the same option twice.')
  }
  const divisor = legs.reduce((common, { quantity }) => divisorOf(common, Math.abs(quantity)), 0)
  if (divisor !== 1) throw notNormal(`All quantities of the package can be divided by ${divisor}.`)
  const option = { legs: sorted }
  if (maxPayoff(option) === 0n) throw notNormal('The package pays the same at every resolution.')
  return option
}

const notNormal = (detail: string) => new RfqError('invalid_package', { detail })

const rankOf = ({ optionType, strikeBps }: VanillaOption): number => optionTypeNumber(optionType) * 10_000 + strikeBps

const divisorOf = (a: number, b: number): number => (b === 0 ? a : divisorOf(b, a % b))

/** Bits of a packed leg, and the offsets of its type and its quantity; its strike is lowest. */
const LEG_BITS = 32n
const [TYPE_SHIFT, QUANTITY_SHIFT] = [16n, 24n]

/** The legs of a package in one word, as the core has them: 32 bits each, the first one lowest (decision K2). */
export const packLegs = (legs: readonly Leg[]): bigint =>
  legs.reduce((word, { optionType, strikeBps, quantity }, i) => {
    const leg = (BigInt(quantity & 0xff) << QUANTITY_SHIFT) | (BigInt(optionTypeNumber(optionType)) << TYPE_SHIFT)
    return word | ((leg | BigInt(strikeBps)) << (BigInt(i) * LEG_BITS))
  }, 0n)

/** The legs of a packed word. Refuses with `invalid_package` a word that is not of a package in its normal form. */
export function unpackLegs(word: bigint): PackageOption {
  const legs: Leg[] = []
  for (let rest = word; rest > 0n; rest >>= LEG_BITS) {
    const strikeBps = Number(rest & 0xffffn)
    const optionType = (rest >> TYPE_SHIFT) & 0xffn
    const quantity = Number(BigInt.asIntN(8, rest >> QUANTITY_SHIFT))
    if (optionType > 1n || !isStrikeBps(strikeBps)) throw notNormal('A leg has no such type or strike.')
    legs.push({ optionType: optionType === 0n ? 'call' : 'put', strikeBps, quantity })
  }
  const option = normalPackage(legs)
  if (packLegs(option.legs) !== word) throw notNormal('The legs of the package are not in order.')
  return option
}

/** Payoff of an option at a resolution, micro-dollars. */
export type Breakpoint = { resolutionBps: ResolutionBps; payoff: Usd6 }

/** Resolutions between which the payoff of an option is a straight line, both ends included, ascending (decision K1). */
export const breakpointsOf = (option: Option): Breakpoint[] =>
  resolutionsOf(option).map((resolutionBps) => ({ resolutionBps, payoff: payoff(option, resolutionBps) }))

/** A strike between two resolutions bends the payoff at both. */
function resolutionsOf(option: Option): ResolutionBps[] {
  const bends = legsOf(option).flatMap(({ strikeBps }) => [Math.floor(strikeBps / 100), Math.ceil(strikeBps / 100)])
  return [...new Set([0, ...bends, 100])].sort((a, b) => a - b) as ResolutionBps[]
}

/** Sum of the legs at a price of the YES token, negative where their holder would pay. */
const sumAt = (legs: readonly Leg[], price: bigint): bigint =>
  legs.reduce((sum, leg) => sum + BigInt(leg.quantity) * intrinsicAt(leg, price), 0n)

function intrinsicAt({ optionType, strikeBps }: VanillaOption, price: bigint): bigint {
  const aboveStrike = price - BigInt(strikeBps) * 100n
  const intrinsic = optionType === 'call' ? aboveStrike : -aboveStrike
  return intrinsic > 0n ? intrinsic : 0n
}

const priceOf = (resolutionBps: number): bigint => BigInt(resolutionBps) * 10_000n

/**
 * The least that the legs of an option come to over all resolutions. A package pays what its legs come to beyond this floor. The
 * floor of a single call or put is 0.
 * @param option - The option; a request's option or a series is also accepted.
 * @returns Micro-dollars, negative where a holder of the legs alone could lose.
 * @example
 * import { computeFloor, type StrikeBps } from 'rfqctl/client'
 *
 * computeFloor({
 *   legs: [
 *     { optionType: 'call', strikeBps: 4_000 as StrikeBps, quantity: -1 },
 *     { optionType: 'call', strikeBps: 6_000 as StrikeBps, quantity: 1 },
 *   ],
 * }) // -200_000n
 */
export const floorOf = (option: Option): Usd6 => usd6(rangeOf(option).least)

function rangeOf(option: Option): { least: bigint; most: bigint } {
  const sums = resolutionsOf(option).map((resolutionBps) => sumAt(legsOf(option), priceOf(resolutionBps)))
  return {
    least: sums.reduce((least, sum) => (sum < least ? sum : least)),
    most: sums.reduce((most, sum) => (sum > most ? sum : most)),
  }
}

/**
 * The most that an option can pay: 1 - K for a call, K for a put, and for a package the most that its legs come to less the
 * least.
 * @param option - The option; a request's option or a series is also accepted.
 * @returns Micro-dollars per option.
 * @example
 * import { computeMaxPayoff, type StrikeBps } from 'rfqctl/client'
 *
 * computeMaxPayoff({ optionType: 'call', strikeBps: 4_500 as StrikeBps }) // 550_000n
 */
export function maxPayoff(option: Option): Usd6 {
  if (isPackage(option)) {
    const { least, most } = rangeOf(option)
    return usd6(most - least)
  }
  const { optionType, strikeBps } = option
  return usd6(BigInt(optionType === 'call' ? 10_000 - strikeBps : strikeBps) * 100n)
}

/**
 * The payoff of one option at a price of the YES token, both in micro-dollars. Between two resolutions the legs of a package may
 * come to less or more than at any of them: it never pays less than nothing, or more than its max payoff.
 */
export function valueAt(option: Option, price: Usd6): Usd6 {
  if (!isPackage(option)) return usd6(intrinsicAt(option, price))
  const { least, most } = rangeOf(option)
  const sum = sumAt(option.legs, price)
  return usd6((sum < least ? least : sum > most ? most : sum) - least)
}

/**
 * The payoff of one option at a resolution price (decision U3: the two scales differ by 100).
 * @param option - The option; a request's option or a series is also accepted.
 * @param resolutionBps - The resolution price, in hundredths of $1.
 * @returns Micro-dollars per option.
 * @example
 * import { computePayoff, type ResolutionBps, type StrikeBps } from 'rfqctl/client'
 *
 * computePayoff({ optionType: 'call', strikeBps: 4_500 as StrikeBps }, 62 as ResolutionBps) // 170_000n
 */
export const payoff = (option: Option, resolutionBps: ResolutionBps): Usd6 =>
  valueAt(option, usd6(priceOf(resolutionBps)))

/**
 * The collateral that the writer of options locks: the most that they can pay.
 * @param option - The option; a request's option or a series is also accepted.
 * @param amount - Number of options.
 * @returns Micro-dollars.
 * @example
 * import { computeCollateral, contracts, type StrikeBps } from 'rfqctl/client'
 *
 * computeCollateral({ optionType: 'put', strikeBps: 4_500 as StrikeBps }, contracts(200n)) // 90_000_000n
 */
export const collateral = (option: Option, amount: Contracts): Usd6 => usd6(maxPayoff(option) * amount)
