import type { ShownBook, ShownQuote, Side } from '@rfqctl/client/index'
import type { Handlers } from '../store.ts'
import { withSeries } from './reduce-ticket.ts'
import type { TradeState } from './state.ts'
import {
  type Failure,
  MAX_KEPT_TRADES,
  MAX_RACE_POINTS,
  type Race,
  type RacePoint,
  type Stage,
  type TradeRecord,
} from './trade-record.ts'
import { isUnderWay, raceOn, tradeOf } from './trade-view.ts'
import { chainNow, relayNow } from './view-model.ts'

type OfTrade<Fields> = { requestId: string } & Fields

export const tradesHandlers = {
  'trade-opened': (state, { record }: { record: TradeRecord }) => ({
    ...withRecord(state, record),
    activeTradeId: record.request.requestId,
    focus: null,
    place: 'panel',
  }),
  /** Another page of this origin changed it, or an earlier one kept it: the version with more changes counts. */
  'trade-kept': (state, { record }: { record: TradeRecord }) => {
    const own = state.trades.find(({ request }) => request.requestId === record.request.requestId)
    return own !== undefined && own.revision >= record.revision ? state : withRecord(state, record)
  },
  'trade-forgotten': (state, { requestId }: { requestId: string }) => forget(state, requestId),
  /** Market and ladder follow, so that they are those of the trade. */
  'trade-shown': (state, { requestId }: { requestId: string }) => {
    const record = state.trades.find(({ request }) => request.requestId === requestId)
    const shown = withSeries(state, record?.request.seriesId ?? '')
    return { ...shown, activeTradeId: requestId, focus: null, place: 'panel' }
  },
  /** Null takes the choice back. Limits belong to a shown price; the other side shows another. */
  'side-chosen': (state, { requestId, side }: OfTrade<{ side: Side | null }>) => {
    const record = state.trades.find(({ request }) => request.requestId === requestId)
    if (record?.stage.kind !== 'quoting' || record.request.terms.trade.side !== 'both') return state
    const chosen = change(state, requestId, ({ side: _, ...rest }) => (side === null ? rest : { ...rest, side }))
    return { ...chosen, ticket: { ...state.ticket, limitText: null, minText: null } }
  },
  'trade-moved': (state, { requestId, stage, failure = null }: OfTrade<{ stage: Stage; failure?: Failure | null }>) =>
    change(state, requestId, (record) => ({ ...record, stage, failure })),
  'trade-failed': (state, { requestId, failure }: OfTrade<{ failure: Failure | null }>) =>
    change(state, requestId, (record) => ({ ...record, failure })),
  'book-shown': (state, action: OfTrade<{ book: ShownBook }>) =>
    withFallback(
      withRace(state, action.requestId, (race) => withBook(state, race, action.book)),
      action,
    ),
  'size-quoted': (state, { requestId, bestForSize }: OfTrade<{ bestForSize: ShownQuote | null }>) =>
    withRace(state, requestId, (race) => ({ ...race, bestForSize })),
  'stream-changed': (state, { requestId, stream }: OfTrade<{ stream: Race['stream'] }>) =>
    withRace(state, requestId, (race) => ({ ...race, stream })),
} satisfies Handlers<TradeState>

/** By the relay's clock for open requests, by the chain's for unfilled orders. */
export function expireTrades(state: TradeState): TradeState {
  const trades = state.trades.map((record) => {
    const how = expiryOf(state, record)
    return how === null ? record : revised({ ...record, stage: { kind: 'ended', how } })
  })
  return trades.some((record, index) => record !== state.trades[index]) ? { ...state, trades } : state
}

function expiryOf(state: TradeState, { request, stage }: TradeRecord): 'expired' | 'order_expired' | null {
  if (stage.kind === 'quoting') return relayNow(state) >= request.expiresAt ? 'expired' : null
  if (stage.kind !== 'committed' || state.chainOffsetMs === null) return null
  const until = stage.commitment.onchain?.order.validUntil
  return until !== undefined && chainNow(state) / 1_000 > until ? 'order_expired' : null
}

const revised = (record: TradeRecord): TradeRecord => ({ ...record, revision: record.revision + 1 })

function change(state: TradeState, requestId: string, by: (record: TradeRecord) => TradeRecord): TradeState {
  const trades = state.trades.map((record) => (record.request.requestId === requestId ? revised(by(record)) : record))
  return { ...state, trades }
}

