import * as Type from 'typebox'
import { MAX_SIGNATURE_BYTES } from '../domain/signature.ts'
import type { JsonSchema } from './reader.ts'

/** The most dollars of a budget and the most options of a size (decision U2). */
const MAX_AMOUNT = 1_000_000_000

const MAX_SECRET_LENGTH = 4_096

const MAX_SIGNATURE_LENGTH = 2 + 2 * MAX_SIGNATURE_BYTES

/** No time in ISO 8601 is longer, whatever fractions of a second it has. */
const MAX_TIME_LENGTH = 40

const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

export const ADDRESS = 'an address: 0x and 40 hex digits, in one case or with the right checksum, not the zero address'

type Annotations = { must?: string; writeOnly?: boolean; description?: string; examples?: readonly unknown[] }

/**
 * A schema with its meaning for the documents of the API, which show the first example that fits. `meaning` may be another
 * schema, whose description and examples are taken over.
 */
export function described<Schema extends JsonSchema>(
  schema: Schema,
  meaning: string | JsonSchema,
  ...examples: unknown[]
): Schema {
  const { description, examples: shown }: Annotations =
    typeof meaning === 'string' ? { description: meaning, examples } : meaning
  const annotations = shown === undefined || shown.length === 0 ? { description } : { description, examples: shown }
  const properties = Object.getOwnPropertyDescriptors(schema)
  // A spread would lose the properties of a schema that cannot be enumerated.
  return Object.defineProperties({}, { ...properties, ...Object.getOwnPropertyDescriptors(annotations) }) as Schema
}

/** A field that may be absent or null, which mean the same. */
export const optional = <Schema extends JsonSchema>(schema: Schema & Annotations) => Type.Optional(nullable(schema))

/** A field that is there and may be null. */
export const nullable = <Schema extends JsonSchema>(schema: Schema & Annotations) =>
  Type.Union([schema, Type.Null()], {
    must: `${schema.must ?? 'an object'}, or null`,
    ...(schema.writeOnly === true ? { writeOnly: true } : {}),
  })

export const oneOf = <Value extends string>(...values: Value[]) =>
  Type.Enum<Value[]>(values, { must: values.map((value) => `"${value}"`).join(' or ') })

/** Text that the relay sends, and does not look into. */
export const Text = Type.String({ must: 'a string' })

/** Text that a client sends: whatever is taken in has an end. `max` counts characters, not code units. */
export const textOf = (max: number) => Type.String({ maxLength: max, must: `a string of at most ${max} characters` })

export const UuidText = Type.String({
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  must: 'a UUID',
})

/** One that is random, and as secret as what it opens. */
export const SecretUuidText = Type.String({
  pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$',
  must: 'a random UUID (version 4)',
  writeOnly: true,
})

/** A secret: never shown, not even to its sender. The relay's own are shorter; a wrong one is refused as wrong, not as too long. */
export const SecretText = Type.String({
  maxLength: MAX_SECRET_LENGTH,
  must: `a string of at most ${MAX_SECRET_LENGTH} characters`,
  writeOnly: true,
})

/**
 * A signature of an order as its maker sends it, a right to trade that is never shown: a contract's has any form, and
 * its validity is judged later (decision C8).
 */
export const SignatureText = Type.String({
  maxLength: MAX_SIGNATURE_LENGTH,
  must: `a string of at most ${MAX_SIGNATURE_LENGTH} characters`,
  writeOnly: true,
})

/** A truth value; "true" and 1 are none. */
export const Flag = Type.Boolean({ must: 'true or false' })

/** A count that JSON can hold exactly. */
export const Count = Type.Integer({ minimum: 0, must: 'an integer of at least 0' })

export const Figure = Type.Number({ must: 'a number' })

export const UnixSeconds = Type.Integer({ must: 'an integer of Unix seconds' })

export const UnixMs = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  must: 'an integer of Unix milliseconds',
})

export const IsoTime = Type.String({
  format: 'date-time',
  maxLength: MAX_TIME_LENGTH,
  must: 'a time in ISO 8601',
})

/** Dollars as a JSON number; exact to 6 decimals (decision U2). */
export const Dollars = Type.Number({ must: 'a number of dollars' })

/** A taker's budget (decision U2). */
export const Budget = Type.Number({
  exclusiveMinimum: 0,
  maximum: MAX_AMOUNT,
  must: 'a number of dollars above 0 and at most 1000000000',
})

/** The worst price that a taker takes; 0 and 1 leave any price in (decision C1). */
export const LimitPrice = Type.Number({ minimum: 0, maximum: 1, must: 'a number of dollars 0..1' })

/** The same of a commit: a package may cost more than a dollar, 16 at most (decision K3). */
export const CommitLimit = Type.Number({ minimum: 0, maximum: 16, must: 'a number of dollars 0..1' })

/** Whole options of a size (decision U2). */
export const Size = Type.Integer({
  minimum: 1,
  maximum: MAX_AMOUNT,
  must: 'an integer 1..1000000000, in whole options',
})

/**
 * The most whole options that a quote offers. It is a cap on the fill, not an amount that anyone asks for: makers quote
 * their depth, and at high strikes that is many options.
 */
export const QuoteSize = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  must: 'an integer of at least 1, in whole options',
})

/** The lifetime of a quote, in milliseconds; one beyond the request is clamped (decision Q5). */
export const Lifetime = Type.Integer({ minimum: 1, must: 'an integer of at least 1, in milliseconds' })

/** A strike (decision U3). */
export const Strike = Type.Integer({
  minimum: 1,
  maximum: 9_999,
  must: 'an integer 1..9999, in basis points of $1',
})

/** The number of times that a leg is in a package (decision K1). */
export const Quantity = Type.Integer({ minimum: -4, maximum: 4, must: 'an integer -4..4 other than 0' })

/** A resolution price (decision U3). */
export const ResolutionPrice = Type.Integer({
  minimum: 0,
  maximum: 100,
  must: 'an integer 0..100, in hundredths of $1',
})

export const Bytes32Text = Type.String({
  pattern: '^0x[0-9a-fA-F]{64}$',
  must: 'a bytes32 in hex: 0x and 64 digits',
})

export const HexText = Type.String({ pattern: '^0x[0-9a-fA-F]*$', must: 'bytes in hex' })

export const Uint256Text = Type.String({ pattern: '^[0-9]{1,100}$', must: 'a uint256 in decimal digits' })

/** An address as a client sends it; `decodeAddress` looks at its checksum. */
export const AddressText = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', must: ADDRESS, examples: [WALLET] })

/** An address as the relay sends it; in simulated mode also the zero address (decision C12). */
export const AnyAddressText = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', must: 'an address', examples: [WALLET] })

export const SideText = oneOf('buy', 'sell')

export const OptionTypeText = oneOf('call', 'put')

/** The option type in words or as its number on chain, call 0 and put 1. */
export const OptionTypeInput = Type.Enum(['call', 'put', 0, 1], { must: '"call" or "put" (or 0 or 1)' })

/** The body of a success with its further fields. */
export const successOf = <Fields extends Record<string, JsonSchema>>(fields: Fields) =>
  Type.Object({ success: described(Type.Literal(true), 'Whether the call succeeded.'), ...fields })
