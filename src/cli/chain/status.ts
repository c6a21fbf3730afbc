import { checkDeployment } from '../../deploy/check-deployment.ts'
import { utcText } from '../../domain/utc-text.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import { createDevClient } from '../../sandbox/chain/client.ts'
import { readChainTime } from '../../sandbox/chain/warp.ts'
import type { Run } from '../cli.ts'
import { type ChainOptions, devRpcUrl, sandboxOf } from '../context/targets.ts'
import { when } from '../terminal/format.ts'
import { factLines } from '../terminal/table.ts'

/** Shows where the chain stands, and whether the contracts of the sandbox are the committed ones. */
export const run: Run<ChainOptions> = async (cli, options) => {
  const url = devRpcUrl(cli, options)
  const client = createDevClient(url)
  const [chainId, blockNumber, time] = await Promise.all([
    client.getChainId(),
    client.getBlockNumber(),
    readChainTime(client),
  ]).catch((cause: unknown) => {
    throw new CliError(`no chain answers at ${new URL(url).origin}`, {
      code: 'chain_unavailable',
      exitCode: EXIT.chain,
      hint: 'rfqctl up, or rfqctl chain start',
      cause,
    })
  })
  const sandbox = options.rpc === undefined ? sandboxOf(cli, options) : null
  const faults = sandbox === null ? null : await checkDeployment(client, sandbox, 'any')
  cli.out.print(
    { type: 'chain', rpcUrl: url, chainId, blockNumber: Number(blockNumber), time, contractFaults: faults },
    factLines(
      [
        ['chain', `${chainId} at ${new URL(url).origin}`],
        ['block', String(blockNumber)],
        ['time', `${utcText(time * 1_000)} (${when(time * 1_000, Date.now())})`],
        ...(faults === null
          ? []
          : ([['contracts', faults.length === 0 ? 'as committed' : faults.join('; ')]] as [string, string][])),
      ],
      cli.out.colors,
    ),
  )
}
