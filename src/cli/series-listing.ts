import type { ListedSeries, MarketSummary, TakerClient } from '../client/index.ts'
import { findByPrefix } from './find-by-prefix.ts'
import { strike } from './format.ts'
import { safeText } from './safe-text.ts'

/** A series as people see it: with its market's question, and whether it can still be traded. */
export type SeriesRow = ListedSeries & { market: string; state: 'open' | 'expired' | 'settled' }

/** All series in the order of their rows: open ones first, then by market, expiry, strike and type. */
export async function listSeriesRows(client: TakerClient, signal: AbortSignal): Promise<SeriesRow[]> {
  const [series, markets, now] = await Promise.all([
    client.listSeries({ signal }),
    client.markets({ signal }),
    client.time({ signal }),
  ])
  const rank = new Map(markets.map(({ conditionId, yesTokenId }, index) => [`${conditionId} ${yesTokenId}`, index]))
  const place = ({ conditionId, yesTokenId }: ListedSeries) =>
    rank.get(`${conditionId} ${yesTokenId}`) ?? markets.length
  return series
    .map((entry): SeriesRow => {
      const market = safeText(markets[place(entry)]?.name ?? entry.conditionId)
      const state = entry.resolutionBps !== null ? 'settled' : entry.expiry * 1_000 <= now ? 'expired' : 'open'
      return { ...entry, market, state }
    })
    .toSorted(
      (a, b) =>
        STATES.indexOf(a.state) - STATES.indexOf(b.state) ||
        place(a) - place(b) ||
        a.expiry - b.expiry ||
        a.strikeBps - b.strikeBps ||
        a.optionType.localeCompare(b.optionType),
    )
}

const STATES: readonly SeriesRow['state'][] = ['open', 'expired', 'settled']

/** The series that a person means, by its row or a start of its id. */
export const findSeriesRow = (rows: readonly SeriesRow[], text: string): SeriesRow =>
  findByPrefix(text, { noun: 'series', items: rows, idOf: ({ seriesId }) => seriesId, list: 'rfqctl series list' })

/** The market that a person means, by its row or a start of its conditionId. */
export const findMarket = (markets: readonly MarketSummary[], text: string): MarketSummary =>
  findByPrefix(text, {
    noun: 'market',
    items: markets,
    idOf: ({ conditionId }) => conditionId,
    list: 'rfqctl markets list',
  })

/** A series in words: call $0.45 on "Will it rain?". */
export const seriesWords = ({ optionType, strikeBps, market }: SeriesRow): string =>
  `${optionType} ${strike(strikeBps)} on "${market}"`
