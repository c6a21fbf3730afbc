import type { Static } from 'typebox'
import * as Type from 'typebox'
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
import * as field from './field.ts'
import { Dollars, described, OptionTypeInput } from './schemas.ts'

/** The legs of a package as a taker sends them, in any order. */
export const LegsInput = described(
  Type.Array(
    Type.Object({
      optionType: described(OptionTypeInput, field.optionType),
      strikeBps: field.strikeBps,
      quantity: field.quantity,
    }),
    { minItems: MIN_LEGS, maxItems: MAX_LEGS, must: `a list of ${MIN_LEGS} to ${MAX_LEGS} legs` },
  ),
  'The options of a package, two to four.',
  [
    { optionType: 'call', strikeBps: 4_000, quantity: 1 },
    { optionType: 'call', strikeBps: 6_000, quantity: -1 },
  ],
)

/** The legs of a package as the relay shows them, in the order of their normal form, and what follows from them. */
export const PackageTerms = {
  legs: described(
    Type.Array(Type.Object({ optionType: field.optionType, strikeBps: field.strikeBps, quantity: field.quantity })),
    LegsInput,
  ),
  maxPayoff: field.maxPayoff,
  floor: field.floor,
}

export const Breakpoints = Type.Array(
  Type.Object({ resolutionBps: field.resolutionBps, payoff: described(Dollars, 'What one pays, dollars.', 0.2) }),
)

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

export function encodeOption(option: Option): VanillaOption | { legs: PackageOption['legs'][number][] } {
  const plain = optionOf(option)
  return isPackage(plain) ? { legs: [...plain.legs] } : plain
}

export const encodePackage = (option: PackageOption) => ({
  legs: option.legs.map(({ optionType, strikeBps, quantity }) => ({ optionType, strikeBps, quantity })),
  maxPayoff: usd6ToNumber(maxPayoff(option)),
  floor: usd6ToNumber(floorOf(option)),
})

export const encodeBreakpoints = (option: PackageOption): Static<typeof Breakpoints> =>
  breakpointsOf(option).map(({ resolutionBps, payoff }) => ({ resolutionBps, payoff: usd6ToNumber(payoff) }))
