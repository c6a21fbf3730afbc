import Type, { type Static } from 'typebox'
import { usd6ToNumber } from '../domain/decimal.ts'
import {
  breakpointsOf,
  floorOf,
  isPackage,
  MAX_LEGS,
  MIN_LEGS,
  maxPayoff,
  normalPackage,
  type Option,
  type OptionType,
  optionOf,
  type PackageOption,
  type VanillaOption,
} from '../domain/option.ts'
import type { StrikeBps } from '../domain/units.ts'
import { Dollars, OptionTypeInput, OptionTypeText, Quantity, ResolutionPrice, Strike } from './schemas.ts'

/** The legs of a package as a taker sends them, in any order. */
export const LegsInput = Type.Array(
  Type.Object({ optionType: OptionTypeInput, strikeBps: Strike, quantity: Quantity }),
  { minItems: MIN_LEGS, maxItems: MAX_LEGS, must: `a list of ${MIN_LEGS} to ${MAX_LEGS} legs` },
)

/** The legs of a package as the relay shows them, in the order of their normal form, and what follows from them. */
export const PackageTerms = {
  legs: Type.Array(Type.Object({ optionType: OptionTypeText, strikeBps: Strike, quantity: Quantity })),
  maxPayoff: Dollars,
  floor: Dollars,
}

/** The payoffs of a package at the resolutions where its payoff bends. */
export const Breakpoints = Type.Array(Type.Object({ resolutionBps: ResolutionPrice, payoff: Dollars }))

type VanillaFields = { strikeBps: number; optionType: OptionType | 0 | 1 }

/** The option of fields whose schema was checked. Refuses legs that are no package with `invalid_package`. */
export function decodeOption(fields: VanillaFields | { legs: Static<typeof LegsInput> }): Option {
  if (!('legs' in fields)) return vanillaOf(fields)
  return normalPackage(fields.legs.map((leg) => ({ ...vanillaOf(leg), quantity: leg.quantity })))
}

const vanillaOf = ({ optionType, strikeBps }: VanillaFields): VanillaOption => ({
  optionType: optionType === 0 ? 'call' : optionType === 1 ? 'put' : optionType,
  strikeBps: strikeBps as StrikeBps,
})

/** An option as it is asked for. */
export function encodeOption(option: Option): VanillaOption | { legs: PackageOption['legs'][number][] } {
  const plain = optionOf(option)
  return isPackage(plain) ? { legs: [...plain.legs] } : plain
}

/** The fields of a package beside its legs. */
export const encodePackage = (option: PackageOption) => ({
  legs: option.legs.map(({ optionType, strikeBps, quantity }) => ({ optionType, strikeBps, quantity })),
  maxPayoff: usd6ToNumber(maxPayoff(option)),
  floor: usd6ToNumber(floorOf(option)),
})

/** Writes the payoffs of a package where its payoff bends. */
export const encodeBreakpoints = (option: PackageOption): Static<typeof Breakpoints> =>
  breakpointsOf(option).map(({ resolutionBps, payoff }) => ({ resolutionBps, payoff: usd6ToNumber(payoff) }))
