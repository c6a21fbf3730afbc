import type { ReviewDetails } from '../../client/index.ts'
import { utcText } from '../../domain/utc-text.ts'
import type { Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import { operatorClient } from '../context/operator.ts'
import type { RelayOptions } from '../context/targets.ts'
import { findSeriesRow, listSeriesRows } from '../show/series-listing.ts'
import { type Column, factLines, tableLines } from '../terminal/table.ts'
import { reviewFacts, reviewJson } from './show-review.ts'

type Point = ReviewDetails['points'][number]

/** Shows the prices that a series is settled by, each with where it came from, and their average. */
export const run: Run<RelayOptions, [series: string]> = async (cli, options, text) => {
  const { rows, now } = await listSeriesRows(cli, options, publicClient(cli, options))
  const row = findSeriesRow(rows, text)
  const details = await operatorClient(cli, options).getReview({ seriesId: row.seriesId, signal: cli.stop })
  const { points } = details
  const table = points.length === 0 ? [] : [...tableLines(COLUMNS, points, cli.out), '']
  const facts = reviewFacts(row, details, now).filter(([name]) => name === 'average' || name === 'window')
  cli.out.print({ ...reviewJson(row, details), type: 'points' }, [...table, ...factLines(facts, cli.out.colors)])
}

const COLUMNS: Column<Point>[] = [
  { heading: 'TIME', cell: ({ t }) => utcText(t * 1_000) },
  { heading: 'PRICE', cell: ({ p }) => p.toFixed(4), align: 'right' },
  { heading: 'ORIGIN', cell: ({ origin }) => origin },
]
