import type { Static } from 'typebox'
import * as Type from 'typebox'
import { usd6ToNumber } from '../domain/decimal.ts'
import {
  MAX_REFERENCES,
  MAX_WINDOW_MS,
  MAX_WINDOWS,
  type MakerProtections,
  NO_PROTECTIONS,
  type ProtectionTrip,
  type ProtectionWindow,
  type ReferencePrice,
  tripFigures,
  windowFigures,
} from '../domain/maker-protections.ts'
import * as field from './field.ts'
import { decodeBytes32, decodeContracts, decodeTime, decodeUint256, decodeUsd6, encodeTime } from './fields.ts'
import { createBodyReader, createReader, invalidField, type JsonSchema } from './reader.ts'
import { Count, Dollars, described, LimitPrice, nullable, oneOf, optional, successOf } from './schemas.ts'

/** The longest that a maker may be away before its quotes are withdrawn, milliseconds. */
const MAX_GRACE_MS = 3_600_000

const MAX_ACCEPTED = 1_000_000

const msUpTo = (minimum: number, maximum: number) =>
  Type.Integer({ minimum, maximum, must: `an integer ${minimum}..${maximum}, in milliseconds` })

/** An object that has the fields it knows, and no other: a mistyped protection must not be ignored. */
const strict = <Fields extends Record<string, JsonSchema>>(fields: Fields) =>
  Type.Object(fields, {
    additionalProperties: false,
    must: `an object of no other fields than ${Object.keys(fields).join(', ')}`,
  })

const Channels = described(
  oneOf('any', 'all'),
  'Disconnected from `any` of stream and socket, or from `all` (default).',
  'all',
)

/** The protections that a maker sets at the relay (protocol protect-1). */
export const ProtectionsBody = strict({
  cancelOnDisconnect: optional(
    described(
      strict({ graceMs: described(msUpTo(0, MAX_GRACE_MS), field.graceMs), channels: optional(Channels) }),
      'Withdraws the quotes of a maker that disconnects; null is off.',
    ),
  ),
  windows: optional(
    described(
      Type.Array(
        strict({
          ms: described(msUpTo(1, MAX_WINDOW_MS), field.ms),
          maxAccepted: optional(
            described(
              Type.Integer({ minimum: 1, maximum: MAX_ACCEPTED, must: `an integer 1..${MAX_ACCEPTED}` }),
              field.maxAccepted,
            ),
          ),
          maxContracts: optional(field.maxContracts),
          maxNotional: optional(field.maxNotional),
          maxCollateral: optional(field.maxCollateral),
        }),
        { maxItems: MAX_WINDOWS, must: `a list of at most ${MAX_WINDOWS} windows` },
      ),
      'Bounds on what takers accept in a time.',
    ),
  ),
  freezeMs: optional(described(msUpTo(1, MAX_WINDOW_MS), field.freezeMs)),
  maxQuoteSize: optional(field.maxQuoteSize),
  references: optional(
    described(
      Type.Array(
        strict({
          seriesId: optional(field.seriesId),
          conditionId: optional(field.conditionId),
          price: described(LimitPrice, field.price),
          maxDeviation: field.maxDeviation,
          expiresInMs: optional(
            described(
              msUpTo(1, MAX_WINDOW_MS),
              'When the reference price is too old, in milliseconds from now.',
              60_000,
            ),
          ),
        }),
        { maxItems: MAX_REFERENCES, must: `a list of at most ${MAX_REFERENCES} reference prices` },
      ),
      "The maker's own prices, which its quotes must stay near to.",
    ),
  ),
})

const WindowFields = Type.Object({
  ms: field.ms,
  maxAccepted: nullable(field.maxAccepted),
  maxContracts: nullable(described(Count, field.maxContracts)),
  maxNotional: nullable(described(Dollars, field.maxNotional)),
  maxCollateral: nullable(described(Dollars, field.maxCollateral)),
})

const UseFields = Type.Object({
  accepted: described(Count, 'Orders accepted.', 10),
  contracts: described(Count, 'Options.', 4_200),
  notional: described(Dollars, 'Premiums in dollars.', 504),
  collateral: described(Dollars, 'Collateral in dollars.', 2_310),
})

export const TripFields = described(
  Type.Object({
    at: field.at,
    until: nullable(field.until),
    window: described(WindowFields, 'The window that was about to be exceeded.'),
    used: described(UseFields, 'What was accepted in the window.'),
    withNext: described(UseFields, 'The same with the order that was not offered.'),
  }),
  'The trip that holds the maker back; null when none does.',
)

