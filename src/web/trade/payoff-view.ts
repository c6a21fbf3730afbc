import {
  type Contracts,
  contracts,
  type Option,
  type Side,
  type Trade,
  toUsd6,
  type Usd6,
  usd6,
} from '@rfqctl/client/index'
import { valueAt } from '@rfqctl/protocol/domain/option'
import { profitsOf } from '@rfqctl/protocol/domain/profit'
import { wantedAt } from '@rfqctl/protocol/domain/quote'
import type { TradeState } from './state.ts'
import { activeTrade, type TradeView } from './trade-view.ts'
import { ticketView } from './view-model.ts'

export type PayoffView = ReturnType<typeof payoffOf>

export function payoffView(state: TradeState): PayoffView | null {
  const trade = activeTrade(state)
  const yesPrice = yesPriceFor(state, trade)
  const spot = yesPrice === null ? null : yesPrice * 100
  if (trade === null) {
    const ticket = ticketView(state)
    return ticket.option === null
      ? null
      : payoffOf(ticket.option, { side: state.ticket.side, spot, ...estimate(ticket) })
  }
  const { option, side, amount, price, record } = trade
  if (amount === null || price === null) {
    const { terms } = record.request
    const now = yesPrice === null ? null : toUsd6(yesPrice, 'half-up')
    const valueNow = now === null ? null : valueAt(option, now)
    return payoffOf(option, { side, spot, ...estimate({ trade: terms.trade, valueNow }) })
  }
  const basis = 'commitment' in record.stage ? 'trade' : 'quote'
  return payoffOf(option, { side, spot, amount, price, basis })
}

/** Dollars, in the trade's own market. */
function yesPriceFor({ markets, ticket }: TradeState, trade: TradeView | null): number | null {
  const [conditionId, yesTokenId] =
    trade === null
      ? (ticket.marketKey ?? '').split(' ')
      : [trade.record.request.terms.market.conditionId, trade.record.request.terms.market.yesTokenId]
  const market = markets?.find((each) => each.conditionId === conditionId && each.yesTokenId === yesTokenId)
  return market?.yesPrice ?? null
}

function estimate({ trade, valueNow }: { trade: Trade | null; valueNow: Usd6 | null }): Priced {
  const unpriced: Priced = { amount: contracts(1n), price: usd6(0n), basis: 'payoff' }
  if (trade === null || valueNow === null || valueNow === 0n) return unpriced
  const amount = wantedAt(trade, valueNow)
  return amount === 0n ? unpriced : { amount, price: valueNow, basis: 'value' }
}

type Priced = {
  amount: Contracts
  price: Usd6
  /**
   * The figures go by a signed trade or a quote; before any quote, by the option's current value; or, if that is zero
   * or unknown, they show the payoff of one option with nothing paid.
   */
  basis: 'trade' | 'quote' | 'value' | 'payoff'
}

function payoffOf(option: Option, { side, spot, ...priced }: Priced & { side: Side; spot: number | null }) {
  const points = profitsOf(option, { side, price: priced.price, amount: priced.amount })
  const profits = points.map(({ profit }) => profit)
  const breakEvens = points.flatMap(({ price, profit }, index) => {
    const before = points[index - 1]?.profit
    return before !== undefined && before < 0n !== profit < 0n ? [crossing(price, before, profit)] : []
  })
  return {
    points,
    ...priced,
    /** Largest gain and loss; a loss is below 0. */
    most: usd6(profits.reduce((most: bigint, each) => (each > most ? each : most), 0n)),
    least: usd6(profits.reduce((least: bigint, each) => (each < least ? each : least), 0n)),
    /** Prices at which gain turns into loss or back, and the current one of the YES token, hundredths of $1. */
    breakEvens,
    spot,
  }
}

/** Zero of a straight line from one cent to the next, to a hundredth of a cent: for an axis, not for money. */
const crossing = (price: number, before: bigint, after: bigint): number =>
  Math.round((price - Number(after) / Number(after - before)) * 100) / 100
