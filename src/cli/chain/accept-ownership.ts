import { createWallet } from '../../client/wallet.ts'
import { serviceCoreAbi } from '../../contracts/abi.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import type { Run } from '../cli.ts'
import { type AccountOptions, openAccount } from '../context/account.ts'
import { chainSetup } from '../context/clients.ts'
import type { ChainOptions } from '../context/targets.ts'

/** The second step of a handover: the new owner takes the core over. */
export const run: Run<ChainOptions & AccountOptions> = async (cli, options) => {
  const { account } = await openAccount(cli, options)
  const setup = await chainSetup(cli, options, account.address)
  const wallet = createWallet({ account, setup })
  const core = { address: setup.coreAddress, abi: serviceCoreAbi } as const
  const [owner, pendingOwner] = await Promise.all([
    wallet.publicClient.readContract({ ...core, functionName: 'owner' }),
    wallet.publicClient.readContract({ ...core, functionName: 'pendingOwner' }),
  ])
  const { address } = account
  if (owner === address) {
    cli.out.print({ type: 'ownership', core: core.address, owner, txHash: null }, `${address} already owns the core`)
    return
  }
  if (pendingOwner !== address) {
    throw new CliError(`the core is not being handed over to ${address}`, {
      code: 'not_pending_owner',
      exitCode: EXIT.unauthorized,
      why: [
        `it belongs to ${owner}`,
        BigInt(pendingOwner) === 0n ? 'no new owner is named' : `the named new owner is ${pendingOwner}`,
      ],
      hint: 'use the key of the owner that the deployment named',
    })
  }
  const { transactionHash: txHash } = await wallet.write(
    { ...core, functionName: 'acceptOwnership', args: [] },
    cli.stop,
  )
  cli.out.print(
    { type: 'ownership', core: core.address, owner: address, txHash },
    `${address} now owns the core: ${txHash}`,
  )
}
