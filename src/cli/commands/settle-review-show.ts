import type { Run } from '../cli.ts'
import { publicClient } from '../clients.ts'
import { operatorClient } from '../operator-client.ts'
import { findSeriesRow, listSeriesRows } from '../series-listing.ts'
import { reviewFacts, reviewJson } from '../settle/show-review.ts'
import { factLines } from '../table.ts'
import type { RelayOptions } from '../where.ts'

/** Shows what a person needs to decide a series, or how it was decided. */
export const run: Run<RelayOptions, [series: string]> = async (cli, options, text) => {
  const { rows, now } = await listSeriesRows(cli, options, publicClient(cli, options))
  const row = findSeriesRow(rows, text)
  const details = await operatorClient(cli, options).getReview({ seriesId: row.seriesId, signal: cli.stop })
  cli.out.print(reviewJson(row, details), factLines(reviewFacts(row, details, now), cli.out.paint))
}
