import { RfqError } from '@rfqctl/protocol/domain/errors'
import { inOrder, mergePoints, type PricePoint, shownPoints } from '@rfqctl/protocol/domain/twap'
import type { Context } from './context.ts'
import { createKeyedRead } from './throttled-read.ts'

/** YES prices of the last day, ascending by time, each once. Rejects where the store cannot be read. */
export type ReadPriceHistory = (yesTokenId: string) => Promise<readonly PricePoint[]>

/** Seconds. */
const LENGTH_S = 24 * 3_600

/** Milliseconds: sources have a price a minute. */
const KEPT_MS = 60_000

/** A day has 1,440 points. */
const TOKENS_KEPT = 256

/** Reads each token at most once a minute for all callers. Call it only for tokens of listed series. */
export function createPriceHistory(context: Pick<Context, 'store' | 'prices' | 'chain' | 'clock'>): ReadPriceHistory {
  const { store, prices, chain } = context
  const readOnce = createKeyedRead<readonly PricePoint[]>(context.clock, { everyMs: KEPT_MS, most: TOKENS_KEPT })

  async function read(yesTokenId: string, until: number): Promise<readonly PricePoint[]> {
    const from = until - LENGTH_S
    const [recorded, fetched] = await Promise.all([
      store.prices.between(yesTokenId, from, until),
      prices.history(yesTokenId, from, until).catch((): PricePoint[] => []),
    ])
    return inOrder(mergePoints(recorded, fetched).filter(({ t }) => t >= from && t <= until))
  }

  return async (yesTokenId) => {
    const until = await chain.time('cached')
    // A minute of the chain, whose time a sandbox moves.
    return readOnce(`${yesTokenId} ${Math.floor(until / 60)}`, () => read(yesTokenId, until))
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
