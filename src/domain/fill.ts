import type { Trade } from './request.ts'
import { type Contracts, contracts, type Usd6, usd6 } from './units.ts'

/**
 * How many whole options a quote fills: on a buy what the budget pays for, on a sell what was asked, and never more
 * than the maker's size (decision U5). The division rounds down: a budget is a ceiling.
 */
export function fillContracts(trade: Trade, quote: { price: Usd6; size: Contracts }): Contracts {
  const wanted = trade.side === 'buy' ? trade.budget / quote.price : trade.size
  return contracts(wanted < quote.size ? wanted : quote.size)
}

/** Whether a quote fills at least half of what its price allows: of what the budget buys, or of what is written. */
export function fillsHalf(trade: Trade, quote: { price: Usd6; size: Contracts }): boolean {
  const wanted = trade.side === 'buy' ? trade.budget / quote.price : trade.size
  return quote.size * 2n >= wanted
}

/** The premium of a fill in micro-dollars. */
export const premiumOf = (amount: Contracts, price: Usd6): Usd6 => usd6(amount * price)
