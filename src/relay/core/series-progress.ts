import type { SeriesProgress } from '@rfqctl/protocol/domain/operations'
import type { Series, SeriesId } from '@rfqctl/protocol/domain/series'
import type { SeriesMark } from '@rfqctl/protocol/domain/surface'
import { mergePoints, type PricePoint, twapOf, twapToNumber, twapWindow } from '@rfqctl/protocol/domain/twap'
import { LruMap } from 'toad-cache'
import { createMarketNames } from './market-names.ts'
import type { OperationsPorts } from './ports/operations.ts'
import type { Escalation, PinnedResolution } from './ports/store.ts'
import { withoutUnheld } from './resolver.ts'
import type { ReadSurface } from './surfaces.ts'

/** `due`: expired without a resolution. `resolved`: not on chain yet. `review`: waits for a person. */
export type SeriesPhase = 'trading' | 'window' | 'due' | 'resolved' | 'review' | 'settled'

/** Nearest to expiry first; series far ahead or long settled have nothing to show. */
const SERIES_SHOWN = 200

/** Markets whose series show a mark, soonest expiry first: each may be a fit. */
const MARKETS_MARKED = 50

const SETTLED_SHOWN_S = 86_400

/** Enough for a sparkline. */
const POINTS_SHOWN = 60

/** Milliseconds between reads of an open window, and of a closed one: the price source may be a third party. */
const OPEN_EVERY_MS = 15_000
const OVER_EVERY_MS = 300_000

/** Soonest expiry first. Fails with `chain_unavailable`. */
export function createSeriesProgress(
  ports: OperationsPorts,
  readSurface: ReadSurface,
): () => Promise<readonly SeriesProgress[]> {
  const { store, chain, seriesIndex } = ports
  const pointsOf = createWindowPoints(ports)
  const nameOf = createMarketNames(ports)

  async function marksOf(open: readonly Series[]): Promise<ReadonlyMap<SeriesId, SeriesMark>> {
    const markets = [...new Set(open.map(({ conditionId }) => conditionId))].slice(0, MARKETS_MARKED)
    const surfaces = await Promise.all(markets.map((conditionId) => readSurface(conditionId).catch(() => null)))
    return new Map(surfaces.flatMap((surface) => surface?.series ?? []).map((worth) => [worth.seriesId, worth]))
  }

  async function progressOf(
    series: Series,
    facts: { chainTime: number; escalation: Escalation | null; worth: SeriesMark | null },
  ): Promise<SeriesProgress> {
    const { chainTime, escalation, worth } = facts
    const isPast = chainTime >= series.expiry
    const pinned = isPast && series.resolutionBps === null ? await store.resolutions.find(series.seriesId) : null
    const phase = phaseOf(series, { chainTime, pinned, escalation })
    const points = phase === 'trading' || phase === 'settled' ? [] : await pointsOf(series, chainTime)
    const { windowStart } = twapWindow(series.expiry)
    // The last price has held until now, and not yet until expiry.
    const twap = twapOf(points, { windowStart, windowEnd: Math.min(series.expiry, chainTime) })
    const resolutionBps = series.resolutionBps ?? pinned?.resolutionBps ?? null
    return {
      series,
      question: await nameOf(series.conditionId),
      phase,
      points: thinned(points),
      pointCount: points.length,
      twap: twap === null ? null : twapToNumber(twap),
      mark: worth?.mark ?? null,
      intrinsic: worth?.intrinsic ?? null,
      resolution: resolutionBps === null ? null : { resolutionBps, method: pinned?.meta.method ?? null },
      review: phase === 'review' && escalation !== null ? { reason: escalation.reason, at: escalation.at } : null,
    }
  }

  return async () => {
    const [all, chainTime, escalated] = await Promise.all([
      seriesIndex.list(),
      chain.time('cached'),
      store.resolutions.listEscalated(),
    ])
    const escalations = new Map(escalated.map((escalation) => [escalation.seriesId, escalation]))
    const isOver = ({ resolutionBps, expiry }: Series) => resolutionBps === null && expiry <= chainTime
    const wanted = new Set(await withoutUnheld(ports, all.filter(isOver)))
    const shown = all
      .filter((series) =>
        isOver(series)
          ? wanted.has(series)
          : series.resolutionBps === null || series.expiry > chainTime - SETTLED_SHOWN_S,
      )
      .sort((a, b) => a.expiry - b.expiry)
      .slice(0, SERIES_SHOWN)
    const marks = await marksOf(shown.filter((series) => series.resolutionBps === null && series.expiry > chainTime))
    const factsOf = ({ seriesId }: Series) => ({
      chainTime,
      escalation: escalations.get(seriesId) ?? null,
      worth: marks.get(seriesId) ?? null,
    })
    return Promise.all(shown.map((series) => progressOf(series, factsOf(series))))
  }
}

function phaseOf(
  { resolutionBps, expiry }: Series,
  facts: { chainTime: number; pinned: PinnedResolution | null; escalation: Escalation | null },
): SeriesPhase {
  const { chainTime, pinned, escalation } = facts
  if (resolutionBps !== null) return 'settled'
  if (pinned !== null) return 'resolved'
  if (escalation !== null) return 'review'
  if (chainTime >= expiry) return 'due'
  return chainTime >= twapWindow(expiry).windowStart ? 'window' : 'trading'
}

/** Series of one token and expiry share their points. */
function createWindowPoints({ store, prices, clock }: OperationsPorts) {
  const windows = new LruMap<{ staleAt: number; points: readonly PricePoint[] }>(SERIES_SHOWN)

  return async ({ yesTokenId, expiry }: Series, chainTime: number): Promise<readonly PricePoint[]> => {
    const key = `${yesTokenId} ${expiry}`
    const former = windows.get(key)
    if (former !== undefined && clock.now() < former.staleAt) return former.points
    const { windowStart, windowEnd } = twapWindow(expiry)
    const end = Math.min(windowEnd, chainTime)
    const [recorded, fetched] = await Promise.all([
      store.prices.between(yesTokenId, windowStart, end),
      prices.history(yesTokenId, windowStart, end).catch(() => []),
    ])
    const byTime = new Map(mergePoints(recorded, fetched).map((point) => [point.t, point]))
    const points = [...byTime.values()].filter(({ t }) => t >= windowStart && t <= end).sort((a, b) => a.t - b.t)
    const everyMs = chainTime < windowEnd ? OPEN_EVERY_MS : OVER_EVERY_MS
    windows.set(key, { staleAt: clock.now() + everyMs, points })
    return points
  }
}

/** At most `POINTS_SHOWN`, evenly chosen, the last one included. */
function thinned(points: readonly PricePoint[]): readonly PricePoint[] {
  if (points.length <= POINTS_SHOWN) return points
  const step = points.length / POINTS_SHOWN
  return Array.from({ length: POINTS_SHOWN }, (_, i) => points[Math.floor((i + 1) * step) - 1] as PricePoint)
}
