import { type PreparedSettlement, RelayError, type TakerClient } from '../../client/index.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import type { Cli } from '../cli.ts'
import type { ChainOptions } from '../context/targets.ts'
import { describeFailure, exitOfRelay, withoutEnvelope } from '../errors/describe-failure.ts'
import { findSeriesRow, listSeriesRows, type SeriesRow, seriesWords } from '../show/series-listing.ts'
import { when } from '../terminal/format.ts'

/**
 * Does something about the series that a person named, or about all that expired and are not settled. Of all, one that
 * waits for a person is told of and holds up no other; where every one does, that is the answer.
 */
export async function forEachDue(
  cli: Cli,
  options: ChainOptions,
  { client, text, act }: { client: TakerClient; text: string | undefined; act: (series: SeriesRow) => Promise<void> },
): Promise<void> {
  const due = await dueSeries(cli, options, { client, text })
  let waiting = 0
  for (const series of due) {
    try {
      await act(series)
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== 'manual_review') throw error
      waiting += 1
      if (waiting === due.length) throw error
      const { seriesId, name } = series
      const { code, message } = error
      cli.out.advise({ type: 'waiting', seriesId, code, message }, `${cli.out.colors.yellow(name)}  ${message}`)
    }
  }
}

/** The series that a person named, or all that expired and are not settled. */
async function dueSeries(
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
    why: next.length === 0 ? ['no series is open'] : [`the next one expires ${when(Math.min(...next), now)}`],
    ...(next.length === 0
      ? {}
      : { hint: `move a local chain there: rfqctl chain warp ${Math.ceil((Math.min(...next) - now) / 60_000)}m` }),
  })
}

/**
 * Asks the relay for a signed resolution, with `SETTLEMENT_API_KEY` where the environment has one. A refusal says which
 * series it is about.
 */
export async function prepare(
  cli: Cli,
  { client, series }: { client: TakerClient; series: SeriesRow },
): Promise<PreparedSettlement> {
  try {
    return await client.prepareSettlement({
      seriesId: series.seriesId,
      signal: cli.stop,
      settlementKey: cli.environment.SETTLEMENT_API_KEY || undefined,
    })
  } catch (error) {
    if (!(error instanceof RelayError)) throw error
    const { hint } = describeFailure(error)
    throw new CliError(error.message, {
      code: error.code,
      exitCode: exitOfRelay(error),
      why: [`series ${series.name}, ${seriesWords(series)}`],
      ...(hint === null ? {} : { hint }),
      data: withoutEnvelope(error.data),
      cause: error,
    })
  }
}
