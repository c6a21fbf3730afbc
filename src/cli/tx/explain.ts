import { explainTransaction } from '../../client/explain.ts'
import { transportOf } from '../../client/from-text.ts'
import type { Hex } from '../../domain/units.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import type { Cli, Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { newestFill } from '../context/saved-requests.ts'
import { type ChainOptions, sandboxOf, tradingChain } from '../context/targets.ts'
import { createWalletNames } from '../context/wallet-names.ts'
import { listSeriesRows } from '../show/series-listing.ts'
import { shortId } from '../terminal/format.ts'
import { explanationJson, explanationLines } from './show-transaction.ts'

/** Says what a transaction did, or why it could not. */
export const run: Run<ChainOptions, [hash?: Hex]> = async (cli, options, typed) => {
  const hash = typed ?? newestFill(dataDirOf(cli, options))
  if (hash === null) {
    throw new CliError('you have not filled an order yet', {
      code: 'not_found',
      exitCode: EXIT.notFound,
      hint: 'name a transaction: rfqctl tx explain 0x…',
    })
  }
  const { rpcUrl, ...setup } = tradingChain(cli, options)
  const explained = await explainTransaction({ ...setup, transport: transportOf(rpcUrl) }, hash)
  if (explained === null) {
    throw new CliError(`the chain does not know ${hash}`, {
      code: 'not_found',
      exitCode: EXIT.notFound,
      why: ['it was never sent there, or was dropped'],
      hint: 'rfqctl chain status',
    })
  }
  const { explain } = createWalletNames(cli, options)
  const nameSeries = cli.out.isJson ? null : await readSeriesNames(cli, options)
  const lines = explanationLines(explained, cli.out.colors).map(explain)
  cli.out.print(explanationJson(explained), nameSeries === null ? lines : lines.map(nameSeries))
}

/** A line with the name behind each series of the sandbox, whose relay knows them; null where there is none, or none answers. */
async function readSeriesNames(cli: Cli, options: ChainOptions): Promise<((line: string) => string) | null> {
  if (sandboxOf(cli, options) === null) return null
  const listing = await listSeriesRows(cli, options, publicClient(cli, options)).catch(() => null)
  if (listing === null) return null
  const names = new Map(listing.rows.map(({ seriesId, name }) => [shortId(seriesId), name]))
  return (line) =>
    line.replace(/\d{8}…/g, (id) => {
      const name = names.get(id)
      return name === undefined ? id : `${id} (${name})`
    })
}
