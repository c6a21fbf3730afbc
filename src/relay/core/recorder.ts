import type { Series } from '@rfqctl/protocol/domain/series'
import { twapWindow } from '@rfqctl/protocol/domain/twap'
import type { Context } from './context.ts'
import { forEachLimited } from './for-each-limited.ts'

const CONCURRENCY = 8

/**
 * Records every token with an open window (decision S4): a source thins out its history once a market has resolved. One
 * read per token covers all its series from the start of its earliest open window, so that the next round fills a gap.
 * A failed token is logged and does not stop the others.
 */
export async function recordPrices(context: Context): Promise<void> {
  const { chain, seriesIndex, log, settings } = context
  const now = await chain.time('cached')
  const graceS = Math.ceil(settings.recordIntervalMs / 1_000)
  const tokens = openWindows(await seriesIndex.list(), { now, graceS })
  await forEachLimited(tokens, CONCURRENCY, ([yesTokenId, from]) =>
    recordToken(context, { yesTokenId, from, to: now }).catch((fault: unknown) =>
      log.warn('token_not_recorded', { fault }),
    ),
  )
}

/** Start of the earliest window by YES token; includes windows over for less than `graceS`. Unix seconds. */
function openWindows(list: readonly Series[], { now, graceS }: { now: number; graceS: number }) {
  const starts = new Map<string, number>()
  for (const { yesTokenId, expiry, resolutionBps } of list) {
    const { windowStart, windowEnd } = twapWindow(expiry)
    if (resolutionBps !== null || windowStart > now || windowEnd + graceS < now) continue
    starts.set(yesTokenId, Math.min(windowStart, starts.get(yesTokenId) ?? windowStart))
  }
  return starts
}

async function recordToken(
  { prices, store }: Pick<Context, 'prices' | 'store'>,
  { yesTokenId, from, to }: { yesTokenId: string; from: number; to: number },
): Promise<void> {
  const [given, recorded] = await Promise.all([
    prices.history(yesTokenId, from, to),
    store.prices.between(yesTokenId, from, to),
  ])
  const known = new Set(recorded.map(({ t }) => t))
  const fresh = given.filter(({ t }) => !known.has(t))
  await Promise.all(fresh.map((point) => store.prices.record(yesTokenId, point)))
}
