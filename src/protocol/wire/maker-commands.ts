import type { Static, TLiteral } from 'typebox'
import * as Type from 'typebox'
import type { RfqError } from '../domain/errors.ts'
import type { QuoteSubmission } from '../domain/quote.ts'
import type { Level } from '../domain/surface.ts'
import {
  ConfirmBody,
  DeclineBody,
  decodeConfirm,
  decodeDecline,
  decodeFirm,
  FirmBody,
  type FirmSignatureTexts,
} from './confirm.ts'
import { encodeFailure, FailureAnswer } from './envelope.ts'
import * as field from './field.ts'
import { parseJson } from './json.ts'
import { decodeLevels, LevelsBody, MAX_LEVELS } from './levels.ts'
import { createReader, invalidField, type JsonSchema } from './reader.ts'
import { Count, described, Flag, nullable, oneOf, SecretText, successOf, textOf } from './schemas.ts'
import { decodeLastEventId } from './sse.ts'
import { decodeSubmitQuote, encodeQuoted, FirmOrderFields, SubmitQuoteBody } from './submit-quote.ts'

/** A message of the socket, which its type identifies. */
export const messageOf = <Name extends string, Fields extends Record<string, JsonSchema>>(type: Name, fields: Fields) =>
  Type.Object({ type: described(Type.Literal(type) as TLiteral<Name>, 'Kind of the message.'), ...fields })

const MAX_QUOTES = 64

/** By what a maker knows the answer to its call. */
const REF_LENGTH = 64
const Ref = textOf(REF_LENGTH)
const Id = textOf(200)

const named = { ref: described(Ref, field.ref) }
const ofQuote = { ...named, quoteId: described(Id, field.quoteId) }
const Answered = messageOf('quote:ok', {
  ref: field.ref,
  quoteId: field.quoteId,
  price: Type.Optional(field.price),
  ...FirmOrderFields,
})
const { success: _, ...failure } = FailureAnswer.properties
const LevelsKept = messageOf('levels:ok', { ref: field.ref, count: field.levelCount, keptMs: field.keptMs })
const Refused = messageOf('quote:error', {
  ref: nullable(field.ref),
  status: described(Count, 'HTTP status of the same refusal.', 409),
  ...failure,
})

/** Several quotes over HTTP (protocol quote-11). */
export const SubmitQuotesBody = Type.Object({
  quotes: described(
    Type.Array(Type.Object({ ...named, ...SubmitQuoteBody.properties }), { minItems: 1, maxItems: MAX_QUOTES }),
    'The quotes.',
  ),
})

/** The calls that a maker may make over its socket: the same as over HTTP, with the same fields. */
const MAKER_CALLS = {
  quote: messageOf('quote', { ...named, ...SubmitQuoteBody.properties }),
  quotes: messageOf('quotes', { ...named, ...SubmitQuotesBody.properties }),
  'quote:withdraw': messageOf('quote:withdraw', ofQuote),
  'quote:confirm': messageOf('quote:confirm', { ...ofQuote, ...ConfirmBody.properties }),
  'quote:firm': messageOf('quote:firm', { ...ofQuote, ...FirmBody.properties }),
  'quote:decline': messageOf('quote:decline', { ...ofQuote, ...DeclineBody.properties }),
  levels: messageOf('levels', { ...named, ...LevelsBody.properties }),
} as const

const results = described(Type.Array(Type.Union([Answered, Refused])), 'The answers, in the order of the calls.')

export const QuotesAnswer = successOf({ results })

/** The relay's answers: one message for each call, and one for all quotes of a `quotes`. */
export const MAKER_ANSWERS = {
  'quote:ok': Answered,
  'quote:error': Refused,
  'quotes:results': messageOf('quotes:results', { ref: field.ref, results }),
  'levels:ok': LevelsKept,
} as const

const readObject = createReader(Type.Object({}), 'the body')
const readNamed = createReader(Type.Object(named), 'the message')
const readOfQuote = createReader(Type.Object(ofQuote), 'the message')

/** A call of a maker; `refused` holds a message that is not a valid call. */
export type MakerCall =
  | { kind: 'quote'; ref: string; requestId: string; submission: QuoteSubmission }
  | { kind: 'withdraw'; ref: string; quoteId: string }
  | { kind: 'firm'; ref: string; quoteId: string; signatures: FirmSignatureTexts }
  | { kind: 'confirm'; ref: string; quoteId: string; signature: string }
  | { kind: 'decline'; ref: string; quoteId: string; reason: string | null }
  | { kind: 'levels'; ref: string; levels: readonly Level[] }
  | { kind: 'refused'; ref: string | null; fault: unknown }

/** A message that calls, unread: its calls are read when its turn comes. */
export type MakerCalls = { type?: unknown; ref?: unknown; quotes?: unknown; levels?: unknown }

