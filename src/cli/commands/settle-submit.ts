import type { AccountOptions } from '../account.ts'
import type { Run } from '../cli.ts'
import { walletClient } from '../clients.ts'
import type { SeriesRow } from '../series-listing.ts'
import { forEachDue } from '../settle/due-series.ts'
import { prepare } from '../settle/prepare.ts'
import { preparedJson, preparedWords } from '../settle/show-prepared.ts'
import type { ChainOptions, RelayOptions } from '../where.ts'

/** Gets signed resolutions and relays them to the chain, where they settle their series for ever. */
export const run: Run<RelayOptions & ChainOptions & AccountOptions, [series?: string]> = async (cli, options, text) => {
  const { client } = await walletClient(cli, options)
  const act = async (series: SeriesRow) => {
    const prepared = await prepare(cli, { client, series })
    const { transactionHash } = await client.settleSeries({ prepared, signal: cli.stop })
    cli.out.print(
      { ...preparedJson(prepared), type: 'settled', txHash: transactionHash },
      `${cli.out.paint.green('settled')} ${preparedWords(series, prepared)}`,
    )
  }
  await forEachDue(cli, options, { client, text, act })
  cli.out.note('Next: rfqctl claim')
}
