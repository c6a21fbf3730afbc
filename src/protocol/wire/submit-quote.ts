import type { Static } from 'typebox'
import * as Type from 'typebox'
import { usd6ToNumber } from '../domain/decimal.ts'
import type { Order, TypedDataDomain } from '../domain/order.ts'
import { type Quote, type QuoteSubmission, quoteOn } from '../domain/quote.ts'
import type { SeriesId } from '../domain/series.ts'
import type { Usd6 } from '../domain/units.ts'
import * as field from './field.ts'
import { decodeAddress, decodeBytes32, decodeContracts, decodePrice, decodeUint256, decodeUsd6 } from './fields.ts'
import {
  DomainFields,
  decodeDomain,
  decodeOrder,
  encodeOrder,
  ORDER_TYPE_LIST,
  OrderFields,
  OrderTypes,
} from './order.ts'
import { createBodyReader, createReader, invalidField, type JsonSchema } from './reader.ts'
import { AddressText, Count, Dollars, described, Flag, Lifetime, optional, successOf, textOf } from './schemas.ts'

/** An id in another form than the relay's is an unknown one, as in a path, and a longer one is not an id. */
const MAX_ID_LENGTH = 200

const offered = {
  size: field.size,
  expires_in_ms: optional(described(Lifetime, field.expiresInMs)),
  firm: optional(
    described(Flag, 'Asks for the order of the quote in the answer, to sign it before a taker commits.', true),
  ),
}

const submission = <Quote extends JsonSchema>(quote: Quote) =>
  Type.Object({ requestId: described(textOf(MAX_ID_LENGTH), field.requestId), quote: described(quote, 'The quote.') })

const OneSidedQuote = Type.Object({
  maker: described(AddressText, field.maker),
  side: field.side,
  price: field.price,
  ...offered,
})

const TwoSidedQuote = Type.Object({
  maker: described(AddressText, field.maker),
  side: described(Type.Literal('both'), 'Both sides, on a request that asks for both.'),
  bid: described(Dollars, 'What the maker pays per option in dollars, exact to 6 decimals; less than `ask`.', 0.1),
  ask: described(Dollars, 'What the maker takes per option in dollars, exact to 6 decimals.', 0.12),
  ...offered,
})

/** A quote on a request (protocol quote-2, open-12). */
export const SubmitQuoteBody = submission(Type.Union([OneSidedQuote, TwoSidedQuote]))

/** The orders that a maker may sign before a taker commits, with all that signing needs. */
export const FirmOrderFields = {
  order: Type.Optional(OrderFields),
  bidOrder: Type.Optional(
    described(
      OrderFields,
      'The order at the bid of a quote on both sides; it has the same nonce, so that no chain fills both.',
    ),
  ),
  domain: Type.Optional(DomainFields),
  types: Type.Optional(OrderTypes),
}

/** The answer to a quote; `price` is the stored one (decision U2), the order is there where it was asked for (decision F1). */
export const QuotedAnswer = successOf({ quoteId: field.quoteId, price: field.price, ...FirmOrderFields })

const readOneSided = createBodyReader(submission(OneSidedQuote))
const readTwoSided = createBodyReader(submission(TwoSidedQuote))
const readQuoted = createReader(QuotedAnswer, 'the answer')

/** A maker's quote. Whether its price and size fit the request is for the domain to say (decision Q4). */
export function decodeSubmitQuote(body: unknown): { requestId: string; submission: QuoteSubmission } {
  const { requestId, quote } = isTwoSided(body) ? readTwoSided(body) : readOneSided(body)
  const submission = {
    maker: decodeAddress(quote.maker, 'quote.maker'),
    ...pricesOf(quote),
    size: decodeContracts(quote.size),
    expiresInMs: quote.expires_in_ms ?? null,
  }
  return { requestId, submission: quote.firm === true ? { ...submission, firm: true } : submission }
}

const isTwoSided = (body: unknown): boolean =>
  (body as { quote?: { side?: unknown } | null } | null)?.quote?.side === 'both'

