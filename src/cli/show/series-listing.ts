import type { ListedSeries, MarketSummary, ResolutionBps, TakerClient } from '@rfqctl/client/index'
import { optionCode, optionText, resolution, when } from '@rfqctl/lib/format'
import { isPackage } from '@rfqctl/protocol/domain/option'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import { isDisputable } from '@rfqctl/protocol/domain/series'
import type { Cli } from '../cli.ts'
import { type ChainView, readChainView } from '../context/chain-view.ts'
import { findItem, type RowChoice } from '../context/shown-rows.ts'
import type { ChainOptions } from '../context/targets.ts'

/** `market` is the market's question. */
export type SeriesRow = ListedSeries & { name: string; market: string; state: 'open' | 'expired' | 'settled' }

/**
 * `now` is the Unix time in milliseconds that states are based on, `aheadMs` how far it is ahead of the relay's clock.
 * `nameOf` names other series of these markets. `find` takes a row, or a prefix of a name or id.
 */
export type SeriesListing = Awaited<ReturnType<typeof listSeriesRows>>

const STATES: readonly SeriesRow['state'][] = ['open', 'expired', 'settled']

/** Row order: open ones first, packages after single options, then by market, expiry, strike and type. */
export async function listSeriesRows(
  cli: Cli,
  options: ChainOptions,
  client: Pick<TakerClient, 'listSeries' | 'listMarkets' | 'getTime'>,
) {
  const signal = cli.stop
  const [series, markets, relayTime, chain] = await Promise.all([
    client.listSeries({ packages: true, signal }),
    client.listMarkets({ signal }),
    client.getTime({ signal }),
    readChainView(cli, options),
  ])
  const now = Math.max(relayTime, chain?.now ?? 0)
  const rank = new Map(markets.map((market, index) => [marketId(market), index]))
  const place = (series: ListedSeries) => rank.get(marketId(series)) ?? markets.length
  const nameOf = createSeriesNames(markets)
  const current = await Promise.all(series.map((entry) => upToDate(entry, { now, chain })))
  const rows = current
    .map((entry): SeriesRow => {
      const market = safeText(markets[place(entry)]?.name ?? entry.conditionId)
      return { ...entry, name: nameOf(entry), market, state: stateOf(entry, now) }
    })
    .toSorted(
      (a, b) =>
        STATES.indexOf(a.state) - STATES.indexOf(b.state) ||
        Number(isPackage(a)) - Number(isPackage(b)) ||
        place(a) - place(b) ||
        a.expiry - b.expiry ||
        compareOptions(a, b),
    )
  return {
    rows,
    now,
    aheadMs: now - relayTime,
    nameOf,
    find: (text: string) => findItem(cli, options, { text, ...seriesChoice(rows, text) }),
  }
}

/** Single options by strike and type, packages by their legs. */
function compareOptions(a: SeriesRow, b: SeriesRow): number {
  if (isPackage(a) || isPackage(b)) return a.name.localeCompare(b.name, 'en', { numeric: true })
  return a.strikeBps - b.strikeBps || a.optionType.localeCompare(b.optionType)
}

export const seriesChoice = (rows: readonly SeriesRow[], text: string): RowChoice<SeriesRow> => ({
  shown: 'series',
  noun: 'series',
  items: rows,
  idOf: ({ seriesId, name }) => (/^[a-z]/.test(text) ? name : seriesId),
  nameOf: ({ name }) => name,
  list: 'rfqctl series list',
})

/** Unique per market. */
const marketId = ({ conditionId, yesTokenId }: Pick<Market, 'conditionId' | 'yesTokenId'>): string =>
  `${conditionId} ${yesTokenId}`

export const MARKET_ROWS: Pick<RowChoice<MarketSummary>, 'shown' | 'idOf' | 'nameOf'> = {
  shown: 'markets',
  idOf: marketId,
  nameOf: ({ name }) => `"${safeText(name)}"`,
}

