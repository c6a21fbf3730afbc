import type { WindowPrices } from '@rfqctl/protocol/domain/review'
import {
  mergePoints,
  type PricePoint,
  shownPoints,
  type TwapWindow,
  twapOf,
  twapToNumber,
  twapWindow,
} from '@rfqctl/protocol/domain/twap'
import type { Context } from './context.ts'
import { findSeries } from './discovery.ts'
import { createKeyedRead } from './throttled-read.ts'

/** The id is decimal or hex. Refuses with `series_not_found`. */
export type ReadWindowPrices = (seriesId: string) => Promise<WindowPrices>

/** Milliseconds: sources have a price a minute. */
const KEPT_MS = 15_000

/** Each window may have some hundred points. */
const WINDOWS_KEPT = 256

type Window = Pick<WindowPrices, 'points' | 'twap'>

const NOTHING: Window = { points: [], twap: null }

/** Reads each window at most every 15 s for all callers: all its series share the same prices. */
export function createWindowPrices(
  context: Pick<Context, 'store' | 'prices' | 'seriesIndex' | 'chain' | 'clock'>,
): ReadWindowPrices {
  const { store, prices, seriesIndex, chain, clock } = context
  const readOnce = createKeyedRead<Window>(clock, { everyMs: KEPT_MS, most: WINDOWS_KEPT })

  async function read(yesTokenId: string, { windowStart, windowEnd: until }: TwapWindow): Promise<Window> {
    const [recorded, fetched] = await Promise.all([
      store.prices.between(yesTokenId, windowStart, until),
      prices.history(yesTokenId, windowStart, until).catch((): PricePoint[] => []),
    ])
    const points = mergePoints(recorded, fetched).filter(({ t }) => t >= windowStart && t <= until)
    // The future part of the window is not a gap.
    const twap = twapOf(points, { windowStart, windowEnd: until })
    return { points: shownPoints(points), twap: twap && twapToNumber(twap) }
  }

  async function windowOf(yesTokenId: string, expiry: number): Promise<Window> {
    const { windowStart, windowEnd } = twapWindow(expiry)
    const until = Math.min(windowEnd, await chain.time('cached'))
    if (until < windowStart) return NOTHING
    // A separate key for a closed window, so that its readers get all of it.
    const key = `${yesTokenId}:${expiry}:${until === windowEnd ? 'over' : 'open'}`
    return readOnce(key, () => read(yesTokenId, { windowStart, windowEnd: until }))
  }

  return async (id) => {
    const { seriesId, yesTokenId, expiry, ...series } = await findSeries({ seriesIndex }, id)
    const [resolution, window] = await Promise.all([store.resolutions.find(seriesId), windowOf(yesTokenId, expiry)])
    const resolutionBps = series.resolutionBps ?? resolution?.resolutionBps ?? null
    // The chain may have another price than this relay found.
    const isOurs = resolution !== null && resolution.resolutionBps === resolutionBps
    return { seriesId, ...twapWindow(expiry), ...window, resolutionBps, method: isOurs ? resolution.meta.method : null }
  }
}
