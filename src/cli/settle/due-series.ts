import type { TakerClient } from '../../client/index.ts'
import type { Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit.ts'
import { when } from '../format.ts'
import { findSeriesRow, listSeriesRows, type SeriesRow } from '../series-listing.ts'
import type { ChainOptions } from '../where.ts'

/** The series that a person named, or all that expired and are not settled. */
export async function dueSeries(
  cli: Cli,
  options: ChainOptions,
  { client, text }: { client: TakerClient; text: string | undefined },
): Promise<SeriesRow[]> {
  const { rows, now } = await listSeriesRows(cli, options, client)
  if (text !== undefined) return [findSeriesRow(rows, text)]
  const due = rows.filter(({ state }) => state === 'expired')
  if (due.length > 0) return due
  const next = rows.filter(({ state }) => state === 'open').map(({ expiry }) => expiry * 1_000)
  throw new CliError('no series waits for settlement', {
    code: 'nothing_due',
    exitCode: EXIT.refused,
    why:
      next.length === 0 ? ['there are none that are open'] : [`the next one expires ${when(Math.min(...next), now)}`],
    ...(next.length === 0
      ? {}
      : { hint: `move a local chain there: rfqctl chain warp ${Math.ceil((Math.min(...next) - now) / 60_000)}m` }),
  })
}
