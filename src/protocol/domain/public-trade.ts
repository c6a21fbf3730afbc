import { optionOf } from './option.ts'
import type { Order } from './order.ts'
import type { OrderState } from './order-end.ts'
import type { Side } from './request.ts'
import type { SeriesId, SeriesTerms } from './series.ts'
import type { Contracts, Hex, Usd6 } from './units.ts'

/** A signed trade as anyone may see it: without wallets, maker, request, quote and transaction. */
export type PublicTrade = SeriesTerms & {
  tradeId: string
  /** Time of the maker's signature. */
  at: number
  seriesId: SeriesId
  /** The taker's. */
  side: Side
  size: Contracts
  /** Micro-dollars per option. */
  price: Usd6
  /** Whether the signed order was filled; else whether it still can be, by its time alone. Null where that is not known. */
  state: 'open' | 'filled' | 'expired' | null
}

/** The place of a trade among all, by time (Unix milliseconds) and then by id. */
export type TapePlace = Pick<PublicTrade, 'tradeId' | 'at'>

/** A page of trades that is asked for: of a market, of a series, older than a place; null: no bound. */
export type TapePage = { conditionId: Hex | null; seriesId: SeriesId | null; before: TapePlace | null }

/** Names each public field by itself, so that a field which is added to trades is not public. */
export function publicTrade(trade: {
  tradeId: string
  at: number
  order: Pick<Order, 'seriesId' | 'optionAmount' | 'makerSelling' | 'validUntil'>
  price: Usd6
  series: SeriesTerms
  standing: OrderState | null
  /** Unix milliseconds. */
  now: number
}): PublicTrade {
  const { tradeId, at, order, price, series, standing, now } = trade
  const { conditionId, yesTokenId, expiry } = series
  return {
    tradeId,
    at,
    seriesId: order.seriesId,
    conditionId,
    yesTokenId,
    expiry,
    ...optionOf(series),
    side: order.makerSelling ? 'buy' : 'sell',
    size: order.optionAmount,
    price,
    state: standing === null ? null : stateOf(standing, now > order.validUntil * 1_000),
  }
}

/** A cancellation changes nothing, since the chain shows who cancelled at that moment. */
function stateOf({ state }: OrderState, isOver: boolean): PublicTrade['state'] {
  if (state === 'filled' || state === 'expired') return state
  return isOver ? 'expired' : 'open'
}
