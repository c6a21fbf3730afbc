import type { ListedSeries, MarketSummary } from '../../client/index.ts'

/** Words that many questions share, which tell no market from another. */
const COMMON = new Set(
  'a an and are as at be before by decided does for from has in is it its next of on or season than that the this to will with'.split(
    ' ',
  ),
)

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

type Market = Pick<MarketSummary, 'conditionId' | 'yesTokenId' | 'name'>

/**
 * How series are named on the command line: a word of the market's question that no other market has, the type with the
 * strike in cents, and the expiry in UTC, as in `norvik-c45-nov22-0310`. A name depends on what is traded alone, so that
 * it means the same tomorrow, where the number of a row does not. A word that becomes ambiguous when markets are added
 * gives way to the start of the conditionId for those that share it.
 */
export function createSeriesNames(markets: readonly Market[]): (series: ListedSeries) => string {
  const words = new Map(markets.map((market) => [market, wordsOf(market.name)]))
  const counts = new Map<string, number>()
  for (const own of words.values()) for (const word of new Set(own)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const labels = new Map(
    markets.map((market) => [keyOf(market), words.get(market)?.find((word) => counts.get(word) === 1)]),
  )
  return (series) => {
    const label = labels.get(keyOf(series)) ?? `m${series.conditionId.slice(2, 8)}`
    const strike = `${series.strikeBps / 100}`.replace('.', '_')
    return `${label}-${series.optionType === 'call' ? 'c' : 'p'}${strike}-${expiryText(series.expiry)}`
  }
}

const keyOf = ({ conditionId, yesTokenId }: Pick<Market, 'conditionId' | 'yesTokenId'>): string =>
  `${conditionId} ${yesTokenId}`

/** The words of a question that may name it, in their order. */
function wordsOf(question: string): string[] {
  const words = question
    .normalize('NFKD')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => /^[a-z][a-z0-9]{2,11}$/.test(word) && !COMMON.has(word))
  return [...new Set(words)]
}

/** `nov22-0310`, with the seconds where there are any. */
function expiryText(expiry: number): string {
  const date = new Date(expiry * 1_000)
  const two = (value: number) => String(value).padStart(2, '0')
  const seconds = date.getUTCSeconds()
  const time = `${two(date.getUTCHours())}${two(date.getUTCMinutes())}${seconds === 0 ? '' : two(seconds)}`
  return `${MONTHS[date.getUTCMonth()]}${two(date.getUTCDate())}-${time}`
}