type ReadCalls = { batch: string | null; calls: readonly MakerCall[] }

const isCalls = (message: MakerCalls): boolean => message.type === 'quotes' || DECODERS.has(message.type)

/** The most calls that a message can hold. */
export function countCalls({ type, quotes, levels }: MakerCalls): number {
  if (type === 'quotes' && Array.isArray(quotes)) return Math.max(1, Math.min(quotes.length, MAX_QUOTES))
  // Levels are read and kept, but ask nothing of the chain and the book.
  if (type === 'levels' && Array.isArray(levels)) return Math.ceil((1 + Math.min(levels.length, MAX_LEVELS)) / 8)
  return 1
}

/** Whether a message is what a running commit waits for. */
export const answersCommit = ({ type }: MakerCalls): boolean => type === 'quote:confirm' || type === 'quote:decline'

export function decodeMakerCalls(message: MakerCalls): ReadCalls {
  if (message.type === 'quotes') return decodeBatch(message)
  const decode = DECODERS.get(message.type) as (message: unknown) => MakerCall
  return { batch: null, calls: [decodeOne(message, decode)] }
}

function decodeBatch(message: MakerCalls): ReadCalls {
  try {
    const { ref } = readNamed(message)
    return { batch: ref, calls: callsOf(message) }
  } catch (fault) {
    return { batch: null, calls: [refused(message, fault)] }
  }
}

/** The calls of a body over HTTP; one that is no quote is refused in its place. */
export const decodeQuotes = (body: unknown): readonly MakerCall[] => callsOf(readObject(body))

function callsOf({ quotes }: { quotes?: unknown }): readonly MakerCall[] {
  if (!Array.isArray(quotes) || quotes.length === 0 || quotes.length > MAX_QUOTES) {
    throw invalidField('quotes', `a list of 1 to ${MAX_QUOTES} quotes`, quotes)
  }
  return quotes.map((quote) => decodeOne(quote, decodeQuote))
}

function decodeOne(message: unknown, decode: (message: unknown) => MakerCall): MakerCall {
  try {
    return decode(message)
  } catch (fault) {
    return refused(message, fault)
  }
}

const decodeQuote = (message: unknown): MakerCall => {
  const { ref } = readNamed(message)
  return { kind: 'quote', ref, ...decodeSubmitQuote(message) }
}

const DECODERS: ReadonlyMap<unknown, (message: unknown) => MakerCall> = new Map<
  unknown,
  (message: unknown) => MakerCall
>([
  ['quote', decodeQuote],
  ['quote:withdraw', (message) => ({ kind: 'withdraw', ...idsOf(message) })],
  ['quote:firm', (message) => ({ kind: 'firm', ...idsOf(message), signatures: decodeFirm(message) })],
  ['quote:confirm', (message) => ({ kind: 'confirm', ...idsOf(message), signature: decodeConfirm(message) })],
  ['levels', (message) => ({ kind: 'levels', ref: readNamed(message).ref, levels: decodeLevels(message) })],
  ['quote:decline', (message) => ({ kind: 'decline', ...idsOf(message), reason: decodeDecline(message) })],
])

function idsOf(message: unknown): { ref: string; quoteId: string } {
  const { ref, quoteId } = readOfQuote(message)
  return { ref, quoteId }
}

const refused = (message: unknown, fault: unknown): MakerCall => ({ kind: 'refused', ref: refOf(message), fault })

/** The text by which a maker knows the answer to a message; null of one that cannot be read. */
export function refOf(message: unknown): string | null {
  const ref = typeof message === 'object' && message !== null && 'ref' in message ? message.ref : null
  return typeof ref === 'string' && ref.length <= REF_LENGTH ? ref : null
}

export type CallAnswer = Static<typeof Answered> | Static<typeof Refused> | Static<typeof LevelsKept>

export function encodeQuoteTaken(ref: string, quote: Parameters<typeof encodeQuoted>[0]): CallAnswer {
  const { success: _, ...taken } = encodeQuoted(quote)
  return { type: 'quote:ok', ref, ...taken }
}

export const encodeDone = (ref: string, quoteId: string): CallAnswer => ({ type: 'quote:ok', ref, quoteId })

export const encodeLevelsTaken = (ref: string, kept: { count: number; keptMs: number }): CallAnswer => ({
  type: 'levels:ok',
  ref,
  ...kept,
})

/** The answer to a refused call; `status` is the HTTP status. */
export function encodeRefused(ref: string | null, refusal: RfqError, status: number): CallAnswer {
  const { success: _, ...failed } = encodeFailure(refusal)
  return { type: 'quote:error', ref, status, ...failed }
}

export const encodeQuotesTaken = (results: readonly CallAnswer[]) => ({ success: true, results }) as const

