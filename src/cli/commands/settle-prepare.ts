import type { Run } from '../cli.ts'
import { publicClient } from '../clients.ts'
import { dueSeries } from '../settle/due-series.ts'
import { prepare } from '../settle/prepare.ts'
import { preparedJson, preparedWords } from '../settle/show-prepared.ts'
import type { RelayOptions } from '../where.ts'

/** Gets signed resolutions, of one series or of all that wait. */
export const run: Run<RelayOptions, [series?: string]> = async (cli, options, text) => {
  const client = publicClient(cli, options)
  for (const series of await dueSeries(cli, options, { client, text })) {
    const prepared = await prepare(cli, { client, series })
    cli.out.print(preparedJson(prepared), preparedWords(series, prepared))
  }
  cli.out.note('Next: rfqctl settle submit')
}
