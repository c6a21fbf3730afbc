import type { Static, TLiteral } from 'typebox'
import * as Type from 'typebox'
import type { AuditEntry, AuditFact, SeenQuote } from '../domain/audit.ts'
import { usd6ToNumber } from '../domain/decimal.ts'
import type { Quote } from '../domain/quote.ts'
import type { Address, Hex } from '../domain/units.ts'
import * as field from './field.ts'
import { decodeAddress, decodeContracts, decodeTime, decodeUint256, decodeUsd6, encodeTime } from './fields.ts'
import { decodeOrder, encodeOrder, OrderFields } from './order.ts'
import { DefundedIn, decodeEndedIn, EndedIn } from './order-end.ts'
import { createReader, type JsonSchema } from './reader.ts'
import { decodeTerms, encodeParams, RequestParams } from './request.ts'
import {
  AnyAddressText,
  Count,
  described,
  Flag,
  HexText,
  IsoTime,
  nullable,
  optional,
  successOf,
  Text,
} from './schemas.ts'

export const QuoteFields = Type.Object({
  quoteId: field.quoteId,
  makerId: field.makerId,
  maker: field.maker,
  side: field.side,
  price: field.price,
  otherPrice: Type.Optional(field.otherPrice),
  size: field.size,
  pricedAt: described(IsoTime, 'Time since which the quote has its current price.', '2027-01-15T07:00:01.120Z'),
  expiresAt: field.expiresAt,
  firm: Type.Optional(field.firm),
})

type Kind = AuditFact['kind']

const entryOf = <Name extends Kind, Fields extends Record<string, JsonSchema>>(kind: Name, fields: Fields) =>
  Type.Object({
    kind: described(Type.Literal(kind) as TLiteral<Name>, field.kind),
    at: field.at,
    requestId: field.requestId,
    ...fields,
  })

const ofQuote = { makerId: field.makerId, quoteId: field.quoteId }
const SeenQuoteFields = Type.Object({
  ...QuoteFields.properties,
  misses: described(Count, 'Confirmations that the maker missed in this request.', 0),
  demoted: described(Flag, 'Whether misses over all requests put the maker behind the others.', false),
  proven: described(Flag, 'Whether the maker had confirmed an order before.', true),
  considered: described(Flag, 'Whether this commit had dealt with the maker already.', false),
})

const Wait = { waitedMs: described(Count, 'Time that the maker took, in milliseconds.', 1_151) }

/** The events of a request by kind, each also an event of the operator's stream. No entry carries a secret. */
export const AUDIT_ENTRIES = {
  opened: entryOf('opened', {
    seriesId: field.seriesId,
    expiresAt: field.expiresAt,
    params: RequestParams,
    makersConnected: field.makersConnected,
  }),
  reopened: entryOf('reopened', {}),
  quoted: entryOf('quoted', {
    quote: QuoteFields,
    isRequote: described(Flag, 'Whether the maker had already quoted on this request.', false),
  }),
  quote_sealed: entryOf('quote_sealed', ofQuote),
  quote_refused: entryOf('quote_refused', { makerId: field.makerId, code: field.code, detail: field.detail }),
  quote_withdrawn: entryOf('quote_withdrawn', ofQuote),
  quote_dropped: entryOf('quote_dropped', ofQuote),
  quote_expired: entryOf('quote_expired', ofQuote),
  quote_absent: entryOf('quote_absent', ofQuote),
  commit_started: entryOf('commit_started', {
    wallet: described(AnyAddressText, field.wallet),
    limitPrice: nullable(field.limitPrice),
    minContracts: nullable(field.minContracts),
    expectedQuoteId: nullable(field.expectedQuoteId),
    firmOnly: Type.Optional(field.firmOnly),
    side: Type.Optional(field.committedSide),
  }),
  commit_refused: entryOf('commit_refused', { code: field.code }),
  ranked: entryOf('ranked', {
    quotes: described(Type.Array(SeenQuoteFields), 'The quotes that the commit saw, best first.'),
    hurriedLeft: described(
      Type.Integer(),
      'Makers without a confirmation that it could still ask before one that has one.',
      2,
    ),
    chosen: nullable(described(Text, 'The quote that it turned to; null for none.', 'q-7')),
  }),
  passed_over: entryOf('passed_over', { ...ofQuote, code: field.code, detail: field.detail }),
  asked: entryOf('asked', { ...ofQuote, order: OrderFields, deadline: field.deadline }),
  signature_refused: entryOf('signature_refused', ofQuote),
  declined: entryOf('declined', { ...ofQuote, ...Wait, reason: optional(field.reason) }),
  missed: entryOf('missed', ofQuote),
  confirmed: entryOf('confirmed', {
    ...ofQuote,
    executionId: field.executionId,
    ...Wait,
    order: Type.Optional(OrderFields),
    orderHash: Type.Optional(
      described(HexText, 'EIP-712 digest of the order that the maker signed.', `0x${'5e'.repeat(32)}`),
    ),
  }),
  order_filled: entryOf('order_filled', { ...ofQuote, ...EndedIn }),
  order_cancelled: entryOf('order_cancelled', { ...ofQuote, ...EndedIn }),
  order_expired: entryOf('order_expired', ofQuote),
  order_defunded: entryOf('order_defunded', { ...ofQuote, ...DefundedIn }),
  closed: entryOf('closed', {
    status: field.status,
    isDisplaced: field.displaced,
    omitted: Type.Optional(
      described(Count, 'Number of entries of the request that were not kept because there were too many.', 12),
    ),
  }),
} as const satisfies Record<Kind, JsonSchema>