export const encodeAnswers = ({ batch }: ReadCalls, results: readonly CallAnswer[]) =>
  batch === null ? (results[0] as CallAnswer) : ({ type: 'quotes:results', ref: batch, results } as const)

export const MAKER_COMMANDS = {
  auth: messageOf('auth', {
    apiKey: described(SecretText, 'A maker API key.', 'mk_live_Zk3v8sQ1mT7yB2nR5wX9cL4hJ6p3UHNMl'),
  }),
  ping: messageOf('ping', {}),
  subscribe: messageOf('subscribe', {
    to: described(oneOf('orders', 'standing', 'inventory', 'requests'), 'What to hear of.', 'requests', 'orders'),
    lastEventId: Type.Optional(
      described(
        Type.Union([Count, Id]),
        'Of requests: the last event received, to resume after; without it, they start with a snapshot.',
        1_000_000_042,
      ),
    ),
    packages: Type.Optional(described(Flag, field.packages)),
    twoSided: Type.Optional(described(Flag, field.twoSided)),
  }),
  unsubscribe: messageOf('unsubscribe', { from: described(oneOf('requests'), 'What to hear no more of.') }),
  ...MAKER_CALLS,
} as const

/**
 * Messages that a maker may subscribe to, beyond the specification: the ends of its signed orders, the changes of its
 * record, the number of options of an order that are its own (decision X5), or the requests of the maker stream
 * (decision X6).
 */
export type Subscription = 'orders' | 'standing' | 'inventory' | 'requests'

/**
 * The socket's features beyond the specification, which it announces when a maker has connected. The list is complete: what a maker
 * may ask for without harm to an older relay needs no entry, which all makers would receive (decision 0135).
 */
export const OFFERS = ['calls', 'orders', 'standing', 'inventory', 'requests', 'packages', 'levels'] as const

/** The messages that a maker may send on its socket. A key of another type than text counts as a bad one. */
export type MakerCommand =
  | { kind: 'auth'; apiKey: string | null }
  | { kind: 'ping' }
  | { kind: 'subscribe'; to: Exclude<Subscription, 'requests'> }
  | { kind: 'subscribe'; to: 'requests'; lastEventId: number | null; hears: { packages: boolean; twoSided: boolean } }
  | { kind: 'unsubscribe' }
  | { kind: 'calls'; calls: MakerCalls }

/** A text that is not the key of any maker. */
const NO_KEY = ''

/** Reads a message of a maker; null for anything else, which is ignored. */
export function decodeMakerCommand(text: string): MakerCommand | null {
  const message = parseOrNull(text)
  if (typeof message !== 'object' || message === null || !('type' in message)) return null
  if (message.type === 'ping') return { kind: 'ping' }
  if (message.type === 'subscribe') return 'to' in message ? subscribeOf(message) : null
  if (message.type === 'unsubscribe') {
    return 'from' in message && message.from === 'requests' ? { kind: 'unsubscribe' } : null
  }
  if (message.type !== 'auth') return isCalls(message) ? { kind: 'calls', calls: message } : null
  const apiKey = 'apiKey' in message ? (message.apiKey ?? null) : null
  return { kind: 'auth', apiKey: apiKey === null || typeof apiKey === 'string' ? apiKey : NO_KEY }
}

export const encodeAuth = (apiKey: string) => ({ type: 'auth', apiKey }) as const

/** The message that subscribes; to requests after the one of an id, and to those of packages and of both sides as well. */
export const encodeSubscribe = (
  to: Subscription,
  from: { lastEventId?: string | undefined; packages?: boolean; twoSided?: boolean } = {},
) =>
  ({
    type: 'subscribe',
    to,
    ...(from.lastEventId === undefined ? {} : { lastEventId: from.lastEventId }),
    ...(from.packages === true ? { packages: true } : {}),
    ...(from.twoSided === true ? { twoSided: true } : {}),
  }) as const

export const encodeUnsubscribe = () => ({ type: 'unsubscribe', from: 'requests' }) as const

export const encodePing = () => ({ type: 'ping' }) as const

function subscribeOf(asked: {
  to: unknown
  lastEventId?: unknown
  packages?: unknown
  twoSided?: unknown
}): MakerCommand | null {
  const { to, lastEventId, packages, twoSided } = asked
  if (to === 'orders' || to === 'standing' || to === 'inventory') return { kind: 'subscribe', to }
  if (to !== 'requests') return null
  const id = typeof lastEventId === 'number' ? String(lastEventId) : lastEventId
  const after = decodeLastEventId(typeof id === 'string' ? id : undefined)
  return {
    kind: 'subscribe',
    to,
    lastEventId: after,
    hears: { packages: packages === true, twoSided: twoSided === true },
  }
}

function parseOrNull(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}
