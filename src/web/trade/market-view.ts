import { toUsd6, type Usd6, usd6 } from '@rfqctl/client/index'
import { expiryText, strike } from '@rfqctl/lib/format'
import { isPackage } from '@rfqctl/protocol/domain/option'
import type { TradeState } from './state.ts'
import { chainNow, chosenMarket, expiryTabs, ladder, marketKeyOf, seriesPhase, volumesOf } from './view-model.ts'

/** Times that a chart of the price may show, seconds, the shortest first. */
const SPANS = [3_600, 21_600, 86_400] as const

export type Span = (typeof SPANS)[number]

/** Share of the span that is drawn beyond the present, so that the next expiries are in sight. */
const AHEAD = 0.25

export type PriceView = NonNullable<ReturnType<typeof priceView>>

/** The YES price of the chosen market over a span, or over the longest that there are prices of; null without any. */
export function priceView(state: TradeState, asked: Span | null) {
  const market = chosenMarket(state)
  if (market === null) return null
  const now = chainNow(state) / 1_000
  const { prices } = state
  const known = prices?.marketKey === marketKeyOf(market) ? prices.points.filter(({ t }) => t <= now) : []
  const points = known.map(({ t, p }) => ({ t, price: p }))
  if (market.yesPrice !== null) points.push({ t: now, price: market.yesPrice })
  const oldest = points[0]
  if (oldest === undefined || points.length < 2) return null
  const spans = SPANS.filter((_, i) => oldest.t < now - (SPANS[i - 1] ?? 0))
  const span = spans.find((each) => each === asked) ?? spans.at(-1) ?? SPANS[0]
  const [from, until] = [now - span, now + span * AHEAD]
  // The price at the left edge is the last one before it.
  const first = points.findLast(({ t }) => t <= from)
  const shown = [...(first === undefined ? [] : [{ ...first, t: from }]), ...points.filter(({ t }) => t > from)]
  const values = shown.map(({ price }) => price)
  const open = expiryTabs(state).filter(({ isOver }) => !isOver)
  const amount = (price: number | undefined): Usd6 => toUsd6(price ?? 0, 'half-up') ?? usd6(0n)
  return {
    now,
    from,
    until,
    span,
    spans,
    points: shown,
    start: amount(values[0]),
    latest: amount(values.at(-1)),
    least: amount(Math.min(...values)),
    most: amount(Math.max(...values)),
    strikes: ladder(state).map(({ strikeBps }) => ({ price: strikeBps / 10_000, text: strike(strikeBps) })),
    expiries: open.filter(({ expiry }) => expiry <= until),
    /** Expiries that are beyond the drawn time. */
    later: open.filter(({ expiry }) => expiry > until),
  }
}

/** Trades of the chosen market and their premiums since `since`, Unix milliseconds; null until read. */
export function tapeView(state: TradeState) {
  const { tape } = state
  const market = chosenMarket(state)
  if (tape === null || market === null) return null
  const key = marketKeyOf(market)
  const trades = tape.trades.filter((trade) => marketKeyOf(trade) === key)
  return { trades, since: tape.since, volume: volumesOf(state).get(key) ?? usd6(0n) }
}

/** Curves of the volatility of the chosen market, a curve an expiry, the soonest first; null until read. */
export function smilesView(state: TradeState) {
  const { surface, ticket } = state
  const market = chosenMarket(state)
  if (surface === null || surface.conditionId !== market?.conditionId) return null
  const smiles = new Map<number, Map<number, { volatility: number; isSeen: boolean }>>()
  for (const series of surface.series) {
    const { expiry, volatility, observed } = series
    // From its window on an option is no longer one on the price at its expiry alone, which the model is of.
    if (isPackage(series) || volatility === null || !isBeforeWindow(state, expiry)) continue
    const curve = smiles.get(expiry) ?? new Map()
    const isSeen = observed !== null || curve.get(series.strikeBps)?.isSeen === true
    smiles.set(expiry, curve.set(series.strikeBps, { volatility, isSeen }))
  }
  return [...smiles]
    .toSorted(([a], [b]) => a - b)
    .map(([expiry, curve]) => ({
      expiry,
      text: expiryText(expiry, chainNow(state)),
      isChosen: expiry === ticket.expiry,
      points: [...curve]
        .toSorted(([a], [b]) => a - b)
        .map(([strikeBps, point]) => ({ strike: strikeBps / 10_000, ...point })),
    }))
}

const isBeforeWindow = (state: TradeState, expiry: number): boolean =>
  seriesPhase(state, { expiry, resolutionBps: null }) === 'open'
