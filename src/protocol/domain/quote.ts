import type { ErrorCode } from './errors.ts'
import { isPackage, maxPayoff } from './option.ts'
import { type OneSidedTrade, onSide, type QuoteRequest, type Side, sidesOf } from './request.ts'
import { type Address, type Contracts, contracts, ONE_USD, type Usd6, usd6 } from './units.ts'

/** A maker's offer. */
export type QuoteSubmission = {
  /** The wallet that will sign and pay. */
  maker: Address
  side: Side
  /** Micro-dollars per option. */
  price: Usd6
  /** The price on the other side, where both are asked for: `side` is `buy` then, and this the maker's bid. */
  otherPrice?: Usd6
  /** Most options at this price. */
  size: Contracts
  /** Milliseconds; null: until the request closes. */
  expiresInMs: number | null
  /** Whether the maker wants its order at once, to sign it before a taker commits; absent: no. */
  firm?: boolean
}

/** Fields of an order that neither its quote nor its request has. */
export type FirmTerms = {
  /** The nonce of the request and the wallet. */
  nonce: number
  /** The last second to fill it, Unix seconds of chain time. */
  validUntil: number
}

/** A maker's live quote. */
export type Quote = {
  quoteId: string
  /** The quote request that it answers. */
  requestId: string
  /** Maker that quotes. */
  makerId: string
  /** The wallet that will sign and pay. */
  maker: Address
  /** The side of the taker. */
  side: Side
  /** Micro-dollars per option. */
  price: Usd6
  /** The price on the other side, where both were asked for; what is kept and ranked reads `buy` until a commit names a side. */
  otherPrice?: Usd6
  /** Most options at this price. */
  size: Contracts
  /** Since when it has this price, Unix milliseconds (decision Q6). */
  pricedAt: number
  /** Time it ends, Unix milliseconds. */
  expiresAt: number
  /** Further fields of its order, where the maker was given the order with the quote. */
  firmTerms?: FirmTerms
  /** Whether its maker has signed already, so that a commit asks no one; absent: no. */
  isFirm?: true
}

/** Reason that a quote cannot be taken, most telling first. */
export type QuoteRefusal = Extract<
  ErrorCode,
  'side_mismatch' | 'size_too_small' | 'price_out_of_range' | 'price_above_max_payoff' | 'fill_below_one'
>

/** The prices of a quote, by which it reads on a side. */
type Priced = Pick<Quote, 'side' | 'price' | 'otherPrice'>

/**
 * A quote as it reads on a side: one on both sides has its price there, and the other one beside it.
 * @param quote - The quote; one on a single side reads the same.
 * @param side - The taker's side.
 * @returns The quote on that side.
 * @example
 * quoteOn({ side: 'buy', price: ask, otherPrice: bid }, 'sell') // { side: 'sell', price: bid, otherPrice: ask }
 */
export function quoteOn<Offer extends Priced>(quote: Offer, side: Side): Offer {
  const { price, otherPrice } = quote
  return otherPrice === undefined || quote.side === side
    ? quote
    : { ...quote, side, price: otherPrice, otherPrice: price }
}

/** Every reason why a quote fails, in the order of decision Q4; empty when it is good. One on both sides must be good on both. */
export function checkQuote(
  request: Pick<QuoteRequest, 'trade' | 'option'>,
  quote: Pick<QuoteSubmission, 'side' | 'price' | 'otherPrice' | 'size'>,
): QuoteRefusal[] {
  const isBoth = request.trade.side === 'both'
  if (isBoth !== (quote.otherPrice !== undefined)) return ['side_mismatch']
  return sidesOf(request.trade).flatMap((side) => checkSide(onSide(request, side), quoteOn(quote, side)))
}

function checkSide(
  { trade, option }: Pick<QuoteRequest, 'option'> & { trade: OneSidedTrade },
  quote: Pick<QuoteSubmission, 'side' | 'price' | 'size'>,
): QuoteRefusal[] {
  const refusals: QuoteRefusal[] = []
  // A package may pay, and cost, more than a dollar.
  const priceInRange = quote.price > 0n && (isPackage(option) || quote.price < ONE_USD)
  if (quote.side !== trade.side) refusals.push('side_mismatch')
  if (quote.size < 1n || (trade.side === 'sell' && quote.size * 2n < trade.size)) refusals.push('size_too_small')
  if (!priceInRange) refusals.push('price_out_of_range')
  if (quote.price > maxPayoff(option)) refusals.push('price_above_max_payoff')
  if (priceInRange && fillContracts(trade, quote) < 1n) refusals.push('fill_below_one')
  return refusals
}

/** The time at which a quote leaves the book, Unix milliseconds: after its lifetime, at the latest with its request (decision Q5). */
export function quoteExpiry(input: { now: number; expiresInMs: number | null; requestExpiresAt: number }): number {
  const { now, expiresInMs, requestExpiresAt } = input
  return expiresInMs === null ? requestExpiresAt : Math.min(now + expiresInMs, requestExpiresAt)
}

/**
 * The number of whole options that a quote fills: on a buy what the budget pays for, on a sell what was asked, and never more
 * than the maker's size (decision U5). The division rounds down: a budget is a ceiling.
 */
export function fillContracts(trade: OneSidedTrade, quote: { price: Usd6; size: Contracts }): Contracts {
  const wanted = wantedAt(trade, quote.price)
  return contracts(wanted < quote.size ? wanted : quote.size)
}

/** The number of whole options that a taker wants at a price. */
export function wantedAt(trade: OneSidedTrade, price: Usd6): Contracts {
  if (trade.side === 'sell') return trade.size
  const affordable = trade.budget / price
  return contracts(trade.most !== undefined && trade.most < affordable ? trade.most : affordable)
}

/** Whether a quote fills at least half of the options that the taker wants at its price. */
export function fillsHalf(trade: OneSidedTrade, quote: { price: Usd6; size: Contracts }): boolean {
  return quote.size * 2n >= wantedAt(trade, quote.price)
}

/** Whether a quote and a later look at it, on whichever side, are the same offer, with the same terms of an order and the same expiry. */
export const isSameOffer = (a: Quote, b: Quote): boolean =>
  a.price === quoteOn(b, a.side).price &&
  a.otherPrice === quoteOn(b, a.side).otherPrice &&
  a.size === b.size &&
  a.maker === b.maker &&
  a.expiresAt === b.expiresAt &&
  a.firmTerms?.nonce === b.firmTerms?.nonce &&
  a.firmTerms?.validUntil === b.firmTerms?.validUntil

/** Whether a quote is firm where only firm ones are taken. */
export const isFirmEnough = ({ firmOnly }: { firmOnly?: boolean }, { isFirm }: Pick<Quote, 'isFirm'>): boolean =>
  firmOnly !== true || isFirm === true

/** The premium of a fill in micro-dollars. */
export const premiumOf = (amount: Contracts, price: Usd6): Usd6 => usd6(amount * price)