type EntryFields = { [Name in Kind]: Static<(typeof AUDIT_ENTRIES)[Name]> }[Kind]

export const AuditAnswer = successOf({
  entries: described(Type.Array(Type.Union(Object.values(AUDIT_ENTRIES))), 'What happened, oldest first.'),
})

const readers = Object.fromEntries(
  Object.entries(AUDIT_ENTRIES).map(([kind, schema]) => [kind, createReader(schema as JsonSchema, 'the entry')]),
)

const readAnswer = createReader(successOf({ entries: Type.Array(Type.Object({ kind: field.kind })) }), 'the answer')

export function encodeAuditEntry(entry: AuditEntry): EntryFields {
  const at = encodeTime(entry.at)
  switch (entry.kind) {
    case 'opened': {
      const { kind, requestId, terms, seriesId, expiresAt, makersConnected } = entry
      const params = encodeParams(terms)
      return { kind, at, requestId, seriesId, expiresAt: encodeTime(expiresAt), params, makersConnected }
    }
    case 'quoted':
      return { ...entry, at, quote: encodeQuote(entry.quote) }
    case 'commit_started': {
      const { kind, requestId, terms } = entry
      const { wallet, expectedQuoteId } = terms
      const limitPrice = terms.limitPrice === null ? null : usd6ToNumber(terms.limitPrice)
      const minContracts = terms.minContracts === null ? null : Number(terms.minContracts)
      const started = { kind, at, requestId, wallet, limitPrice, minContracts, expectedQuoteId }
      return {
        ...started,
        ...(terms.firmOnly === true ? { firmOnly: true } : {}),
        ...(terms.side === undefined ? {} : { side: terms.side }),
      }
    }
    case 'ranked':
      return { ...entry, at, quotes: entry.quotes.map(encodeSeen) }
    case 'asked':
      return { ...entry, at, order: encodeOrder(entry.order), deadline: encodeTime(entry.deadline) }
    case 'confirmed': {
      const { order, ...confirmed } = entry
      return order === undefined ? { ...confirmed, at } : { ...confirmed, at, order: encodeOrder(order) }
    }
    default:
      return { ...entry, at }
  }
}

/** An entry of the audit log; null for a kind that this version does not know. */
export function decodeAuditEntry(kind: string, value: unknown): AuditEntry | null {
  const read = Object.hasOwn(readers, kind) ? readers[kind] : undefined
  return read === undefined ? null : decodeFields(read(value) as EntryFields)
}

export const encodeAuditLog = (entries: readonly AuditEntry[]): { success: true; entries: EntryFields[] } => ({
  success: true,
  entries: entries.map(encodeAuditEntry),
})