function pricesOf(
  quote: Static<typeof OneSidedQuote | typeof TwoSidedQuote>,
): Pick<QuoteSubmission, 'side' | 'price' | 'otherPrice'> {
  if (quote.side !== 'both') return { side: quote.side, price: decodePrice(quote.price, quote.side, 'quote.price') }
  const [price, otherPrice] = [decodePrice(quote.ask, 'buy', 'quote.ask'), decodePrice(quote.bid, 'sell', 'quote.bid')]
  if (otherPrice >= price) throw invalidField('quote.bid', 'less than quote.ask', quote.bid)
  return { side: 'buy', price, otherPrice }
}

export function encodeSubmitQuote(input: {
  requestId: string
  submission: QuoteSubmission
}): Static<typeof SubmitQuoteBody> {
  const { requestId } = input
  const { maker, size, expiresInMs, firm } = input.submission
  const asked = firm === true ? { firm } : {}
  return {
    requestId,
    quote: { maker, ...shownPrices(input.submission), size: Number(size), expires_in_ms: expiresInMs, ...asked },
  }
}

function shownPrices(quote: Pick<QuoteSubmission, 'side' | 'price' | 'otherPrice'>) {
  const { price: ask, otherPrice: bid } = quoteOn(quote, 'buy')
  return bid === undefined
    ? { side: quote.side, price: usd6ToNumber(quote.price) }
    : { side: 'both' as const, bid: usd6ToNumber(bid), ask: usd6ToNumber(ask) }
}

type ToSign = {
  /** Order with the terms of the quote; of one on both sides, at its ask. */
  order: Order
  /** Order at the bid of a quote on both sides. */
  otherOrder?: Order
  /** The domain to sign it for. */
  domain: TypedDataDomain
}

export function encodeQuoted(
  quote: Pick<Quote, 'quoteId' | 'price'> | (Pick<Quote, 'quoteId' | 'price'> & ToSign),
): Static<typeof QuotedAnswer> {
  const answer = { success: true as const, quoteId: quote.quoteId, price: usd6ToNumber(quote.price) }
  if (!('order' in quote)) return answer
  const { order, otherOrder, domain } = quote
  const bidOrder = otherOrder === undefined ? {} : { bidOrder: encodeOrder(otherOrder) }
  return { ...answer, order: encodeOrder(order), ...bidOrder, domain, types: ORDER_TYPE_LIST }
}

/** A quote as it was taken. */
export type QuoteTaken = {
  quoteId: string
  /** Price in the book, micro-dollars per option. */
  price: Usd6
  /** The order to sign beforehand; absent where none was asked for, or the request names no wallet. */
  toSign?: ToSign
}

export function decodeQuoted(answer: unknown): QuoteTaken {
  const { quoteId, price, order, bidOrder, domain } = readQuoted(answer)
  const taken = { quoteId, price: decodeUsd6(price, 'half-up', 'price') }
  if (order === undefined || domain === undefined) return taken
  const other = bidOrder === undefined ? {} : { otherOrder: decodeOrder(bidOrder) }
  return { ...taken, toSign: { order: decodeOrder(order), ...other, domain: decodeDomain(domain) } }
}

/** Which quotes are withdrawn; all of the maker's without a field (protocol quote-9). */
export const WithdrawQueryFields = Type.Object({
  seriesId: Type.Optional(field.seriesId),
  conditionId: Type.Optional(field.conditionId),
})

export const WithdrawnAnswer = successOf({ withdrawn: described(Count, 'Number of quotes withdrawn.', 3) })

const readQuery = createReader(WithdrawQueryFields, 'the query')
const readAnswer = createReader(WithdrawnAnswer, 'the answer')

/** Filter of a maker's quotes. */
export type WithdrawTerms = {
  seriesId?: SeriesId
  conditionId?: string
}

export function decodeWithdrawQuery(query: unknown): WithdrawTerms {
  const { seriesId, conditionId } = readQuery(query)
  return {
    ...(seriesId === undefined ? {} : { seriesId: decodeUint256(seriesId, 'seriesId') }),
    ...(conditionId === undefined ? {} : { conditionId: decodeBytes32(conditionId) }),
  }
}

export const encodeWithdrawn = (withdrawn: number): Static<typeof WithdrawnAnswer> => ({ success: true, withdrawn })

export const decodeWithdrawn = (answer: unknown): number => readAnswer(answer).withdrawn
