import type { MarketSummary } from '@rfqctl/client/index'
import { chainAheadText, exactUsd, optionText, resolution, strike, when, yesPriceText } from '@rfqctl/lib/format'
import { breakpointsOf, isPackage, maxPayoff, type Option } from '@rfqctl/protocol/domain/option'
import { utcText } from '@rfqctl/protocol/domain/safe-text'
import type { Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import { keepShownRows } from '../context/shown-rows.ts'
import type { RelayOptions } from '../context/targets.ts'
import { findMarket, listSeriesRows, type SeriesRow, seriesJson, settledText } from '../show/series-listing.ts'
import { type Column, factLines, tableLines } from '../terminal/table.ts'

type Options = RelayOptions & {
  market?: string
  type?: 'call' | 'put' | 'package'
  settled?: 'yes' | 'no'
  all?: boolean
}

/** Settled ones only on request. A row keeps its number whatever is left out, so that `@N` stays valid. */
export const listSeries: Run<Options> = async (cli, options) => {
  const client = publicClient(cli, options)
  const [{ rows, now, aheadMs }, markets] = await Promise.all([
    listSeriesRows(cli, options, client),
    client.listMarkets({ signal: cli.stop }),
  ])
  const market = options.market === undefined ? null : findMarket(cli, options, { markets, text: options.market })
  const numbered = rows.map((row, index) => ({ ...row, row: index + 1 }))
  const shown = numbered.filter(
    (row) =>
      (market === null || market.conditionId === row.conditionId) &&
      (options.type === undefined || options.type === typeOf(row)) &&
      (options.all === true || (options.settled === 'yes') === (row.state === 'settled')),
  )
  keepShownRows(cli, options, {
    shown: 'series',
    items: rows,
    idOf: ({ seriesId }) => seriesId,
    nameOf: ({ name }) => name,
    rows: shown.map(({ row }) => row),
  })
  const hidden = options.all || options.settled ? 0 : rows.filter(({ state }) => state === 'settled').length
  cli.out.print(
    { type: 'series', count: shown.length, series: shown.map((row) => ({ ...seriesJson(row), row: row.row })) },
    shown.length === 0 ? 'no series' : tableLines(columnsAt(now, markets), shown, cli.out),
  )
  const ahead = chainAheadText(aheadMs)
  if (ahead !== null) cli.out.note(`${ahead}; EXPIRY counts from chain time`)
  if (hidden > 0) cli.out.note(`${hidden} settled series are not shown: rfqctl series list --all`)
}

const columnsAt = (now: number, markets: readonly MarketSummary[]): Column<SeriesRow & { row: number }>[] => [
  { heading: '', cell: ({ row }) => `@${row}` },
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'TYPE', cell: typeOf, overflow: 'drop' },
  {
    heading: 'STRIKE',
    cell: (row) => (isPackage(row) ? '-' : strike(row.strikeBps)),
    align: 'right',
    overflow: 'drop',
  },
  { heading: 'YES', cell: (row) => yesPriceText(markets.find((market) => isSameMarket(market, row))), align: 'right' },
  { heading: 'EXPIRY', cell: ({ expiry }) => when(expiry * 1_000, now) },
  { heading: 'STATE', cell: (row) => stateText(row, now) },
  { heading: 'QUESTION', cell: ({ market }) => market, overflow: 'drop' },
]

const typeOf = (option: Option): 'call' | 'put' | 'package' => (isPackage(option) ? 'package' : option.optionType)

const isSameMarket = (a: Pick<MarketSummary, 'conditionId' | 'yesTokenId'>, b: typeof a): boolean =>
  a.conditionId === b.conditionId && a.yesTokenId === b.yesTokenId

const stateText = ({ state, resolutionBps, ...row }: SeriesRow, now: number): string =>
  resolutionBps === null ? state : settledText({ ...row, resolutionBps }, now)

/** The payoff of a package at each bend: "$0.00 at YES $0.00, $0.00 at $0.40, $0.20 at $0.60". */
const payoffText = (option: Option): string =>
  breakpointsOf(option)
    .map(
      ({ resolutionBps, payoff }, index) =>
        `${exactUsd(payoff)} at ${index === 0 ? 'YES ' : ''}${resolution(resolutionBps)}`,
    )
    .join(', ')

export const getSeries: Run<RelayOptions, [series: string]> = async (cli, options, text) => {
  const { find, now } = await listSeriesRows(cli, options, publicClient(cli, options))
  const series = find(text)
  const { seriesId, conditionId, yesTokenId, expiry, market } = series
  const facts: [string, string][] = [
    ['question', market],
    ['option', isPackage(series) ? optionText(series) : `${series.optionType}, strike ${strike(series.strikeBps)}`],
    ['pays at most', `${exactUsd(maxPayoff(series))} per option, which is its collateral`],
    ...(isPackage(series) ? [['pays', payoffText(series)] satisfies [string, string]] : []),
    ['expiry', `${utcText(expiry * 1_000)} (${when(expiry * 1_000, now)})`],
    ['state', stateText(series, now)],
    ['seriesId', seriesId],
    ['conditionId', conditionId],
    ['YES token', yesTokenId],
  ]
  cli.out.print({ type: 'series', ...seriesJson(series) }, factLines(facts, cli.out.colors))
}