/** The life of a request, as far as this version knows its kinds. */
export const decodeAuditLog = (answer: unknown): AuditEntry[] =>
  readAnswer(answer).entries.flatMap((entry) => decodeAuditEntry(entry.kind, entry) ?? [])

export const encodeQuote = (quote: Omit<Quote, 'requestId'>): Static<typeof QuoteFields> => ({
  quoteId: quote.quoteId,
  makerId: quote.makerId,
  maker: quote.maker,
  side: quote.side,
  price: usd6ToNumber(quote.price),
  ...(quote.otherPrice === undefined ? {} : { otherPrice: usd6ToNumber(quote.otherPrice) }),
  size: Number(quote.size),
  pricedAt: encodeTime(quote.pricedAt),
  expiresAt: encodeTime(quote.expiresAt),
  ...(quote.isFirm === true ? { firm: true } : {}),
})

export const decodeQuote = (requestId: string, { firm, otherPrice, ...quote }: Static<typeof QuoteFields>): Quote => ({
  ...quote,
  ...(firm === true ? { isFirm: true } : {}),
  requestId,
  maker: quote.maker as Address,
  price: decodeUsd6(quote.price, 'half-up', 'quote.price'),
  ...(otherPrice === undefined ? {} : { otherPrice: decodeUsd6(otherPrice, 'half-up', 'quote.otherPrice') }),
  size: decodeContracts(quote.size),
  pricedAt: decodeTime(quote.pricedAt, 'quote.pricedAt'),
  expiresAt: decodeTime(quote.expiresAt, 'quote.expiresAt'),
})

const encodeSeen = ({ misses, isDemoted, isProven, isConsidered, ...quote }: SeenQuote) => ({
  ...encodeQuote(quote),
  misses,
  demoted: isDemoted,
  proven: isProven,
  considered: isConsidered,
})

const decodeSeen = (
  requestId: string,
  { misses, demoted, proven, considered, ...quote }: Static<typeof SeenQuoteFields>,
): SeenQuote => ({
  ...decodeQuote(requestId, quote),
  misses,
  isDemoted: demoted,
  isProven: proven,
  isConsidered: considered,
})

function decodeFields(fields: EntryFields): AuditEntry {
  const at = decodeTime(fields.at, 'at')
  switch (fields.kind) {
    case 'opened': {
      const { kind, requestId, params, makersConnected } = fields
      const seriesId = decodeUint256(fields.seriesId, 'seriesId')
      const expiresAt = decodeTime(fields.expiresAt, 'expiresAt')
      return { kind, at, requestId, terms: decodeTerms(params), seriesId, expiresAt, makersConnected }
    }
    case 'quoted':
      return { ...fields, at, quote: decodeQuote(fields.requestId, fields.quote) }
    case 'commit_started': {
      const { kind, requestId, expectedQuoteId } = fields
      const limitPrice = fields.limitPrice === null ? null : decodeUsd6(fields.limitPrice, 'half-up', 'limitPrice')
      const minContracts = fields.minContracts === null ? null : decodeContracts(fields.minContracts)
      const terms = {
        wallet: decodeAddress(fields.wallet, 'wallet'),
        limitPrice,
        minContracts,
        expectedQuoteId,
        ...(fields.firmOnly === true ? { firmOnly: true } : {}),
        ...(fields.side === undefined ? {} : { side: fields.side }),
      }
      return { kind, at, requestId, terms }
    }
    case 'ranked':
      return { ...fields, at, quotes: fields.quotes.map((quote) => decodeSeen(fields.requestId, quote)) }
    case 'order_filled':
    case 'order_cancelled':
      return { ...fields, at, ...decodeEndedIn(fields) }
    case 'declined':
      return { ...fields, at, reason: fields.reason ?? null }
    case 'confirmed': {
      const { order, orderHash, ...confirmed } = fields
      return {
        ...confirmed,
        at,
        ...(order === undefined ? {} : { order: decodeOrder(order) }),
        ...(orderHash === undefined ? {} : { orderHash: orderHash as Hex }),
      }
    }
    case 'asked':
      return { ...fields, at, order: decodeOrder(fields.order), deadline: decodeTime(fields.deadline, 'deadline') }
    default:
      return { ...fields, at }
  }
}
