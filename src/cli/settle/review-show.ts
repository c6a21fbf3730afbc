import type { Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import { operatorClient } from '../context/operator.ts'
import type { RelayOptions } from '../context/targets.ts'
import { findSeriesRow, listSeriesRows } from '../show/series-listing.ts'
import { factLines } from '../terminal/table.ts'
import { reviewFacts, reviewJson } from './show-review.ts'

/** Shows what a person needs to decide a series, or how it was decided. */
export const run: Run<RelayOptions, [series: string]> = async (cli, options, text) => {
  const { rows, now } = await listSeriesRows(cli, options, publicClient(cli, options))
  const row = findSeriesRow(rows, text)
  const details = await operatorClient(cli, options).getReview({ seriesId: row.seriesId, signal: cli.stop })
  cli.out.print(reviewJson(row, details), factLines(reviewFacts(row, details, now), cli.out.colors))
}
