import type { Handlers } from '../store.ts'
import type { PageAddress } from './address.ts'
import { withDefaults, withMarket, withOpenExpiry, withSeries } from './reduce-ticket.ts'
import type { List, Place, TradeState } from './state.ts'
import { marketKeyOf } from './view-model.ts'

export const addressHandlers = {
  /** The page was opened at an address, or its owner went back or forward to it. */
  'address-opened': (state, { address, place }: { address: PageAddress; place: Place }) =>
    arrive({
      ...state,
      activeTradeId: null,
      focus: null,
      place,
      list: address.kind === 'history' ? 'history' : withoutHistory(state.list),
      arrival: { kind: 'awaited', address },
    }),
  'place-shown': (state, { place }: { place: Place }) => withHistoryAddress({ ...state, place }),
  'list-shown': (state, { list }: { list: List }) =>
    withHistoryAddress({ ...state, list, place: list === 'history' ? 'mine' : state.place }),
  'position-shown': (state, { seriesId }: { seriesId: string }) => ({
    ...withSeries(state, seriesId),
    activeTradeId: null,
    focus: seriesId,
    place: 'panel',
  }),
  'ticket-shown': (state, { place }: { place: Place }) =>
    withOpenExpiry({ ...state, activeTradeId: null, focus: null, place }),
} satisfies Handlers<TradeState>

/** The history has the address while it is the list in sight; after it comes that of what the page shows besides. */
function withHistoryAddress(state: TradeState): TradeState {
  const { arrival, list, place } = state
  if (list === 'history' && place === 'mine')
    return { ...state, arrival: { kind: 'opened', address: { kind: 'history' } } }
  const wasHistory = arrival.kind === 'opened' && arrival.address.kind === 'history'
  return wasHistory ? { ...state, arrival: { kind: 'chosen' } } : state
}

const withoutHistory = (list: List): List => (list === 'history' ? 'positions' : list)

/** Shows what the address names once it is read. A new series may be listed a moment later than it is asked for. */
export function arrive(state: TradeState): TradeState {
  const { arrival, series, markets, trades } = state
  if (arrival.kind !== 'awaited' && arrival.kind !== 'unknown') return state
  const { address } = arrival
  const shown = address.kind === 'trade' && has(trades, address.requestId) ? address.requestId : null
  if (series === null || markets === null) return { ...state, activeTradeId: shown }
  const arrived: TradeState = { ...state, arrival: { kind: 'chosen' } }
  const unknown: TradeState = { ...state, arrival: { kind: 'unknown', address } }
  switch (address.kind) {
    case 'home': {
      const ticket = { ...state.ticket, marketKey: null, expiry: null, legs: [] }
      return withDefaults({ ...state, ticket, arrival: { kind: 'opened', address } })
    }
    case 'history':
      return withDefaults({ ...state, arrival: { kind: 'opened', address } })
    case 'market': {
      const { marketKey } = address
      if (!markets.some((market) => marketKeyOf(market) === marketKey)) return unknown
      return withMarket(state, marketKey)
    }
    case 'series':
    case 'position': {
      const { seriesId } = address
      if (!series.some((each) => each.seriesId === seriesId)) return unknown
      return { ...withSeries(arrived, seriesId), focus: address.kind === 'position' ? seriesId : null }
    }
    case 'trade': {
      const record = trades.find(({ request }) => request.requestId === address.requestId)
      if (record === undefined) return unknown
      return { ...withSeries(arrived, record.request.seriesId), activeTradeId: address.requestId }
    }
  }
}

const has = (trades: TradeState['trades'], requestId: string): boolean =>
  trades.some(({ request }) => request.requestId === requestId)
