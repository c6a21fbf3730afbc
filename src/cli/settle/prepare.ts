import type { Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import type { RelayOptions } from '../context/targets.ts'
import type { SeriesRow } from '../show/series-listing.ts'
import { forEachDue, prepare } from './due-series.ts'
import { preparedJson, preparedWords } from './show-prepared.ts'

/** Gets signed resolutions, of one series or of all that wait. */
export const run: Run<RelayOptions, [series?: string]> = async (cli, options, text) => {
  const client = publicClient(cli, options)
  const act = async (series: SeriesRow) => {
    const prepared = await prepare(cli, { client, series })
    cli.out.print(preparedJson(prepared), preparedWords(series, prepared))
  }
  await forEachDue(cli, options, { client, text, act })
  cli.out.note('Next: rfqctl settle submit')
}
