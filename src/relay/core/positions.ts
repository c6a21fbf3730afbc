import { toUsd6 } from '@rfqctl/protocol/domain/decimal'
import { type Position, type ValuedPosition, valuePosition } from '@rfqctl/protocol/domain/position'
import type { Series, SeriesId } from '@rfqctl/protocol/domain/series'
import type { Address, ResolutionBps } from '@rfqctl/protocol/domain/units'
import type { Context } from './context.ts'
import { forEachLimited } from './for-each-limited.ts'
import type { ReadLatestPrice } from './latest-prices.ts'
import type { ReadSurface } from './surfaces.ts'

const CONCURRENCY = 64

/**
 * Soonest expiry first. A resolved series is valued at its resolution, even before it is on chain. Fails with
 * `chain_unavailable`; a source that is down only leaves values open.
 */
export async function readPositions(
  context: Context,
  sources: { readSpot: ReadLatestPrice; readSurface: ReadSurface },
  wallet: Address,
) {
  const { chain, seriesIndex } = context
  const list = await seriesIndex.list()
  const byId = new Map(list.map((series) => [series.seriesId, series]))
  const held = await chain.positions(wallet, [...byId.keys()])
  const valued: ValuedPosition[] = []
  await forEachLimited(held, CONCURRENCY, async (position) => {
    valued.push(await value(context, sources, position, byId))
  })
  return valued.sort((a, b) => a.series.expiry - b.series.expiry || (a.series.seriesId < b.series.seriesId ? -1 : 1))
}

async function value(
  { chain, store }: Pick<Context, 'chain' | 'store'>,
  { readSpot, readSurface }: { readSpot: ReadLatestPrice; readSurface: ReadSurface },
  { seriesId, long, short }: Position,
  byId: ReadonlyMap<SeriesId, Series>,
): Promise<ValuedPosition> {
  const indexed = byId.get(seriesId)
  if (indexed === undefined) throw new Error(`a position in a series that is not listed: ${seriesId}`)
  // An expired series may have been settled this second, by the caller that now looks for its claims.
  const hasExpired = indexed.resolutionBps === null && indexed.expiry <= (await chain.time('cached'))
  const [state, pinned] = await Promise.all([
    chain.series(seriesId, hasExpired ? 'latest' : 'cached'),
    store.resolutions.find(seriesId),
  ])
  const series = { ...indexed, ...state }
  const settled = series.resolutionBps !== null
  const resolutionBps: ResolutionBps | null = series.resolutionBps ?? pinned?.resolutionBps ?? null
  const [price, surface] = await Promise.all([
    readSpot(series.yesTokenId),
    resolutionBps === null ? readSurface(series.conditionId).catch(() => null) : null,
  ])
  const { mark = null } = surface?.series.find((one) => one.seriesId === seriesId) ?? {}
  const spot = price === null ? null : toUsd6(price, 'half-up')
  return { series, long, short, price, mark, ...valuePosition(series, { long, short, resolutionBps, settled, spot }) }
}
