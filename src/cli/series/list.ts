import type { MarketSummary } from '../../client/index.ts'
import { maxPayoff } from '../../domain/option.ts'
import { utcText } from '../../domain/safe-text.ts'
import { resolution, strike, usd, when, yesPriceText } from '../../lib/format.ts'
import type { Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import type { RelayOptions } from '../context/targets.ts'
import { findMarket, findSeriesRow, listSeriesRows, type SeriesRow, seriesJson } from '../show/series-listing.ts'
import { type Column, factLines, tableLines } from '../terminal/table.ts'

type Options = RelayOptions & { market?: string; type?: 'call' | 'put'; settled?: 'yes' | 'no'; all?: boolean }

/** Lists series, settled ones only when asked for. A row keeps its number whatever is left out, so that it can be named by it. */
export const listSeries: Run<Options> = async (cli, options) => {
  const client = publicClient(cli, options)
  const [{ rows, now }, markets] = await Promise.all([
    listSeriesRows(cli, options, client),
    client.listMarkets({ signal: cli.stop }),
  ])
  const market = options.market === undefined ? null : findMarket(markets, options.market)
  const numbered = rows.map((row, index) => ({ ...row, row: index + 1 }))
  const shown = numbered.filter(
    ({ conditionId, optionType, state }) =>
      (market === null || market.conditionId === conditionId) &&
      (options.type === undefined || options.type === optionType) &&
      (options.all === true || (options.settled === 'yes') === (state === 'settled')),
  )
  const hidden = options.all || options.settled ? 0 : rows.filter(({ state }) => state === 'settled').length
  cli.out.print(
    { type: 'series', count: shown.length, series: shown.map((row) => ({ ...seriesJson(row), row: row.row })) },
    shown.length === 0 ? 'no series' : tableLines(columnsAt(now, markets), shown, cli.out),
  )
  if (hidden > 0) cli.out.note(`${hidden} settled series are not shown: rfqctl series list --all`)
}

const columnsAt = (now: number, markets: readonly MarketSummary[]): Column<SeriesRow & { row: number }>[] => [
  { heading: '', cell: ({ row }) => `@${row}` },
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'TYPE', cell: ({ optionType }) => optionType },
  { heading: 'STRIKE', cell: ({ strikeBps }) => strike(strikeBps), align: 'right' },
  { heading: 'YES', cell: (row) => yesPriceText(markets.find((market) => isSameMarket(market, row))), align: 'right' },
  { heading: 'EXPIRY', cell: ({ expiry }) => when(expiry * 1_000, now) },
  { heading: 'STATE', cell: stateText },
  { heading: 'QUESTION', cell: ({ market }) => market, overflow: 'drop' },
]

const isSameMarket = (a: Pick<MarketSummary, 'conditionId' | 'yesTokenId'>, b: typeof a): boolean =>
  a.conditionId === b.conditionId && a.yesTokenId === b.yesTokenId

const stateText = ({ state, resolutionBps }: SeriesRow): string =>
  resolutionBps === null ? state : `settled at ${resolution(resolutionBps)}`

/** Shows one series with what it can pay. */
export const getSeries: Run<RelayOptions, [series: string]> = async (cli, options, text) => {
  const { rows, now } = await listSeriesRows(cli, options, publicClient(cli, options))
  const series = findSeriesRow(rows, text)
  const { seriesId, conditionId, yesTokenId, optionType, strikeBps, expiry, state, resolutionBps, market } = series
  const facts: [string, string][] = [
    ['question', market],
    ['option', `${optionType}, strike ${strike(strikeBps)}`],
    ['pays at most', `${usd(maxPayoff(optionType, strikeBps))} per option, which is its collateral`],
    ['expiry', `${utcText(expiry * 1_000)} (${when(expiry * 1_000, now)})`],
    ['state', resolutionBps === null ? state : `settled at ${resolution(resolutionBps)}`],
    ['seriesId', seriesId],
    ['conditionId', conditionId],
    ['YES token', yesTokenId],
  ]
  cli.out.print({ type: 'series', ...seriesJson(series) }, factLines(facts, cli.out.colors))
}
