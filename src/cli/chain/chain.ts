import { type Authority, getAuthority } from '@rfqctl/client/authority'
import { transportOf } from '@rfqctl/client/from-text'
import { CliError } from '@rfqctl/lib/cli-error'
import { duration, when } from '@rfqctl/lib/format'
import { stopped } from '@rfqctl/lib/stop'
import { findMismatches } from '@rfqctl/onchain/deploy/inspect'
import { startAnvil } from '@rfqctl/onchain/devnet/anvil'
import { createDevClient, devnetChain } from '@rfqctl/onchain/devnet/client'
import { readChainTime, warpChain } from '@rfqctl/onchain/devnet/warp'
import { utcText } from '@rfqctl/protocol/domain/safe-text'
import { assertDevChain, whyNotDevChain } from '@rfqctl/relay/app/dev-chain'
import type { Cli, Run } from '../cli.ts'
import { type ChainOptions, devRpcUrl, sandboxOf, tradingChain } from '../context/targets.ts'
import { factLines } from '../terminal/table.ts'
import { authorityFacts } from './authority.ts'
import { marketsOn, safeguardsOf, weaknessesOf } from './weaknesses.ts'

/** A fresh chain each time: no state is kept. */
export const startChain: Run<{ port: number }> = async (cli, { port }) => {
  const anvil = await startAnvil({ port, statePath: null, outlives: false })
  const { rpcUrl, pid } = anvil
  cli.out.print(
    { type: 'ready', rpcUrl, chainId: devnetChain.id, pid },
    `chain ${devnetChain.id} is ready at ${cli.out.colors.bold(rpcUrl)}`,
  )
  cli.out.note(`Next: rfqctl chain deploy --rpc ${rpcUrl}`)
  await stopped(cli.stop)
  await anvil.stop()
}

/** Shows the head of the chain, whether the sandbox's contracts are the committed ones, and who holds which role. */
export const showStatus: Run<ChainOptions> = async (cli, options) => {
  const url = devRpcUrl(cli, options)
  const client = createDevClient(url)
  const [chainId, blockNumber, time] = await Promise.all([
    client.getChainId(),
    client.getBlockNumber(),
    readChainTime(client),
  ]).catch((cause: unknown) => {
    throw new CliError(`no chain answers at ${new URL(url).origin}`, {
      code: 'chain_unavailable',
      hint: 'rfqctl up, or rfqctl chain start',
      cause,
    })
  })
  const sandbox = options.rpc === undefined ? sandboxOf(cli, options) : null
  const faults = sandbox === null ? null : await findMismatches(client, sandbox, 'any')
  const authority = await readAuthority(cli, options)
  cli.out.print(
    { type: 'chain', rpcUrl: url, chainId, blockNumber: Number(blockNumber), time, contractFaults: faults, authority },
    factLines(
      [
        ['chain', `${chainId} at ${new URL(url).origin}`],
        ['block', String(blockNumber)],
        ['time', `${utcText(time * 1_000)} (${when(time * 1_000, Date.now())})`],
        ...(faults === null
          ? []
          : ([['contracts', faults.length === 0 ? 'as committed' : faults.join('; ')]] as [string, string][])),
        ...(authority === null ? [] : authorityFacts(authority)),
      ],
      cli.out.colors,
    ),
  )
  if (authority === null || (await whyNotDevChain(client, url)) === null) return
  const markets = await marketsOn(client, chainId)
  for (const { found, fix } of weaknessesOf(safeguardsOf(authority, markets))) {
    cli.out.note(`warning: ${found}; ${fix}`)
  }
}

/** Null where the core is not known or not deployed. */
async function readAuthority(cli: Cli, options: ChainOptions): Promise<Authority | null> {
  try {
    const { rpcUrl, coreAddress } = tradingChain(cli, options)
    return await getAuthority({ coreAddress, transport: transportOf(rpcUrl) })
  } catch {
    return null
  }
}

/** A part of a second counts as a whole one. */
export const warp: Run<ChainOptions, [ms: number]> = async (cli, options, ms) => {
  const url = devRpcUrl(cli, options)
  const client = createDevClient(url)
  await assertDevChain(client, url)
  const seconds = Math.ceil(ms / 1_000)
  const time = await warpChain(client, seconds)
  cli.out.print(
    { type: 'warp', seconds, time },
    `chain time moved forward by ${duration(seconds * 1_000)} to ${utcText(time * 1_000)}`,
  )
}
