import { duration, markText, plural, priceText, when } from '@rfqctl/lib/format'
import { usd6ToNumber } from '@rfqctl/protocol/domain/decimal'
import type { SeriesMark } from '@rfqctl/protocol/domain/surface'
import type { Usd6 } from '@rfqctl/protocol/domain/units'
import type { Cli, Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'
import { findMarket, listSeriesRows } from '../show/series-listing.ts'
import { type Column, factLines, tableLines } from '../terminal/table.ts'

type Row = SeriesMark & { name: string; row: number; age: number | null }

export const surface: Run<RelayOptions & ChainOptions, [market: string]> = async (cli, options, text) => {
  const client = publicClient(cli, options)
  const markets = await client.listMarkets({ signal: cli.stop })
  const market = findMarket(cli, options, { markets, text })
  const [{ rows: all, now }, { at, series }] = await Promise.all([
    listSeriesRows(cli, options, client),
    client.getSurface({ conditionId: market.conditionId, signal: cli.stop }),
  ])
  const marks = new Map(series.map((one) => [one.seriesId, one]))
  const rows = all.flatMap(({ seriesId, name }, index): Row[] => {
    const mark = marks.get(seriesId)
    if (mark === undefined) return []
    return [{ ...mark, name, row: index + 1, age: mark.observed === null ? null : at - mark.observed.at }]
  })
  const yesPrice = rows[0]?.yesPrice ?? null
  cli.out.print(
    {
      type: 'surface',
      conditionId: market.conditionId,
      at: new Date(at).toISOString(),
      yesPrice,
      series: rows.map(rowJson),
    },
    [
      ...factLines(
        [
          ['market', market.name],
          ['YES price', yesPrice === null ? 'unknown' : `$${yesPrice}`],
        ],
        cli.out.colors,
      ),
      '',
      ...(rows.length === 0 ? ['no open series'] : tableLines(columnsAt(now), rows, cli.out)),
    ],
  )
  if (rows.some(({ mark }) => mark === null)) noteMissing(cli, yesPrice)
}

function noteMissing(cli: Cli, yesPrice: number | null): void {
  const why =
    yesPrice === null ? 'the relay knows no YES price' : 'no maker has sent levels, and no trade was filled lately'
  cli.out.note(`There is no mark: ${why}.`)
}

const columnsAt = (now: number): readonly Column<Row>[] => [
  { heading: '', cell: ({ row }) => `@${row}` },
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'EXPIRY', cell: ({ expiry }) => when(expiry * 1_000, now), overflow: 'drop' },
  { heading: 'MARK', cell: ({ mark }) => (mark === null ? '-' : markText(mark)), align: 'decimal' },
  { heading: 'INTRINSIC', cell: ({ intrinsic }) => amountText(intrinsic), align: 'decimal' },
  { heading: 'BID', cell: ({ indicative }) => amountText(indicative?.bid ?? null), align: 'decimal' },
  { heading: 'ASK', cell: ({ indicative }) => amountText(indicative?.ask ?? null), align: 'decimal' },
  {
    heading: 'VOLATILITY',
    cell: ({ volatility }) => (volatility === null ? '-' : `${(volatility * 100).toFixed(1)}%`),
    align: 'right',
  },
  { heading: 'SEEN', cell: seenText, overflow: 'drop' },
]

const amountText = (amount: Usd6 | null): string => (amount === null ? '-' : priceText(amount))

function seenText({ observed, age }: Row): string {
  if (observed === null || age === null) return '-'
  const { makers, trades } = observed
  const what = [...(makers > 0 ? [plural(makers, 'maker')] : []), ...(trades > 0 ? [plural(trades, 'trade')] : [])]
  return `${what.join(', ')}, ${duration(Math.max(0, age))} ago`
}

const rowJson = ({ seriesId, name, row, expiry, mark, intrinsic, volatility, observed, indicative }: Row) => ({
  row,
  seriesId,
  name,
  expiry,
  mark: mark === null ? null : usd6ToNumber(mark),
  intrinsic: intrinsic === null ? null : usd6ToNumber(intrinsic),
  volatility,
  observed: observed === null ? null : { ...observed, at: new Date(observed.at).toISOString() },
  indicative:
    indicative === null
      ? null
      : { ...indicative, bid: usd6ToNumber(indicative.bid), ask: usd6ToNumber(indicative.ask) },
})
