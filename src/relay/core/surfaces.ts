import { groupBy } from '@rfqctl/lib/group-by'
import { toUsd6 } from '@rfqctl/protocol/domain/decimal'
import { isPackage, optionOf, valueAt } from '@rfqctl/protocol/domain/option'
import { YEAR_MS } from '@rfqctl/protocol/domain/pricing'
import type { Series } from '@rfqctl/protocol/domain/series'
import {
  fitSurface,
  type Level,
  type MarketSurface,
  markOf,
  medianOf,
  type SeriesMark,
} from '@rfqctl/protocol/domain/surface'
import type { Hex, Usd6 } from '@rfqctl/protocol/domain/units'
import type { Context } from './context.ts'
import { listSeries } from './discovery.ts'
import type { LatestPrices } from './latest-prices.ts'
import type { Levels } from './levels.ts'
import { createObservations, type Observed, type Vanilla } from './observations.ts'
import type { OrderWatch } from './order-watch.ts'
import type { ReadPriceHistory } from './price-history.ts'
import { createKeyedRead } from './throttled-read.ts'

/** The surface of a market; without series for a market that has no open one. */
export type ReadSurface = (conditionId: Hex) => Promise<MarketSurface>

/** Milliseconds: a fit takes some milliseconds of the process. */
const KEPT_MS = 5_000

const MARKETS_KEPT = 500

/** Fits the surface of a market at most every five seconds for all callers. */
export function createSurfaces(
  context: Context,
  sources: { spot: Pick<LatestPrices, 'read'>; history: ReadPriceHistory; levels: Levels; orderWatch: OrderWatch },
): ReadSurface {
  const { chain, clock } = context
  const { spot, levels } = sources
  const observations = createObservations(context, sources)
  const readOnce = createKeyedRead<MarketSurface>(clock, { everyMs: KEPT_MS, most: MARKETS_KEPT })

  async function read(
    conditionId: Hex,
    { open, now }: { open: readonly Series[]; now: number },
  ): Promise<MarketSurface> {
    const byToken = groupBy(open, ({ yesTokenId }) => yesTokenId)
    const fitted = [...byToken].map(([token, series]) => fit(series, { id: `${conditionId} ${token}`, now }))
    return { conditionId, at: clock.now(), series: (await Promise.all(fitted)).flat() }
  }

  async function fit(open: readonly Series[], { id, now }: { id: string; now: number }): Promise<SeriesMark[]> {
    const price = await spot.read((open[0] as Series).yesTokenId)
    if (price === null) return open.map((series) => markedAt(series, null))
    const vanilla = new Map(open.filter(isVanilla).map((series) => [series.seriesId, series]))
    const observed = await observations.of({ id, vanilla, now, spot: price })
    const byExpiry = groupBy(observed, ({ series }) => String(series.expiry))
    const bySeries = groupBy(observed, ({ series }) => series.seriesId)
    const expiries = [...new Set(open.map(({ expiry }) => expiry))].sort((a, b) => a - b)
    const slices = expiries.map((expiry) => ({
      years: (expiry * 1_000 - now) / YEAR_MS,
      points: (byExpiry.get(String(expiry)) ?? []).map(({ point }) => point),
    }))
    const smiles = fitSurface(price, slices)
    const levelsOf = groupBy(
      levels.list().flatMap((maker) => maker.levels),
      ({ seriesId }) => seriesId,
    )
    return open.map((series): SeriesMark => {
      const i = expiries.indexOf(series.expiry)
      const [smile, years] = [smiles?.[i] ?? null, slices[i]?.years as number]
      return {
        ...markedAt(series, price),
        mark: smile === null ? null : toUsd6(markOf(series, { spot: price, years, smile }), 'half-up'),
        volatility: smile === null || isPackage(series) ? null : smile(series.strikeBps),
        observed: seenOf(bySeries.get(series.seriesId) ?? []),
        indicative: bestOf(levelsOf.get(series.seriesId) ?? []),
      }
    })
  }

  return async (conditionId) => {
    const now = (await chain.time('cached')) * 1_000
    const listed = await listSeries(context, { conditionId, packages: true, settled: false })
    const open = listed.filter(({ expiry }) => expiry * 1_000 > now)
    // Markets that a stranger makes up take no other's place.
    if (open.length === 0) return { conditionId, at: clock.now(), series: [] }
    return readOnce(conditionId, () => read(conditionId, { open, now }))
  }
}

const isVanilla = (series: Series): series is Vanilla => !isPackage(series)

function markedAt(series: Series, price: number | null): SeriesMark {
  const { seriesId, conditionId, yesTokenId, expiry } = series
  const spot = price === null ? null : toUsd6(price, 'half-up')
  return {
    ...{ seriesId, conditionId, yesTokenId, expiry, ...optionOf(series) },
    yesPrice: price,
    mark: null,
    intrinsic: spot === null ? null : valueAt(series, spot),
    volatility: null,
    observed: null,
    indicative: null,
  }
}

function seenOf(observed: readonly Observed[]): SeriesMark['observed'] {
  const volatility = medianOf(observed.map(({ point }) => point))
  if (volatility === null) return null
  return {
    volatility,
    makers: observed.filter(({ kind }) => kind === 'level').length,
    trades: observed.filter(({ kind }) => kind === 'trade').length,
    at: Math.max(...observed.map(({ at }) => at)),
  }
}

function bestOf(levels: readonly Level[]): SeriesMark['indicative'] {
  const [first] = levels
  if (first === undefined) return null
  const bid = levels.reduce<Usd6>((most, level) => (level.bid > most ? level.bid : most), first.bid)
  const ask = levels.reduce<Usd6>((least, level) => (level.ask < least ? level.ask : least), first.ask)
  return { bid, ask, makers: levels.length }
}
