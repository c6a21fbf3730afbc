import type { Static } from 'typebox'
import * as Type from 'typebox'
import { usd6ToNumber } from '../domain/decimal.ts'
import type { OrderState } from '../domain/order-end.ts'
import { fillContracts, type Quote } from '../domain/quote.ts'
import { onSide, type QuoteRequest, type RequestStatus, type Side } from '../domain/request.ts'
import type { Address, Contracts, Usd6 } from '../domain/units.ts'
import * as field from './field.ts'
import { decodeContracts, decodeUsd6 } from './fields.ts'
import { decodeOrderStatus, encodeOrderStatus, OrderStatusFields } from './order-end.ts'
import { createReader } from './reader.ts'
import { Count, described, Flag, nullable, oneOf, successOf } from './schemas.ts'

const streamed = {
  maker_id: field.makerId,
  quote_id: field.quoteId,
  side: field.side,
  price: field.price,
  size: field.size,
  fillContracts: field.fillContracts,
  firm: Type.Optional(field.firm),
}

/** The best quote of a stream: the specification's subset, and the options that it would fill (decision Q9). */
const StreamedBestQuote = Type.Object(streamed)

/** The best quote of a poll, with its maker's wallet and what remains of its life (protocol watch-1). */
export const BestQuote = Type.Object({ ...streamed, maker: field.maker, expires_in_ms: field.expiresInMs })

const book = {
  quoteCount: field.quoteCount,
  status: described(oneOf('open', 'committed', 'expired', 'cancelled'), field.status),
  bookSeq: described(Count, 'Rises by one with each change of the book.', 7),
  displaced: field.displaced,
}

const BestQuoteField = described(
  StreamedBestQuote,
  'The best valid quote; null when there is none. Of a request that asks for both sides, the best for a purchase.',
)
const BestBidField = described(
  StreamedBestQuote,
  'Requests that ask for both sides: the best valid quote for a sale; null when there is none.',
)

export const BestQuoteEvent = Type.Object({
  bestQuote: nullable(BestQuoteField),
  bestBid: Type.Optional(nullable(BestBidField)),
  ...book,
})

/** Fields of a poll; `confirming` while a maker is asked to sign (protocol watch-2). */
export const polled = {
  bestQuote: described(nullable(BestQuote), BestQuoteField),
  bestBid: Type.Optional(described(nullable(BestQuote), BestBidField)),
  bestForSize: Type.Optional(
    described(
      nullable(BestQuote),
      'The best valid quote that fills at least half of the requested amount; null when there is none.',
    ),
  ),
  ...book,
  closed: field.closed,
  confirming: described(Flag, 'Whether a maker is being asked to sign.', false),
  orderStatus: Type.Optional(OrderStatusFields),
}

export const PollAnswer = successOf(polled)

const readEvent = createReader(BestQuoteEvent, 'the event')
const readPoll = createReader(PollAnswer, 'the answer')

type Top = {
  request: Pick<QuoteRequest, 'trade' | 'option'>
  status: RequestStatus
  confirming: boolean
  best: Quote | null
  bestBid?: Quote | null
  quoteCount: number
  bookSeq: number
  isDisplaced?: true
}

/** A quote as its taker sees it. */
export type ShownQuote = {
  /** Maker of the quote. */
  makerId: string
  /** Its id, for `expectedQuoteId`. */
  quoteId: string
  /** Null on a stream. */
  maker: Address | null
  side: Side
  /** Micro-dollars per option. */
  price: Usd6
  /** Most options at this price. */
  size: Contracts
  /** Options that a commit would trade: as many as the budget buys or the size asks for, at most `size`. */
  fillContracts: Contracts
  /** Whether its maker has signed already, so that a commit waits for no one; absent: no. */
  isFirm?: true
  /** Milliseconds; null on a stream. */
  expiresInMs: number | null
}

/** The quotes on a request as its taker sees them. A stream leaves `confirming`, `bestForSize` and `orderStanding` null. */
export type ShownBook = {
  /** The best quote; null before the first one. */
  bestQuote: ShownQuote | null
  /** The best quote for a sale, where both sides are asked for; `bestQuote` is for a purchase then. Absent elsewhere. */
  bestBid?: ShownQuote | null
  /** Makers with a quote in the book. */
  quoteCount: number
  /** Stays `open` while a maker is asked to sign. */
  status: RequestStatus
  /** Rises with every change of the book. */
  bookSeq: number
  /** Whether the relay cancelled it to make room for another client's, so that it may be opened again; absent: no. */
  isDisplaced?: true
  /** Whether a maker is asked to sign; null on a stream. */
  confirming: boolean | null
  /** Best one that fills at least half of what is asked; null without one. */
  bestForSize: ShownQuote | null
  /** Standing of the signed order; null if there is none. */
  orderStanding: OrderState | null
}

