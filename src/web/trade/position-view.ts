import {
  computeMaxPayoff,
  computePayoff,
  type MarketSummary,
  type SeriesId,
  type Usd6,
  usd6,
} from '@rfqctl/client/index'
import type { PositionEntry, Task, TradeState, Window } from './state.ts'
import { isUnderWay } from './trade-view.ts'
import { chainNow, marketKeyOf, type SeriesPhase, seriesPhase } from './view-model.ts'

/** A position as it is shown. */
export type PositionRow = PositionEntry & {
  seriesId: SeriesId
  phase: SeriesPhase
  /** What the market asks, a stranger's text. */
  question: string
  /** Value less cost, micro-dollars; null where one of both is not known. */
  profit: Usd6 | null
  /** How many are both held and written, and end against each other without anyone. */
  matched: bigint
  /** What one would pay were it settled at the price of now, or pays; null where neither is known. */
  paysEach: Usd6 | null
  /** When the options expire, or their price is final, milliseconds from now; 0 once it is past, null where neither is awaited. */
  remainingMs: number | null
  /** What can be done about it now. `wait`: its price can still be taken back. `worthless`: it pays nothing. */
  next: 'close' | 'settle' | 'wait' | 'claim' | 'worthless'
  /** That being done, or what came of it; null where it was not asked for. */
  task: Task | null
  /** The request that is open to leave it; null where there is none. */
  closingId: string | null
}

/** The positions of the wallet, those that need something first; null until they were read. */
export function positionRows(state: TradeState): readonly PositionRow[] | null {
  if (state.positions === null) return null
  return state.positions.rows
    .map((entry) => rowOf(state, entry))
    .toSorted((a, b) => RANK.indexOf(a.next) - RANK.indexOf(b.next) || a.series.expiry - b.series.expiry)
}

const RANK: readonly PositionRow['next'][] = ['claim', 'settle', 'wait', 'close', 'worthless']

function rowOf(state: TradeState, entry: PositionEntry): PositionRow {
  const { series, long, short, value, cost, mark } = entry
  const { seriesId, resolutionBps } = series
  const phase = seriesPhase(state, series)
  const closing = state.trades.find(
    (record) => record.purpose === 'close' && record.request.seriesId === seriesId && isUnderWay(record),
  )
  const next = nextOf(phase, entry)
  return {
    ...entry,
    seriesId,
    phase,
    question: questionOf(state.markets, series),
    profit: typeof cost === 'bigint' && value !== null ? usd6(value - cost) : null,
    matched: long < short ? long : short,
    paysEach: resolutionBps === null ? mark : computePayoff(series, resolutionBps),
    remainingMs: remainingOf(state, series, phase),
    next,
    task: state.tasks[`${next === 'wait' || next === 'worthless' ? 'settle' : next}:${seriesId}`] ?? null,
    closingId: closing?.request.requestId ?? null,
  }
}

function nextOf(phase: SeriesPhase, { series, long, short }: PositionEntry): PositionRow['next'] {
  if (phase === 'open' || phase === 'window') return 'close'
  if (phase === 'expired' || series.resolutionBps === null) return 'settle'
  if (phase === 'disputable') return 'wait'
  const payout = computePayoff(series, series.resolutionBps)
  return long * payout + short * (computeMaxPayoff(series) - payout) > 0n ? 'claim' : 'worthless'
}

function remainingOf(state: TradeState, series: PositionEntry['series'], phase: SeriesPhase): number | null {
  if (phase === 'settled') return null
  const end = phase === 'disputable' ? series.finalAt : series.expiry
  return end === undefined ? null : Math.max(0, end * 1_000 - chainNow(state))
}

/** What the market of a series asks: a stranger's text; the id of its condition where the market is not listed. */
export function questionOf(
  markets: readonly MarketSummary[] | null,
  series: Pick<MarketSummary, 'conditionId' | 'yesTokenId'>,
): string {
  return markets?.find((market) => marketKeyOf(market) === marketKeyOf(series))?.name ?? series.conditionId
}

/** What the positions come to. */
export type PositionTotals = {
  /** What all would bring at the prices of now; null where one is not known. */
  value: Usd6 | null
  /** Of those whose cost and value are known; null where none is. */
  profit: Usd6 | null
  claimable: Usd6
}

/** What the positions come to; null until they were read. */
export function positionTotals(state: TradeState): PositionTotals | null {
  const rows = positionRows(state)
  if (rows === null) return null
  const sum = (amounts: readonly bigint[]) => usd6(amounts.reduce((total, each) => total + each, 0n))
  const values = rows.flatMap(({ value }) => (value === null ? [] : [value]))
  const profits = rows.flatMap(({ profit }) => (profit === null ? [] : [profit]))
  return {
    value: values.length === rows.length ? sum(values) : null,
    profit: profits.length === 0 ? null : sum(profits),
    claimable: sum(rows.map(({ claimable }) => claimable)),
  }
}

/** The prices of a settlement window as they are drawn. */
export type WindowView = {
  window: Window
  seriesId: SeriesId
  /** Unix seconds; the points lie between them. */
  windowStart: number
  windowEnd: number
  points: readonly { t: number; price: number }[]
  /** The average of all prices up to each point, dollars: where the price of the series goes to. */
  averages: readonly { t: number; price: number }[]
  twap: number | null
  /** What the series was resolved at, dollars; null while it is not. */
  resolvedAt: number | null
  /** Now, within the window, Unix seconds; null outside of it. */
  cursor: number | null
}

/** The prices of a series' settlement window; null until they were read. */
export function windowView(state: TradeState, seriesId: SeriesId): WindowView | null {
  const window = state.windows[seriesId]
  if (window?.prices == null) return null
  const { windowStart, windowEnd, twap, resolutionBps } = window.prices
  const points = window.prices.points.map(({ t, p }) => ({ t, price: p }))
  const now = chainNow(state) / 1_000
  return {
    window,
    seriesId,
    windowStart,
    windowEnd,
    points,
    averages: runningAverages(points),
    twap,
    resolvedAt: resolutionBps === null ? null : resolutionBps / 100,
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