/** By row or by a prefix of its conditionId. */
export const findMarket = (
  cli: Cli,
  options: ChainOptions,
  { markets, text }: { markets: readonly MarketSummary[]; text: string },
): MarketSummary =>
  findItem(cli, options, { ...MARKET_ROWS, text, noun: 'market', items: markets, list: 'rfqctl markets list' })

export const seriesText = (series: SeriesRow): string =>
  `${optionText(series)}, expiring ${utcMinute(series.expiry)}, on "${series.market}"`

/** UTC from Unix seconds; seconds only where they are not 0. */
function utcMinute(seconds: number): string {
  const text = new Date(seconds * 1_000).toISOString()
  return `${text.slice(0, 10)} ${text.slice(11, seconds % 60 === 0 ? 16 : 19)} UTC`
}

/** The chain's price for a series that may have been settled since the relay read it. */
async function upToDate(
  series: ListedSeries,
  { now, chain }: { now: number; chain: ChainView | null },
): Promise<ListedSeries> {
  if (chain === null || stateOf(series, now) !== 'expired') return series
  return { ...series, ...(await chain.priceOf(series.seriesId).catch(() => null)) }
}

function stateOf({ expiry, resolutionBps }: ListedSeries, now: number): SeriesRow['state'] {
  if (resolutionBps !== null) return 'settled'
  return expiry * 1_000 <= now ? 'expired' : 'open'
}

/** Includes when the price is final while it can be disputed; `now` is in Unix milliseconds. */
export function settledText(
  { resolutionBps, ...series }: Pick<SeriesRow, 'finalAt'> & { resolutionBps: ResolutionBps },
  now: number,
): string {
  const text = `settled at ${resolution(resolutionBps)}`
  return isDisputable(series, now / 1_000) ? `${text}, final ${when((series.finalAt ?? 0) * 1_000, now)}` : text
}

export const seriesJson = ({ yesTokenId, resolutionBps, ...series }: SeriesRow) => ({
  ...series,
  yesClobTokenId: yesTokenId,
  settled: resolutionBps !== null,
  resolutionBps,
})

/** Words that many questions share and that identify none. */
const COMMON = new Set(
  'a an and are as at be before by decided does for from has in is it its next of on or season than that the this to will with'.split(
    ' ',
  ),
)

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

type Market = Pick<MarketSummary, 'conditionId' | 'yesTokenId' | 'name'>

/**
 * `norvik-c45-nov22-0310`: a word that only this market's question has, the type with the strike in cents, and the
 * expiry in UTC. A name depends only on what is traded, so unlike a row number it means the same tomorrow. When new
 * markets make a word ambiguous, the start of the conditionId replaces it for those that share it.
 */
export function createSeriesNames(markets: readonly Market[]): (series: ListedSeries) => string {
  const words = new Map(markets.map((market) => [market, wordsOf(market.name)]))
  const counts = new Map<string, number>()
  for (const own of words.values()) for (const word of new Set(own)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const labels = new Map(
    markets.map((market) => [marketId(market), words.get(market)?.find((word) => counts.get(word) === 1)]),
  )
  return (series) => {
    const label = labels.get(marketId(series)) ?? `m${series.conditionId.slice(2, 8)}`
    return `${label}-${optionCode(series)}-${expiryText(series.expiry)}`
  }
}

/** Words of a question that may name it, in order. */
function wordsOf(question: string): string[] {
  const words = question
    .normalize('NFKD')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => /^[a-z][a-z0-9]{2,11}$/.test(word) && !COMMON.has(word))
  return [...new Set(words)]
}

/** `nov22-0310`, with the seconds where they are not 0. */
function expiryText(expiry: number): string {
  const date = new Date(expiry * 1_000)
  const two = (value: number) => String(value).padStart(2, '0')
  const seconds = date.getUTCSeconds()
  const time = `${two(date.getUTCHours())}${two(date.getUTCMinutes())}${seconds === 0 ? '' : two(seconds)}`
  return `${MONTHS[date.getUTCMonth()]}${two(date.getUTCDate())}-${time}`
}
