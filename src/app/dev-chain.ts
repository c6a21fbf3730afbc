import { isLoopback } from '../config/rules.ts'
import type { ChainClient } from '../deploy/chain-client.ts'
import { safeText } from '../domain/safe-text.ts'
import { CliError } from '../lib/cli-error.ts'
import { EXIT } from '../lib/exit.ts'
import type { DevClient } from '../sandbox/chain/client.ts'

/** Refuses every chain that is not a toy of this machine: its time is to be moved, or public keys are to be used on it. */
export async function assertDevChain(client: DevClient, rpcUrl: string): Promise<void> {
  const reason = await whyNoDevChain(client, rpcUrl)
  if (reason !== null) throw notOurs(reason)
}

/** Why a chain is no toy of this machine, as a sentence; null when it is one. */
export async function whyNoDevChain(client: Pick<ChainClient, 'request'>, rpcUrl: string): Promise<string | null> {
  const { hostname, origin } = new URL(rpcUrl)
  if (!isLoopback(hostname)) return `${hostname} is not this machine`
  const version = await client
    .request<{ Method: 'web3_clientVersion'; Parameters?: undefined; ReturnType: string }>({
      method: 'web3_clientVersion',
    })
    .catch((cause: unknown) => {
      throw new CliError(`no chain answers at ${origin}`, {
        code: 'chain_unavailable',
        exitCode: EXIT.chain,
        hint: 'rfqctl chain start',
        cause,
      })
    })
  return /^anvil/i.test(version) ? null : `it runs ${safeText(version.slice(0, 40))}`
}

const notOurs = (reason: string): CliError =>
  new CliError('this is not a local Anvil', {
    code: 'not_local',
    exitCode: EXIT.chain,
    why: [reason],
    hint: 'rfqctl chain start',
  })
