import { quotedPrices } from '@rfqctl/client/quoted-prices'
import { maxPayoff, type Option } from '@rfqctl/protocol/domain/option'
import { fairValue, YEAR_MS } from '@rfqctl/protocol/domain/pricing'
import { checkQuote } from '@rfqctl/protocol/domain/quote'
import { type RequestTerms, sidesOf } from '@rfqctl/protocol/domain/request'
import { type Contracts, contracts, type Usd6, usd6 } from '@rfqctl/protocol/domain/units'

import { between, type Random } from './random.ts'
import type { MakerStyle } from './style.ts'

/** The random part of a maker's quotes on one request: its view of the price, and its pauses. */
export type QuotePlan = { view: number; pausesMs: readonly number[] }

/** A quote has a `bid` beside its price where the request asks for both sides. */
export type QuoteDecision =
  | { kind: 'quote'; price: Usd6; bid?: Usd6; size: Contracts; value: number }
  | { kind: 'pass'; reason: PassReason }

export type PassReason = 'expired' | 'no_room' | 'no_edge' | 'too_small'

/** Makers price on the grid of the strikes: a tick is a basis point of $1, 100 micro-dollars. */
const TICK = 100n
const TICKS_PER_DOLLAR = 10_000

/** The largest share of an option's value that a bid keeps: a spread in dollars would swallow cheap options whole. */
const BID_MARGIN = 0.5

const priceOf = (ticks: number): Usd6 => usd6(BigInt(ticks) * TICK)

/** Always draws the same number of times, so that the order in which requests interleave changes nothing. */
export function drawQuotePlan(style: MakerStyle, random: Random): QuotePlan {
  const view = between(random, { min: -style.opinion, max: style.opinion })
  const pausesMs = Array.from({ length: style.improvements + 1 }, () => Math.round(between(random, style.latencyMs)))
  return { view, pausesMs }
}

/**
 * Decides a maker's quote of a request: the model's value around its view of the spot, moved against its position, half a
 * spread away (a bid at most half its value), rounded to a tick in its favour, for as many options as its limits leave room.
 * `spot` is the YES price in dollars, `position` the options of this series held (negative: owed), `round` counts the
 * quotes of this request so far, `now` is Unix milliseconds.
 * @see M. Avellaneda, S. Stoikov, "High-frequency trading in a limit order book", Quantitative Finance 8(3), 2008, for the
 * price that leans against the position; here it leans linearly up to the limit
 */
export function decideQuote(input: {
  request: Pick<RequestTerms, 'option' | 'trade'>
  style: MakerStyle
  plan: QuotePlan
  spot: number
  position: number
  round: number
  now: number
}): QuoteDecision {
  const { request, style, plan, spot, position, round, now } = input
  const { option, trade } = request
  const years = (option.expiryMs - now) / YEAR_MS
  if (years <= 0) return { kind: 'pass', reason: 'expired' }
  const { value, ask, bid } = pricesOf(option, { style, spot: spot + plan.view, position, round, years })
  const sides = sidesOf(trade)
  const [ticks = null, otherTicks] = sides.map((side) => (side === 'buy' ? ask : bid))
  if (ticks === null || otherTicks === null || (otherTicks !== undefined && otherTicks >= ticks))
    return { kind: 'pass', reason: 'no_edge' }
  const rooms = sides.map((side) => Math.floor(style.positionLimit + (side === 'buy' ? position : -position)))
  const wanted = trade.side === 'buy' ? style.size : Math.min(style.size, Number(trade.size))
  const size = Math.min(wanted, ...rooms)
  if (size < 1) return { kind: 'pass', reason: 'no_room' }
  const offered = { price: priceOf(ticks), size: contracts(BigInt(size)) }
  const other = otherTicks === undefined ? {} : { bid: priceOf(otherTicks) }
  const checked = { ...quotedPrices(request, { ...offered, ...other }), size: offered.size }
  if (checkQuote(request, checked).length > 0) return { kind: 'pass', reason: 'too_small' }
  return { kind: 'quote', ...offered, ...other, value }
}

/**
 * The indicative level of a maker: what it would quote on either side in the end, micro-dollars per option; a bid of 0 where it would not buy.
 * An ask that no price is under is the max payoff. A maker that gives money away shows one price, as no level is crossed.
 */
export function levelOf(
  series: Option & { expiry: number },
  { now, ...input }: { style: MakerStyle; spot: number; position: number; now: number },
): { bid: Usd6; ask: Usd6 } {
  const years = (series.expiry * 1_000 - now) / YEAR_MS
  const { bid, ask } = pricesOf(series, { ...input, years, round: input.style.improvements })
  const shownAsk = ask === null ? maxPayoff(series) : usd6(BigInt(ask) * TICK)
  const shownBid = usd6(BigInt(bid ?? 0) * TICK)
  return { bid: shownBid < shownAsk ? shownBid : shownAsk, ask: shownAsk }
}

/** The model's value in dollars, and the prices around it in ticks; null where there is none. */
function pricesOf(
  option: Option,
  input: { style: MakerStyle; spot: number; position: number; round: number; years: number },
): { value: number; ask: number | null; bid: number | null } {
  const { style, spot, position, round, years } = input
  const value = fairValue(option, { spot: Math.min(1, Math.max(0, spot)), volatility: style.volatility, years })
  const centre = value - (style.skew * position) / style.positionLimit
  const half = style.halfSpread * style.tightening ** round
  const most = Number(maxPayoff(option) / TICK) - 1
  return {
    value,
    ask: askTicks({ ask: centre + half, most }),
    bid: bidTicks({ bid: centre - Math.min(half, value * BID_MARGIN), most }),
  }
}

/**
 * The ask, rounded up and capped just under the max payoff: on an option certain to pay that, the maker gives a tick
 * away so that the taker finds a quote. Null if no price is under it.
 */
const askTicks = ({ ask, most }: { ask: number; most: number }): number | null =>
  most < 1 ? null : Math.min(Math.max(1, Math.ceil(ask * TICKS_PER_DOLLAR)), most)

/** The bid rounded down, just under the max payoff at most; null when it is below a tick. */
function bidTicks({ bid, most }: { bid: number; most: number }): number | null {
  const ticks = Math.min(Math.floor(bid * TICKS_PER_DOLLAR), most)
  return ticks < 1 ? null : ticks
}
