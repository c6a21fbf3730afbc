import { RfqError } from '@rfqctl/protocol/domain/errors'
import { inOrder, mergePoints, type PricePoint, shownPoints } from '@rfqctl/protocol/domain/twap'
import { LruMap } from 'toad-cache'
import type { Context } from './context.ts'

/** YES prices of the last day, ascending by time, each once. Rejects where the store cannot be read. */
export type ReadPriceHistory = (yesTokenId: string) => Promise<readonly PricePoint[]>

/** Seconds. */
const LENGTH_S = 24 * 3_600

/** Seconds of chain time: sources have a price a minute. */
const KEPT_S = 60

/** A day has 1,440 points. */
const TOKENS_KEPT = 256

/** Reads each token at most once a minute for all callers. Call it only for tokens of listed series. */
export function createPriceHistory({
  store,
  prices,
  chain,
}: Pick<Context, 'store' | 'prices' | 'chain'>): ReadPriceHistory {
  const answers = new LruMap<{ until: number; points: Promise<readonly PricePoint[]> }>(TOKENS_KEPT)

  async function read(yesTokenId: string, until: number): Promise<readonly PricePoint[]> {
    const from = until - LENGTH_S
    const [recorded, fetched] = await Promise.all([
      store.prices.between(yesTokenId, from, until),
      prices.history(yesTokenId, from, until).catch((): PricePoint[] => []),
    ])
    return inOrder(mergePoints(recorded, fetched).filter(({ t }) => t >= from && t <= until))
  }

  return async (yesTokenId) => {
    const now = await chain.time('cached')
    const former = answers.get(yesTokenId)
    // A sandbox moves the time of its chain.
    if (former !== undefined && now >= former.until && now < former.until + KEPT_S) return former.points
    const answer = { until: now, points: read(yesTokenId, now) }
    // A failure reaches its waiting callers, and no later ones.
    answer.points.catch(() => answers.delete(yesTokenId))
    answers.set(yesTokenId, answer)
    return answer.points
  }
}

/** A thousand prices at most. Refuses with `not_found` a token without a listed series: strangers must not choose what a source is asked for. */
export async function readListedHistory(
  { seriesIndex }: Pick<Context, 'seriesIndex'>,
  read: ReadPriceHistory,
  yesTokenId: string,
): Promise<readonly PricePoint[]> {
  const listed = await seriesIndex.list()
  if (!listed.some((series) => series.yesTokenId === yesTokenId)) throw new RfqError('not_found')
  return shownPoints(await read(yesTokenId))
}
