import {
  computeMaxPayoff,
  computePayoff,
  contracts,
  type MarketSummary,
  type SeriesId,
  usd6,
} from '@rfqctl/client/index'
import { valuePosition, worthNow } from '@rfqctl/protocol/domain/position'
import type { PositionEntry, TradeState } from './state.ts'
import { isUnderWay } from './trade-view.ts'
import { chainNow, latestNow, marketKeyOf, type SeriesPhase, seriesPhase, spotOfMarket } from './view-model.ts'

type Next = 'close' | 'settle' | 'wait' | 'claim' | 'worthless'
export type PositionRow = ReturnType<typeof rowOf>

export function positionRows(state: TradeState): readonly PositionRow[] | null {
  if (state.positions === null) return null
  return state.positions.rows
    .map((entry) => rowOf(state, entry))
    .toSorted((a, b) => RANK.indexOf(a.next) - RANK.indexOf(b.next) || a.series.expiry - b.series.expiry)
}

const RANK: readonly Next[] = ['claim', 'settle', 'wait', 'close', 'worthless']

function rowOf(state: TradeState, entry: PositionEntry) {
  const { series, long, short, value, cost } = entry
  const { seriesId, resolutionBps } = series
  const phase = seriesPhase(state, series)
  const closing = state.trades.find(
    (record) => record.purpose === 'close' && record.request.seriesId === seriesId && isUnderWay(record),
  )
  const next = nextOf(phase, entry)
  const spot = spotOfMarket(state, series)
  const held = { long: contracts(long), short: contracts(short) }
  const now = worthNow({ ...entry, ...held }, latestNow(state))
  return {
    ...entry,
    seriesId,
    phase,
    question: questionOf(state.markets, series),
    /** Its payout if YES stays at the current price; null from the window on, where prices before count, or while none is known. */
    paysIfUnchanged:
      phase === 'open' ? valuePosition(series, { ...held, resolutionBps: null, settled: false, spot }).value : null,
    spot,
    /** Its worth at the mark; null from the window on, and without a mark. */
    worth: resolutionBps === null ? now : null,
    /** Its payout at the price that it resolved at; null before. */
    pays: resolutionBps === null ? null : value,
    /** Payout, or before that the worth at the mark, less cost; null without either, as a payoff without time value is not a worth. */
    profit: typeof cost === 'bigint' && now !== null ? usd6(now - cost) : null,
    /** Options both held and written, which end against each other without anyone. */
    matched: long < short ? long : short,
    remainingMs: remainingOf(state, series, phase),
    next,
    task: state.tasks[`${next === 'wait' || next === 'worthless' ? 'settle' : next}:${seriesId}`] ?? null,
    closingId: closing?.request.requestId ?? null,
  }
}

/** The possible action. `wait`: its price can still be taken back; `worthless`: it pays nothing. */
function nextOf(phase: SeriesPhase, { series, long, short }: PositionEntry): Next {
  if (phase === 'open' || phase === 'window') return 'close'
  if (phase === 'expired' || series.resolutionBps === null) return 'settle'
  if (phase === 'disputable') return 'wait'
  const payout = computePayoff(series, series.resolutionBps)
  return long * payout + short * (computeMaxPayoff(series) - payout) > 0n ? 'claim' : 'worthless'
}

/** Milliseconds until the options expire or their price is final; 0 once past, null if neither is awaited. */
function remainingOf(state: TradeState, series: PositionEntry['series'], phase: SeriesPhase): number | null {
  if (phase === 'settled') return null
  const end = phase === 'disputable' ? series.finalAt : series.expiry
  return end === undefined ? null : Math.max(0, end * 1_000 - chainNow(state))
}

/** A stranger's text; the id of its condition if the market is not listed. */
export const questionOf = (
  markets: readonly MarketSummary[] | null,
  series: Pick<MarketSummary, 'conditionId' | 'yesTokenId'>,
): string => markets?.find((market) => marketKeyOf(market) === marketKeyOf(series))?.name ?? series.conditionId

export function positionTotals(state: TradeState) {
  const rows = positionRows(state)
  if (rows === null) return null
  const sum = (amounts: readonly bigint[]) => usd6(amounts.reduce((total, each) => total + each, 0n))
  const unchanged = rows.filter(({ phase }) => phase === 'open' || phase === 'window')
  const payouts = unchanged.flatMap(({ paysIfUnchanged }) => (paysIfUnchanged === null ? [] : [paysIfUnchanged]))
  const worths = unchanged.flatMap(({ worth }) => (worth === null ? [] : [worth]))
  const profits = rows.flatMap(({ profit }) => (profit === null ? [] : [profit]))
  return {
    /** Sums open positions, each with its YES at the current price; null if there is none, or if it is unknown of one. */
    paysIfUnchanged: unchanged.length > 0 && payouts.length === unchanged.length ? sum(payouts) : null,
    /** Sums open positions at their marks; null if there is none, or if one has no mark. */
    worth: unchanged.length > 0 && worths.length === unchanged.length ? sum(worths) : null,
    /** Sums positions whose profit is known; null if there is none. */
    profit: profits.length === 0 ? null : sum(profits),
    claimable: sum(rows.map(({ claimable }) => claimable)),
  }
}

export function windowView(state: TradeState, seriesId: SeriesId) {
  const window = state.windows[seriesId]
  if (window?.prices == null) return null
  const { windowStart, windowEnd, twap, resolutionBps } = window.prices
  const points = window.prices.points.map(({ t, p }) => ({ t, price: p }))
  const now = chainNow(state) / 1_000
  return {
    window,
    seriesId,
    /** Unix seconds; the points lie between them. */
    windowStart,
    windowEnd,
    points,
    /** The average of all prices up to each point, dollars; it ends at the price of the series. */
    averages: runningAverages(points),
    twap,
    /** Dollars; null while unresolved. */
    resolvedAt: resolutionBps === null ? null : resolutionBps / 100,
    /** Current time within the window, Unix seconds; null outside of it. */
    cursor: now >= windowStart && now < windowEnd ? now : null,
  }
}

/** Each price holds until the next one, as in the average that settles; figures to draw, not to pay by. */
function runningAverages(points: readonly { t: number; price: number }[]): { t: number; price: number }[] {
  const [first] = points
  if (first === undefined) return []
  let sum = 0
  return points.map(({ t, price }, index) => {
    const before = points[index - 1]
    if (before === undefined) return { t, price }
    sum += before.price * (t - before.t)
    return { t, price: t === first.t ? price : sum / (t - first.t) }
  })
}
