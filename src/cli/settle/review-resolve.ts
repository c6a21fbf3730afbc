import type { ResolutionBps } from '../../client/index.ts'
import { safeText } from '../../domain/safe-text.ts'
import type { Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import { operatorClient } from '../context/operator.ts'
import type { RelayOptions } from '../context/targets.ts'
import { findSeriesRow, listSeriesRows } from '../show/series-listing.ts'
import { resolution, shortId } from '../terminal/format.ts'

type Options = RelayOptions & { price: ResolutionBps; by: string; reason: string }

/** Resolves a series by a person's decision, forever. */
export const run: Run<Options, [series: string]> = async (cli, options, text) => {
  const { price, by, reason } = options
  const { rows } = await listSeriesRows(cli, options, publicClient(cli, options))
  const { seriesId } = findSeriesRow(rows, text)
  const client = operatorClient(cli, options)
  const resolved = await client.resolveReview({ seriesId, resolutionBps: price, by, reason, signal: cli.stop })
  const { resolutionBps, method, resolvedAt } = resolved
  cli.out.print(
    { type: 'resolved', seriesId, resolutionBps, method, by, reason, resolvedAt: new Date(resolvedAt).toISOString() },
    `${cli.out.colors.green('resolved')} ${shortId(seriesId)} at ${resolution(resolutionBps)}, by ${safeText(by)}: ${safeText(reason)}`,
  )
  cli.out.note(`Next: rfqctl settle submit ${shortId(seriesId).replace('…', '')}`)
}
