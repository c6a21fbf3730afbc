import { type Option, payoff } from './option.ts'
import type { Side } from './request.ts'
import { type Contracts, type ResolutionBps, type Usd6, usd6 } from './units.ts'

/** Profit of a trade where its market resolves at a price: hundredths of $1, and micro-dollars, negative for a loss. */
export type ProfitPoint = { price: number; profit: Usd6 }

/** Prices that a market can resolve at, hundredths of $1. */
const RESOLUTIONS = Array.from({ length: 101 }, (_, price) => price as ResolutionBps)

/** A taker's profit from a trade, at every price that the market can resolve at: from the payoff and the premium. */
export function profitsOf(
  option: Option,
  { side, price, amount }: { side: Side; price: Usd6; amount: Contracts },
): ProfitPoint[] {
  const sign = side === 'buy' ? 1n : -1n
  return RESOLUTIONS.map((resolutionBps) => ({
    price: resolutionBps,
    profit: usd6(sign * amount * (payoff(option, resolutionBps) - price)),
  }))
}