export const ProtectionsAnswer = successOf({
  protections: described(
    Type.Object({
      cancelOnDisconnect: nullable(
        described(
          Type.Object({ graceMs: field.graceMs, channels: Channels }),
          'Withdraws the quotes of a maker that disconnects; null is off.',
        ),
      ),
      windows: described(Type.Array(WindowFields), 'Bounds on what takers accept in a time.'),
      freezeMs: nullable(field.freezeMs),
      maxQuoteSize: nullable(described(Count, field.maxQuoteSize)),
      references: described(
        Type.Array(
          Type.Object({
            seriesId: Type.Optional(field.seriesId),
            conditionId: Type.Optional(field.conditionId),
            price: field.price,
            maxDeviation: described(Dollars, field.maxDeviation),
            expiresAt: nullable(field.expiresAt),
          }),
        ),
        "The maker's own prices, which its quotes must stay near to.",
      ),
    }),
    "The maker's protections.",
  ),
  trip: nullable(TripFields),
})

const readBody = createBodyReader(ProtectionsBody)
const readAnswer = createReader(ProtectionsAnswer, 'the answer')

/** The protections that a maker asks for. */
export type ProtectionsInput = Partial<Omit<MakerProtections, 'references'>> & {
  /** Prices that its quotes must stay near to, for `expiresInMs` from now. */
  references?: readonly (Omit<ReferencePrice, 'expiresAt'> & { expiresInMs: number | null })[]
}

/** A maker's protections, and the trip that holds it back now; null when none does. */
export type ShownProtections = {
  /** Protections in force. */
  protections: MakerProtections
  /** Null: nothing is held back. */
  trip: ProtectionTrip | null
}

/**
 * Makes protections that were shown ready to be put again, with changes: reference prices expire when they did, and those
 * that have expired are left out.
 * @param protections - As the relay showed them.
 * @param now - Unix milliseconds.
 * @returns What `setProtections` takes.
 * @example
 * import { toProtectionsInput } from 'rfqctl/client'
 *
 * const { protections } = await maker.getProtections()
 * await maker.setProtections({ protections: { ...toProtectionsInput(protections, Date.now()), freezeMs: 30_000 } })
 */
export const toProtectionsInput = (protections: MakerProtections, now: number): Required<ProtectionsInput> => ({
  ...protections,
  references: protections.references.flatMap(({ expiresAt, ...reference }) => {
    if (expiresAt !== null && expiresAt <= now) return []
    return [{ ...reference, expiresInMs: expiresAt === null ? null : Math.min(expiresAt - now, MAX_WINDOW_MS) }]
  }),
})

/** A maker's protections. References expire from `now` on, Unix milliseconds. */
export function decodeProtections(body: unknown, now: number): MakerProtections {
  const { cancelOnDisconnect, windows, freezeMs, maxQuoteSize, references } = readBody(body)
  return {
    cancelOnDisconnect:
      cancelOnDisconnect == null
        ? null
        : { graceMs: cancelOnDisconnect.graceMs, channels: cancelOnDisconnect.channels ?? 'all' },
    windows: (windows ?? []).map((window, i) => decodeWindow(window, `windows.${i}`)),
    freezeMs: freezeMs ?? null,
    maxQuoteSize: maxQuoteSize == null ? null : decodeContracts(maxQuoteSize),
    references: (references ?? []).map(({ expiresInMs, ...reference }, i) => ({
      ...decodeReference(reference, `references.${i}`),
      expiresAt: expiresInMs == null ? null : now + expiresInMs,
    })),
  }
}

type WindowJson = {
  ms: number
  maxAccepted?: number | null
  maxContracts?: number | null
  maxNotional?: number | null
  maxCollateral?: number | null
}

function decodeWindow(window: WindowJson, field: string): ProtectionWindow {
  const { ms, maxAccepted, maxContracts, maxNotional, maxCollateral } = window
  const bounds = [maxAccepted, maxContracts, maxNotional, maxCollateral]
  if (bounds.every((bound) => bound == null)) throw invalidField(field, 'a window with at least one bound', window)
  return {
    ms,
    maxAccepted: maxAccepted ?? null,
    maxContracts: maxContracts == null ? null : decodeContracts(maxContracts),
    maxNotional: maxNotional == null ? null : decodeUsd6(maxNotional, 'down', `${field}.maxNotional`),
    maxCollateral: maxCollateral == null ? null : decodeUsd6(maxCollateral, 'down', `${field}.maxCollateral`),
  }
}

