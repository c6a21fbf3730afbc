import type { Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { walletClient } from '../context/clients.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'
import type { SeriesRow } from '../show/series-listing.ts'
import { forEachDue, prepare } from './due-series.ts'
import { preparedJson, preparedWords } from './show-prepared.ts'

/** Gets signed resolutions and relays them to the chain, where they settle their series forever. */
export const run: Run<RelayOptions & ChainOptions & AccountOptions, [series?: string]> = async (cli, options, text) => {
  const { client } = await walletClient(cli, options)
  const act = async (series: SeriesRow) => {
    const prepared = await prepare(cli, { client, series })
    const { transactionHash } = await client.settleSeries({ prepared, signal: cli.stop })
    cli.out.print(
      { ...preparedJson(prepared), type: 'settled', txHash: transactionHash },
      `${cli.out.colors.green('settled')} ${preparedWords(series, prepared)}`,
    )
  }
  await forEachDue(cli, options, { client, text, act })
  cli.out.note('Next: rfqctl claim')
}
