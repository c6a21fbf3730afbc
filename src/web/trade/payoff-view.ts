import {
  type Contracts,
  computeCollateral,
  computeMaxPayoff,
  contracts,
  type OneSidedTrade,
  type Option,
  type Side,
  type Usd6,
  usd6,
} from '@rfqctl/client/index'
import { type PartnerFee, partnerShare } from '@rfqctl/protocol/domain/partner-fee'
import { type ProfitPoint, profitAt, profitsOf } from '@rfqctl/protocol/domain/profit'
import { expirySecond, isReduceOnly } from '@rfqctl/protocol/domain/request'
import type { TradeState } from './state.ts'
import { activeTrade, operatorFee, tradeOf } from './trade-view.ts'
import { stayingSpot, ticketView } from './view-model.ts'

export type PayoffView = NonNullable<ReturnType<typeof payoffView>>

/**
 * The payoff of a signed trade or of the best quote; before any quote that of one option, which claims no gain. Null
 * without an option or a side, and for a trade that leaves a position: its profit depends on what the position cost.
 */
export function payoffView(state: TradeState) {
  const trade = activeTrade(state)
  const partnerFee = operatorFee(state)
  if (trade === null) {
    const ticket = ticketView(state)
    const spot = stayingSpot(state, ticket.terms)
    const { option, trade } = ticket
    const { side } = state.ticket
    return option === null || side === 'both' || trade?.side === 'both'
      ? null
      : unpriced(option, { side, trade, spot, partnerFee })
  }
  const { option, side, amount, price, record, partner } = trade
  const { terms } = record.request
  const own = tradeOf(record)
  if (side === null || own === null) return null
  const spot = stayingSpot(state, { ...terms.market, expiry: expirySecond(terms.option.expiryMs) })
  if (isReduceOnly(terms.trade)) return null
  const mark = spot === null ? null : (state.marks.get(record.request.seriesId) ?? null)
  if (amount === null || price === null) return unpriced(option, { side, trade: own, spot, partnerFee })
  const basis = 'commitment' in record.stage ? 'trade' : 'quote'
  return priced(option, { side, amount, price, spot, mark, basis, share: partner?.share ?? usd6(0n) })
}

type Unpriced = { side: Side; trade: OneSidedTrade | null; spot: Usd6 | null; partnerFee: PartnerFee | null }

function unpriced(option: Option, { side, trade, spot, partnerFee }: Unpriced) {
  const one = { side, amount: contracts(1n), price: usd6(0n) }
  const bound = trade === null ? null : boundOf(option, trade, partnerFee)
  return {
    basis: 'payoff' as const,
    side,
    maxPayoff: computeMaxPayoff(option),
    ...pointsOf(option, { ...one, spot }),
    /** The most that can be lost whatever makers ask, below 0; null while the amount is unreadable. */
    least: bound === null ? null : usd6(-bound),
  }
}

/** A buyer pays a partner's share on top of the budget, a writer out of the premium that comes in. */
const boundOf = (option: Option, trade: OneSidedTrade, partnerFee: PartnerFee | null): bigint =>
  trade.side === 'buy' ? trade.budget + partnerShare(trade.budget, partnerFee) : computeCollateral(option, trade.size)

type Priced = Terms & { mark: Usd6 | null; basis: 'trade' | 'quote'; share: Usd6 }

/** A partner's share is paid whatever the option brings. */
function priced(option: Option, { share, basis, mark, ...terms }: Priced) {
  const gross = pointsOf(option, terms)
  const points = gross.points.map(({ price, profit }) => ({ price, profit: usd6(profit - share) }))
  const profits = points.map(({ profit }) => profit)
  return {
    basis,
    amount: terms.amount,
    /** Profit if it is left at once at the mark, from which quotes differ; null without one. */
    atMark:
      mark === null
        ? null
        : usd6((terms.side === 'buy' ? mark - terms.price : terms.price - mark) * terms.amount - share),
    spot: gross.spot === null ? null : { ...gross.spot, profit: usd6(gross.spot.profit - share) },
    points,
    /** Largest gain and loss; a loss is below 0. */
    most: usd6(profits.reduce((most: bigint, each) => (each > most ? each : most), 0n)),
    least: usd6(profits.reduce((least: bigint, each) => (each < least ? each : least), 0n)),
    breakEvens: breakEvensOf(points),
  }
}

type Terms = { side: Side; amount: Contracts; price: Usd6; spot: Usd6 | null }

function pointsOf(option: Option, { spot, ...terms }: Terms) {
  return {
    points: profitsOf(option, terms),
    /** The current price of the YES token, hundredths of $1, and the profit there; null if unknown. */
    spot:
      spot === null ? null : { price: Number(spot) / 10_000, profit: profitAt(option, { ...terms, yesPrice: spot }) },
  }
}

/** Prices at which gain turns into loss or back, hundredths of $1. */
const breakEvensOf = (points: readonly ProfitPoint[]): number[] =>
  points.flatMap(({ price, profit }, index) => {
    const before = points[index - 1]?.profit
    return before !== undefined && before < 0n !== profit < 0n ? [crossing(price, before, profit)] : []
  })

/** Zero of a straight line from one cent to the next, to a hundredth of a cent: for an axis, not for money. */
const crossing = (price: number, before: bigint, after: bigint): number =>
  Math.round((price - Number(after) / Number(after - before)) * 100) / 100
