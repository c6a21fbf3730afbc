import { groupBy } from '@rfqctl/lib/group-by'
import { usd6ToNumber } from '@rfqctl/protocol/domain/decimal'
import type { PackageOption } from '@rfqctl/protocol/domain/option'
import { YEAR_MS } from '@rfqctl/protocol/domain/pricing'
import type { Series, SeriesId } from '@rfqctl/protocol/domain/series'
import { type VolatilityPoint, volatilityPoint } from '@rfqctl/protocol/domain/surface'
import type { Context } from './context.ts'
import type { Levels, MakerLevels } from './levels.ts'
import type { OrderWatch } from './order-watch.ts'
import type { ReadPriceHistory } from './price-history.ts'
import { createThrottledRead } from './throttled-read.ts'
import { listTrades } from './trades.ts'

/** A volatility that a maker's level or a trade has shown of a series, and when, Unix milliseconds. */
export type Observed = { series: Vanilla; kind: 'level' | 'trade'; at: number; point: VolatilityPoint }

/** The open calls and puts of a market; `now` is Unix milliseconds of chain time, `spot` the YES price in dollars. */
export type MarketNow = { id: string; vanilla: ReadonlyMap<SeriesId, Vanilla>; now: number; spot: number }

export type Vanilla = Exclude<Series, PackageOption>

/** Milliseconds. */
const TRADES_KEPT_MS = 5_000

/** A trade counts half as much after each hour, milliseconds. */
const HALF_LIFE_MS = 3_600_000

/** A trade is at the price of one side: its distance from the fair one, dollars. */
const TRADE_TOLERANCE = 0.01

/** Greatest age of the YES price that a trade is judged by, milliseconds. */
const SPOT_AGE_MS = 900_000

/** Weight of a point whose bounds are a third of the volatility away. */
const WHOLE_WEIGHT = 0.1

/** Smallest change of chain time against the clock that leaves the times of earlier trades without meaning, milliseconds. */
const MOVED_MS = 15_000

/** The volatilities that makers' levels and filled trades show of a market. */
export function createObservations(
  context: Context,
  { levels, history, orderWatch }: { levels: Levels; history: ReadPriceHistory; orderWatch: OrderWatch },
) {
  const { clock } = context
  const readTrades = createThrottledRead(clock, TRADES_KEPT_MS, () =>
    listTrades(context, orderWatch, { conditionId: null, seriesId: null, before: null }),
  )
  /** The volatilities that levels show, by the id of a market: computed once, however often the market is read. */
  const shown = new WeakMap<MakerLevels, Map<string, readonly Observed[]>>()
  let ahead = { ms: 0, since: Number.NEGATIVE_INFINITY }

  function inLevels(maker: MakerLevels, market: MarketNow): readonly Observed[] {
    const byMarket = shown.get(maker) ?? new Map<string, readonly Observed[]>()
    const former = byMarket.get(market.id)
    if (former !== undefined) return former
    const found = maker.levels.flatMap(({ seriesId, bid, ask }): Observed[] => {
      const series = market.vanilla.get(seriesId)
      if (series === undefined) return []
      const point = pointOf(series, market.now, { bid: usd6ToNumber(bid), ask: usd6ToNumber(ask), spot: market.spot })
      return point === null ? [] : [{ series, kind: 'level', at: maker.at, point }]
    })
    const observed = asOneVoice(found)
    shown.set(maker, byMarket.set(market.id, observed))
    return observed
  }

  async function inTrades(market: MarketNow): Promise<readonly Observed[]> {
    const { trades } = await readTrades()
    // An order that no one fills costs those who signed it nothing.
    const ours = trades.flatMap(({ seriesId, price, at, state }) => {
      const series = market.vanilla.get(seriesId)
      return series === undefined || state === 'open' || state === 'expired' || at <= ahead.since
        ? []
        : [{ series, price, at }]
    })
    const [first] = ours
    if (first === undefined) return []
    const prices = await history(first.series.yesTokenId)
    const found = ours.flatMap(({ series, price, at }): Observed[] => {
      const time = at + ahead.ms
      const spot = prices.findLast(({ t }) => t * 1_000 <= time)
      if (spot === undefined || time - spot.t * 1_000 > SPOT_AGE_MS) return []
      const paid = usd6ToNumber(price)
      const point = pointOf(series, time, { bid: paid - TRADE_TOLERANCE, ask: paid + TRADE_TOLERANCE, spot: spot.p })
      if (point === null) return []
      const weight = point.weight * 0.5 ** ((clock.now() - at) / HALF_LIFE_MS)
      return [{ series, kind: 'trade', at, point: { ...point, weight } }]
    })
    return asOneVoice(found)
  }

  return {
    of: async (market: MarketNow): Promise<readonly Observed[]> => {
      const ms = market.now - clock.now()
      if (Math.abs(ms - ahead.ms) >= MOVED_MS) ahead = { ms, since: clock.now() }
      return [...levels.list().flatMap((maker) => inLevels(maker, market)), ...(await inTrades(market))]
    },
  }
}

function pointOf(
  { optionType, strikeBps, expiry }: Vanilla,
  now: number,
  prices: { bid: number; ask: number; spot: number },
): VolatilityPoint | null {
  const years = (expiry * 1_000 - now) / YEAR_MS
  return years > 0 ? volatilityPoint({ optionType, strikeBps, years, ...prices }) : null
}

/**
 * A maker counts as one, and so do all trades, at each expiry: many levels or trades outvote no one, nor does who is more exact. It
 * counts less where not even its best level shows the volatility to within a third.
 */
function asOneVoice(observed: readonly Observed[]): readonly Observed[] {
  const byExpiry = groupBy(observed, ({ series }) => String(series.expiry))
  return [...byExpiry.values()].flatMap((group) => {
    const weights = group.map(({ point }) => point.weight)
    const voice = Math.min(1, Math.max(...weights) / WHOLE_WEIGHT)
    const share = voice / weights.reduce((sum, weight) => sum + weight, 0)
    return group.map((one) => ({ ...one, point: { ...one.point, weight: one.point.weight * share } }))
  })
}
