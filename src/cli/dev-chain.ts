import { isLoopback } from '../config/rules.ts'
import type { DevClient } from '../devnet/client.ts'
import { CliError } from './cli-error.ts'
import { EXIT } from './exit.ts'

/** Refuses every chain that is not a toy of this machine: its time is to be moved, or public keys are to be used on it. */
export async function assertDevChain(client: DevClient, rpcUrl: string): Promise<void> {
  const { hostname, origin } = new URL(rpcUrl)
  if (!isLoopback(hostname)) throw notOurs(`${hostname} is not this machine`)
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
  if (!/^anvil/i.test(version)) throw notOurs(`it runs ${version.slice(0, 40)}`)
}

const notOurs = (reason: string): CliError =>
  new CliError('this is not a local Anvil', {
    code: 'not_local',
    exitCode: EXIT.chain,
    why: [reason],
    hint: 'rfqctl chain start',
  })
