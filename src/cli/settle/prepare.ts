import type { PreparedSettlement, TakerClient } from '../../client/index.ts'
import type { Cli } from '../cli.ts'
import type { SeriesRow } from '../series-listing.ts'

/** Asks the relay for a signed resolution, with `SETTLEMENT_API_KEY` where the environment has one (ruling S1). */
export const prepare = (
  cli: Cli,
  { client, series }: { client: TakerClient; series: SeriesRow },
): Promise<PreparedSettlement> =>
  client.prepareSettlement({
    seriesId: series.seriesId,
    signal: cli.stop,
    settlementKey: cli.environment.SETTLEMENT_API_KEY || undefined,
  })
