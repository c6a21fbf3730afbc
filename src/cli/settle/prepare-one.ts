import { type PreparedSettlement, RelayError, type TakerClient } from '../../client/index.ts'
import { CliError } from '../../lib/cli-error.ts'
import type { Cli } from '../cli.ts'
import { describeFailure, exitOfRelay, withoutEnvelope } from '../errors/describe-failure.ts'
import { type SeriesRow, seriesWords } from '../show/series-listing.ts'

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