/** Keeps the newest trades; one under way outlasts those that are over. */
function withRecord(state: TradeState, record: TradeRecord): TradeState {
  const others = state.trades.filter(({ request }) => request.requestId !== record.request.requestId)
  const sorted = [record, ...others].toSorted((a, b) => b.openedAt - a.openedAt)
  if (sorted.length <= MAX_KEPT_TRADES) return { ...state, trades: sorted }
  const dropped = sorted.findLast((each) => !isUnderWay(each)) ?? sorted.at(-1)
  return forget({ ...state, trades: sorted }, dropped?.request.requestId ?? '')
}

function forget(state: TradeState, requestId: string): TradeState {
  const { [requestId]: _, ...races } = state.races
  return {
    ...state,
    races,
    trades: state.trades.filter(({ request }) => request.requestId !== requestId),
    activeTradeId: state.activeTradeId === requestId ? null : state.activeTradeId,
  }
}

const EMPTY_RACE: Race = {
  points: [],
  best: null,
  bestForSize: null,
  bestBid: null,
  bids: [],
  quoteCount: 0,
  bookSeq: -1,
  stream: { kind: 'opening' },
}

/** A new race drops finished ones: a page watches one request at a time. */
function withRace(state: TradeState, requestId: string, by: (race: Race) => Race): TradeState {
  if (!state.trades.some(({ request }) => request.requestId === requestId)) return state
  const live = Object.entries(state.races).filter(([id]) => {
    const record = state.trades.find(({ request }) => request.requestId === id)
    return id === state.activeTradeId || (record !== undefined && isUnderWay(record))
  })
  return { ...state, races: { ...Object.fromEntries(live), [requestId]: by(state.races[requestId] ?? EMPTY_RACE) } }
}

function withBook(state: TradeState, race: Race, { bestQuote, bestBid = null, quoteCount, bookSeq }: ShownBook): Race {
  const isSame = isSamePrice(bestQuote, race.best)
  return {
    ...race,
    best: bestQuote,
    // The watcher reads it again if the new best quote is small.
    bestForSize: isSame ? race.bestForSize : null,
    quoteCount,
    bookSeq,
    points: bestQuote === null || isSame ? race.points : thinned([...race.points, pointOf(state, bestQuote)]),
    bestBid,
    bids:
      bestBid === null || isSamePrice(bestBid, race.bestBid)
        ? race.bids
        : thinned([...race.bids, pointOf(state, bestBid)]),
    stream: { kind: 'open' },
  }
}

const isSamePrice = (quote: ShownQuote | null, other: ShownQuote | null): boolean =>
  quote?.quoteId === other?.quoteId && quote?.price === other?.price

const pointOf = (state: TradeState, quote: ShownQuote): RacePoint => ({
  at: relayNow(state),
  quoteId: quote.quoteId,
  makerId: quote.makerId,
  price: quote.price,
  fillContracts: quote.fillContracts,
  isFirm: quote.isFirm === true,
})

/** Drops every second point of the older half, but not the first: recent points stay in full, old ones in outline. */
function thinned(points: readonly RacePoint[]): readonly RacePoint[] {
  if (points.length <= MAX_RACE_POINTS) return points
  const half = Math.floor(points.length / 2)
  return points.filter((_, index) => index >= half || index % 2 === 0)
}

/**
 * Detects a fallback by another maker on top while one is asked to sign, at no better a price and within the limit. The
 * relay does not report fallbacks on the stream.
 */
function withFallback(state: TradeState, { requestId }: { requestId: string }): TradeState {
  const record = state.trades.find(({ request }) => request.requestId === requestId)
  const race = state.races[requestId]
  if (record?.stage.kind !== 'committing' || race === undefined) return state
  const { stage } = record
  const { best: bestQuote } = raceOn(race, record)
  const side = tradeOf(record)?.side
  if (bestQuote === null || side === undefined) return state
  if (bestQuote.makerId === stage.askedMakerId) return state
  const isBetter = side === 'buy' ? bestQuote.price < stage.shown.price : bestQuote.price > stage.shown.price
  const limit = stage.protections.limitPrice
  const isWithin = limit === null || (side === 'buy' ? bestQuote.price <= limit : bestQuote.price >= limit)
  if (isBetter || !isWithin) return state
  const asked: Stage = { ...stage, askedMakerId: bestQuote.makerId, askedAt: relayNow(state) }
  return change(state, requestId, (each) => ({ ...each, stage: asked }))
}
