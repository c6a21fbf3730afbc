import { groupBy } from '@rfqctl/lib/group-by'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { isPackage, type PackageOption } from '@rfqctl/protocol/domain/option'
import { type MarketSummary, parseUint256, type Series, type SeriesFilter } from '@rfqctl/protocol/domain/series'
import { LruMap } from 'toad-cache'
import type { Context } from './context.ts'
import { forEachLimited } from './for-each-limited.ts'
import type { LatestPrices } from './latest-prices.ts'
import { createMarketNames } from './market-names.ts'

/** More markets than any relay lists at a time. */
const MARKETS_KEPT = 10_000

const CONCURRENCY = 8

export type Markets = ReturnType<typeof createMarkets>

/** Asks `spot` for prices only during a call. */
export function createMarkets(context: Context, spot: Pick<LatestPrices, 'known'>) {
  const nameOf = createMarketNames(context)
  const summaries = new LruMap<Summary>(MARKETS_KEPT)
  const groups = async () => groupBy((await context.seriesIndex.list()).filter(isVanilla), keyOf).values()

  /** Returns the same object while nothing has changed, so that the encoder can see that. */
  function summaryOf(group: readonly Vanilla[], facts: Facts): MarketSummary {
    const key = keyOf(group[0] as Vanilla)
    const former = summaries.get(key)
    if (former !== undefined && isSame(former, { group, facts })) return former.summary
    const summary = summarise(group, facts)
    summaries.set(key, { group, facts, summary })
    return summary
  }

  return {
    async list(): Promise<readonly MarketSummary[]> {
      const listed: MarketSummary[] = []
      await forEachLimited(await groups(), CONCURRENCY, async (group) => {
        const { conditionId, yesTokenId } = group[0] as Vanilla
        const [question, yesPrice] = await Promise.all([nameOf(conditionId), spot.known(yesTokenId)])
        listed.push(summaryOf(group, { question, yesPrice }))
      })
      return listed.sort((a, b) => a.name.localeCompare(b.name) || (a.conditionId < b.conditionId ? -1 : 1))
    },
    /** Runs ahead, so that no call waits for the names. */
    async learnNames(): Promise<void> {
      await forEachLimited(await groups(), CONCURRENCY, async (group) => {
        await nameOf((group[0] as Vanilla).conditionId)
      })
    },
  }
}

const keyOf = ({ conditionId, yesTokenId }: Vanilla): string => `${conditionId}:${yesTokenId}`

type Facts = { question: string | null; yesPrice: number | null }

type Summary = { group: readonly Vanilla[]; facts: Facts; summary: MarketSummary }

const isSame = (one: Omit<Summary, 'summary'>, other: Omit<Summary, 'summary'>): boolean =>
  one.facts.question === other.facts.question &&
  one.facts.yesPrice === other.facts.yesPrice &&
  one.group.length === other.group.length &&
  one.group.every((series, n) => series === other.group[n])

type Vanilla = Exclude<Series, PackageOption>

const isVanilla = (series: Series): series is Vanilla => !isPackage(series)

export async function listSeries({ seriesIndex }: Context, filter: SeriesFilter): Promise<readonly Series[]> {
  return (await seriesIndex.list()).filter(
    (series) =>
      (filter.conditionId === undefined || series.conditionId === filter.conditionId) &&
      (filter.optionType === undefined || (!isPackage(series) && series.optionType === filter.optionType)) &&
      (filter.packages === true || !isPackage(series)) &&
      (filter.settled === undefined || (series.resolutionBps !== null) === filter.settled),
  )
}

/**
 * `seriesId` is decimal or hex. Also finds a series that was registered a moment ago. Refuses with `series_not_found`,
 * also a malformed id.
 */
export async function findSeries({ seriesIndex }: Pick<Context, 'seriesIndex'>, seriesId: string): Promise<Series> {
  const id = parseUint256(seriesId)
  const series = id === null ? null : await seriesIndex.lookUp(id)
  if (series === null) throw new RfqError('series_not_found')
  return series
}

function summarise(group: readonly Vanilla[], { question, yesPrice }: Facts): MarketSummary {
  const { conditionId, yesTokenId } = group[0] as Vanilla
  return {
    name: question ?? `${conditionId.slice(0, 10)}…${conditionId.slice(-6)}`,
    conditionId,
    yesTokenId,
    seriesCount: group.length,
    strikes: ascending(group.map(({ strikeBps }) => strikeBps)),
    expiries: ascending(group.map(({ expiry }) => expiry)),
    optionTypes: (['call', 'put'] as const).filter((type) => group.some(({ optionType }) => optionType === type)),
    yesPrice,
  }
}

const ascending = (values: readonly number[]): number[] => [...new Set(values)].sort((a, b) => a - b)
