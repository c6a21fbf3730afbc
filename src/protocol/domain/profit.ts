import { type Option, payoff, valueAt } from './option.ts'
import type { Side } from './request.ts'
import { type Contracts, type ResolutionBps, type Usd6, usd6 } from './units.ts'

/** Profit of a trade where its market resolves at a price: hundredths of $1, and micro-dollars, negative for a loss. */
export type ProfitPoint = { price: number; profit: Usd6 }

/** Prices that a market can resolve at, hundredths of $1. */
const RESOLUTIONS = Array.from({ length: 101 }, (_, price) => price as ResolutionBps)

type Terms = { side: Side; price: Usd6; amount: Contracts }

/**
 * A taker's profit from a trade if its market stays at a price of the YES token, micro-dollars, to the last one: a
 * market resolves at whole cents, and the price of now lies between them.
 */
export function profitAt(option: Option, { side, price, amount, yesPrice }: Terms & { yesPrice: Usd6 }): Usd6 {
  const sign = side === 'buy' ? 1n : -1n
  return usd6(sign * amount * (valueAt(option, yesPrice) - price))
}

/** A taker's profit from a trade, at every price that the market can resolve at: from the payoff and the premium. */
export function profitsOf(option: Option, { side, price, amount }: Terms): ProfitPoint[] {
  const sign = side === 'buy' ? 1n : -1n
  return RESOLUTIONS.map((resolutionBps) => ({
    price: resolutionBps,
    profit: usd6(sign * amount * (payoff(option, resolutionBps) - price)),
  }))
}