export function encodeBestQuoteEvent({
  request,
  best,
  bestBid,
  quoteCount,
  status,
  bookSeq,
  isDisplaced,
}: Top): Static<typeof BestQuoteEvent> {
  return {
    bestQuote: best === null ? null : encodeStreamed(best, fillOf(request, best)),
    ...(bestBid === undefined
      ? {}
      : { bestBid: bestBid === null ? null : encodeStreamed(bestBid, fillOf(request, bestBid)) }),
    quoteCount,
    status,
    bookSeq,
    ...(isDisplaced === true ? { displaced: true } : {}),
  }
}

/** The answer to a poll; lifetimes count from `now`, Unix milliseconds. */
export function encodePoll(
  top: Top & { bestForSize: Quote | null; orderStanding: OrderState | null },
  now: number,
): Static<typeof PollAnswer> {
  const { request, best, bestBid, bestForSize, quoteCount, status, bookSeq, confirming, isDisplaced, orderStanding } =
    top
  const encode = (quote: Quote | null) => (quote === null ? null : encodeBestQuote(quote, fillOf(request, quote), now))
  return {
    success: true,
    bestQuote: encode(best),
    ...(bestBid === undefined ? {} : { bestBid: encode(bestBid) }),
    bestForSize: encode(bestForSize),
    quoteCount,
    status,
    bookSeq,
    closed: status !== 'open',
    confirming,
    ...(isDisplaced === true ? { displaced: true } : {}),
    ...(orderStanding === null ? {} : { orderStatus: encodeOrderStatus(orderStanding) }),
  }
}

const fillOf = (request: Top['request'], quote: Quote): Contracts =>
  fillContracts(onSide(request, quote.side).trade, quote)

/** A quote with its maker's wallet and what remains of its life at `now`, Unix milliseconds (decision Q5). */
export function encodeBestQuote(quote: Quote, fill: Contracts, now: number): Static<typeof BestQuote> {
  const expires_in_ms = Math.max(0, quote.expiresAt - now)
  return { ...encodeStreamed(quote, fill), maker: quote.maker, expires_in_ms }
}

export function decodeBestQuoteEvent(data: unknown): ShownBook {
  const { bestQuote, bestBid, displaced, ...shown } = readEvent(data)
  const decode = (quote: typeof bestQuote) =>
    quote === null ? null : { ...decodeStreamed(quote), maker: null, expiresInMs: null }
  const bid = bestBid === undefined ? {} : { bestBid: decode(bestBid) }
  const book = {
    ...shown,
    bestQuote: decode(bestQuote),
    ...bid,
    confirming: null,
    bestForSize: null,
    orderStanding: null,
  }
  return displaced === true ? { ...book, isDisplaced: true } : book
}

export function decodePoll(answer: unknown): ShownBook {
  const {
    bestQuote,
    bestBid,
    bestForSize = null,
    quoteCount,
    status,
    bookSeq,
    confirming,
    displaced,
    orderStatus,
  } = readPoll(answer)
  return {
    bestQuote: bestQuote === null ? null : decodeBestQuote(bestQuote),
    ...(bestBid === undefined ? {} : { bestBid: bestBid === null ? null : decodeBestQuote(bestBid) }),
    bestForSize: bestForSize === null ? null : decodeBestQuote(bestForSize),
    quoteCount,
    status,
    bookSeq,
    ...(displaced === true ? { isDisplaced: true } : {}),
    confirming,
    orderStanding: orderStatus === undefined ? null : decodeOrderStatus(orderStatus),
  }
}

export function decodeBestQuote(quote: Static<typeof BestQuote>): ShownQuote {
  return { ...decodeStreamed(quote), maker: quote.maker as Address, expiresInMs: quote.expires_in_ms }
}

function encodeStreamed(quote: Quote, fill: Contracts): Static<typeof StreamedBestQuote> {
  const soft = {
    maker_id: quote.makerId,
    quote_id: quote.quoteId,
    side: quote.side,
    price: usd6ToNumber(quote.price),
    size: Number(quote.size),
    fillContracts: Number(fill),
  }
  return quote.isFirm === true ? { ...soft, firm: true } : soft
}

function decodeStreamed(quote: Static<typeof StreamedBestQuote>): Omit<ShownQuote, 'maker' | 'expiresInMs'> {
  return {
    makerId: quote.maker_id,
    quoteId: quote.quote_id,
    side: quote.side,
    price: decodeUsd6(quote.price, 'half-up', 'price'),
    size: decodeContracts(quote.size),
    fillContracts: decodeContracts(quote.fillContracts),
    ...(quote.firm === true ? { isFirm: true } : {}),
  }
}
