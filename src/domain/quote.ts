import type { ErrorCode } from './errors.ts'
import { fillContracts } from './fill.ts'
import { maxPayoff } from './option.ts'
import type { QuoteRequest, Side } from './request.ts'
import { type Address, type Contracts, ONE_USD, type Usd6 } from './units.ts'

/** What a maker offers: `price` per option in micro-dollars, lifetime in milliseconds or until the request closes. */
export type QuoteSubmission = {
  maker: Address
  side: Side
  price: Usd6
  size: Contracts
  expiresInMs: number | null
}

/** A maker's live quote. `pricedAt` is when this price first stood (decision Q6); times are Unix milliseconds. */
export type Quote = {
  quoteId: string
  requestId: string
  makerId: string
  maker: Address
  side: Side
  price: Usd6
  size: Contracts
  pricedAt: number
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
