import type { ShownBook, ShownQuote } from '@rfqctl/client/index'
import { withOpenExpiry } from './reduce-ticket.ts'
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
import { isUnderWay } from './trade-view.ts'
import { chainNow, relayNow } from './view-model.ts'

/** What changes trades and their races. */
export type TradesAction =
  | { kind: 'trade-opened'; record: TradeRecord }
  /** Another page of this origin changed it, or it was kept from an earlier one. */
  | { kind: 'trade-kept'; record: TradeRecord }
  | { kind: 'trade-forgotten'; requestId: string }
  | { kind: 'trade-shown'; requestId: string | null }
  | { kind: 'trade-moved'; requestId: string; stage: Stage; failure?: Failure | null }
  | { kind: 'trade-failed'; requestId: string; failure: Failure | null }
  | { kind: 'book-shown'; requestId: string; book: ShownBook }
  | { kind: 'size-quoted'; requestId: string; bestForSize: ShownQuote | null }
  | { kind: 'stream-changed'; requestId: string; stream: Race['stream'] }

/** The state after a trade or its race changed. */
export function reduceTrades(state: TradeState, action: TradesAction): TradeState {
  switch (action.kind) {
    case 'trade-opened':
      return { ...withRecord(state, action.record), activeTradeId: action.record.request.requestId }
    case 'trade-kept':
      return keep(state, action.record)
    case 'trade-forgotten':
      return forget(state, action.requestId)
    case 'trade-shown':
      return showTrade(state, action.requestId)
    case 'trade-moved': {
      const { stage, failure = null } = action
      return change(state, action.requestId, (record) => ({ ...record, stage, failure }))
    }
    case 'trade-failed':
      return change(state, action.requestId, (record) => ({ ...record, failure: action.failure }))
    case 'book-shown':
      return withFallback(
        withRace(state, action.requestId, (race) => withBook(state, race, action.book)),
        action,
      )
    case 'size-quoted':
      return withRace(state, action.requestId, (race) => ({ ...race, bestForSize: action.bestForSize }))
    case 'stream-changed':
      return withRace(state, action.requestId, (race) => ({ ...race, stream: action.stream }))
  }
}

/** Shows a trade, or the ticket. */
function showTrade(state: TradeState, requestId: string | null): TradeState {
  const shown = { ...state, activeTradeId: requestId }
  return requestId === null ? withOpenExpiry(shown) : shown
}

/** Ends what has run out by now: open requests by the relay's clock, unfilled orders by the chain's. */
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

/** Of two pages that know a trade, the one counts that has seen more changes of it. */
function keep(state: TradeState, record: TradeRecord): TradeState {
  const own = state.trades.find(({ request }) => request.requestId === record.request.requestId)
  return own !== undefined && own.revision >= record.revision ? state : withRecord(state, record)
}

/** The newest trades; one that is under way outlasts those that are over. */
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
  quoteCount: 0,
  bookSeq: -1,
  stream: { kind: 'opening' },
}

/** Races of requests that are over are dropped with the next one: a page watches one at a time. */
function withRace(state: TradeState, requestId: string, by: (race: Race) => Race): TradeState {
  if (!state.trades.some(({ request }) => request.requestId === requestId)) return state
  const live = Object.entries(state.races).filter(([id]) => {
    const record = state.trades.find(({ request }) => request.requestId === id)
    return id === state.activeTradeId || (record !== undefined && isUnderWay(record))
  })
  return { ...state, races: { ...Object.fromEntries(live), [requestId]: by(state.races[requestId] ?? EMPTY_RACE) } }
}

function withBook(state: TradeState, race: Race, { bestQuote, quoteCount, bookSeq }: ShownBook): Race {
  const isSame = bestQuote?.quoteId === race.best?.quoteId && bestQuote?.price === race.best?.price
  return {
    ...race,
    best: bestQuote,
    // Read again by who watches, where the new best quote is small.
    bestForSize: isSame ? race.bestForSize : null,
    quoteCount,
    bookSeq,
    points: bestQuote === null || isSame ? race.points : thinned([...race.points, pointOf(state, bestQuote)]),
    stream: { kind: 'open' },
  }
}

const pointOf = (state: TradeState, quote: ShownQuote): RacePoint => ({
  at: relayNow(state),
  quoteId: quote.quoteId,
  makerId: quote.makerId,
  price: quote.price,
  fillContracts: quote.fillContracts,
  isFirm: quote.isFirm === true,
})

/** Every second point of the older half goes, but not the first: what is new is told in full, what is old in outline. */
function thinned(points: readonly RacePoint[]): readonly RacePoint[] {
  if (points.length <= MAX_RACE_POINTS) return points
  const half = Math.floor(points.length / 2)
  return points.filter((_, index) => index >= half || index % 2 === 0)
}

/**
 * Another maker on top while one is asked to sign, at no better a price and within the limit: the first one has not signed, and this one is
 * asked in its place. The relay does not say so on the stream, so that this is how it looks from here.
 */
function withFallback(
  state: TradeState,
  { requestId, book: { bestQuote } }: { requestId: string; book: ShownBook },
): TradeState {
  const record = state.trades.find(({ request }) => request.requestId === requestId)
  if (record?.stage.kind !== 'committing' || bestQuote === null) return state
  const { stage } = record
  if (bestQuote.makerId === stage.askedMakerId) return state
  const { side } = record.request.terms.trade
  const isBetter = side === 'buy' ? bestQuote.price < stage.shown.price : bestQuote.price > stage.shown.price
  const limit = stage.protections.limitPrice
  const isWithin = limit === null || (side === 'buy' ? bestQuote.price <= limit : bestQuote.price >= limit)
  if (isBetter || !isWithin) return state
  const asked: Stage = { ...stage, askedMakerId: bestQuote.makerId, askedAt: relayNow(state) }
  return change(state, requestId, (each) => ({ ...each, stage: asked }))
}
