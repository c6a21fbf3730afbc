import type { Run } from '../cli.ts'
import { publicClient } from '../clients.ts'
import { resolution, shortId, strike, when } from '../format.ts'
import { seriesJson } from '../series-json.ts'
import { findMarket, listSeriesRows, type SeriesRow } from '../series-listing.ts'
import { type Column, tableLines } from '../table.ts'
import type { RelayOptions } from '../where.ts'

type Options = RelayOptions & { market?: string; type?: 'call' | 'put'; settled?: 'yes' | 'no' }

/** Lists series. A row keeps its number whatever is left out, so that it can be named by it. */
export const run: Run<Options> = async (cli, options) => {
  const client = publicClient(cli, options)
  const { rows, now } = await listSeriesRows(cli, options, client)
  const markets = options.market === undefined ? [] : await client.markets({ signal: cli.stop })
  const market = options.market === undefined ? null : findMarket(markets, options.market)
  const numbered = rows.map((row, index) => ({ ...row, row: index + 1 }))
  const shown = numbered.filter(
    ({ conditionId, optionType, state }) =>
      (market === null || market.conditionId === conditionId) &&
      (options.type === undefined || options.type === optionType) &&
      (options.settled === undefined || (options.settled === 'yes') === (state === 'settled')),
  )
  cli.out.print(
    { type: 'series', count: shown.length, series: shown.map((row) => ({ ...seriesJson(row), row: row.row })) },
    shown.length === 0 ? 'no series' : tableLines(columnsAt(now), shown, cli.out.paint),
  )
}

const columnsAt = (now: number): Column<SeriesRow & { row: number }>[] => [
  { heading: '', cell: ({ row }) => `@${row}` },
  { heading: 'SERIES', cell: ({ seriesId }) => shortId(seriesId) },
  { heading: 'TYPE', cell: ({ optionType }) => optionType },
  { heading: 'STRIKE', cell: ({ strikeBps }) => strike(strikeBps), align: 'right' },
  { heading: 'EXPIRY', cell: ({ expiry }) => when(expiry * 1_000, now) },
  { heading: 'STATE', cell: stateWords },
  { heading: 'QUESTION', cell: ({ market }) => market },
]

const stateWords = ({ state, resolutionBps }: SeriesRow): string =>
  resolutionBps === null ? state : `settled at ${resolution(resolutionBps)}`