type ReferenceJson = { seriesId?: string | null; conditionId?: string | null; price: number; maxDeviation: number }

function decodeReference(reference: ReferenceJson, field: string): Omit<ReferencePrice, 'expiresAt'> {
  const { seriesId, conditionId, price, maxDeviation } = reference
  const amounts = {
    price: decodeUsd6(price, 'half-up', `${field}.price`),
    maxDeviation: decodeUsd6(maxDeviation, 'down', `${field}.maxDeviation`),
  }
  if (seriesId != null && conditionId == null) {
    return { scope: 'series', id: decodeUint256(seriesId, `${field}.seriesId`), ...amounts }
  }
  if (seriesId == null && conditionId != null) return { scope: 'market', id: decodeBytes32(conditionId), ...amounts }
  throw invalidField(field, 'a reference price with a seriesId or a conditionId', reference)
}

export function encodeProtections(input: ProtectionsInput): Static<typeof ProtectionsBody> {
  const { cancelOnDisconnect, windows = [], freezeMs, maxQuoteSize, references = [] } = input
  return {
    ...(cancelOnDisconnect == null ? {} : { cancelOnDisconnect }),
    windows: windows.map(windowFigures),
    ...(freezeMs == null ? {} : { freezeMs }),
    ...(maxQuoteSize == null ? {} : { maxQuoteSize: Number(maxQuoteSize) }),
    references: references.map(({ expiresInMs, ...reference }) => ({
      ...referenceFigures(reference),
      ...(expiresInMs === null ? {} : { expiresInMs }),
    })),
  }
}

const referenceFigures = ({ scope, id, price, maxDeviation }: Omit<ReferencePrice, 'expiresAt'>) => ({
  ...(scope === 'series' ? { seriesId: id } : { conditionId: id }),
  price: usd6ToNumber(price),
  maxDeviation: usd6ToNumber(maxDeviation),
})

/** A maker's current protections; null if it has set none. */
export function encodeProtectionsAnswer(shown: ShownProtections | null): Static<typeof ProtectionsAnswer> {
  const { cancelOnDisconnect, windows, freezeMs, maxQuoteSize, references } = shown?.protections ?? NO_PROTECTIONS
  return {
    success: true,
    protections: {
      cancelOnDisconnect,
      windows: windows.map(windowFigures),
      freezeMs,
      maxQuoteSize: maxQuoteSize === null ? null : Number(maxQuoteSize),
      references: references.map(({ expiresAt, ...reference }) => ({
        ...referenceFigures(reference),
        expiresAt: expiresAt === null ? null : encodeTime(expiresAt),
      })),
    },
    trip: shown === null || shown.trip === null ? null : tripFigures(shown.trip),
  }
}

export function decodeProtectionsAnswer(answer: unknown): ShownProtections {
  const { protections, trip } = readAnswer(answer)
  const { cancelOnDisconnect, windows, freezeMs, maxQuoteSize, references } = protections
  return {
    protections: {
      cancelOnDisconnect,
      windows: windows.map((window, i) => decodeWindow(window, `windows.${i}`)),
      freezeMs,
      maxQuoteSize: maxQuoteSize === null ? null : decodeContracts(maxQuoteSize),
      references: references.map(({ expiresAt, ...reference }, i) => ({
        ...decodeReference(reference, `references.${i}`),
        expiresAt: expiresAt === null ? null : decodeTime(expiresAt, 'expiresAt'),
      })),
    },
    trip: trip === null ? null : decodeTrip(trip),
  }
}

export function decodeTrip({ at, until, window, used, withNext }: Static<typeof TripFields>): ProtectionTrip {
  return {
    at: decodeTime(at, 'at'),
    until: until === null ? null : decodeTime(until, 'until'),
    window: decodeWindow(window, 'window'),
    used: decodeUse(used),
    withNext: decodeUse(withNext),
  }
}

const decodeUse = ({ accepted, contracts, notional, collateral }: Static<typeof UseFields>) => ({
  accepted,
  contracts: decodeContracts(contracts),
  notional: decodeUsd6(notional, 'half-up', 'notional'),
  collateral: decodeUsd6(collateral, 'half-up', 'collateral'),
})
