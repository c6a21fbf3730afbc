import type { ErrorCode } from './errors.ts'
import { fillContracts } from './fill.ts'
import { maxPayoff } from './option.ts'
import type { QuoteRequest, Side } from './request.ts'
import { type Address, type Contracts, ONE_USD, type Usd6 } from './units.ts'

/** What a maker offers. */
export type QuoteSubmission = {
  /** The wallet that will sign and pay. */
  maker: Address
  /** The side of the taker, as the request has it. */
  side: Side
  /** Micro-dollars per option. */
  price: Usd6
  /** The most options that it trades at this price. */
  size: Contracts
  /** How long it lasts, milliseconds; null: until the request closes. */
  expiresInMs: number | null
}

/** A maker's live quote. */
export type Quote = {
  /** Its id. */
  quoteId: string
  /** The quote request that it answers. */
  requestId: string
  /** Who quotes. */
  makerId: string
  /** The wallet that will sign and pay. */
  maker: Address
  /** The side of the taker. */
  side: Side
  /** Micro-dollars per option. */
  price: Usd6
  /** The most options that it trades at this price. */
  size: Contracts
  /** When this price first stood, Unix milliseconds (decision Q6). */
  pricedAt: number
  /** When it ends, Unix milliseconds. */
  expiresAt: number
}

/** Why a quote cannot be taken, most telling first. */
export type QuoteRefusal = Extract<
  ErrorCode,
  'side_mismatch' | 'size_too_small' | 'price_out_of_range' | 'price_above_max_payoff' | 'fill_below_one'
>

/** Every reason why a quote fails, in the order of decision Q4; empty when it is good. */
export function checkQuote(
  request: Pick<QuoteRequest, 'trade' | 'option'>,
  quote: Pick<QuoteSubmission, 'side' | 'price' | 'size'>,
): QuoteRefusal[] {
  const { trade, option } = request
  const refusals: QuoteRefusal[] = []
  const priceInRange = quote.price > 0n && quote.price < ONE_USD
  if (quote.side !== trade.side) refusals.push('side_mismatch')
  if (quote.size < 1n || (trade.side === 'sell' && quote.size * 2n < trade.size)) refusals.push('size_too_small')
  if (!priceInRange) refusals.push('price_out_of_range')
  if (quote.price > maxPayoff(option.optionType, option.strikeBps)) refusals.push('price_above_max_payoff')
  if (priceInRange && fillContracts(trade, quote) < 1n) refusals.push('fill_below_one')
  return refusals
}

/** When a quote leaves the book: after its lifetime, at the latest with its request (decision Q5). */
export function quoteExpiry({
  now,
  expiresInMs,
  requestExpiresAt,
}: {
  now: number
  expiresInMs: number | null
  requestExpiresAt: number
}): number {
  return expiresInMs === null ? requestExpiresAt : Math.min(now + expiresInMs, requestExpiresAt)
}
