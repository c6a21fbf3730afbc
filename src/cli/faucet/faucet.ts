import { usd } from '@rfqctl/lib/format'
import { usd6ToNumber } from '@rfqctl/protocol/domain/decimal'
import type { Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import type { RelayOptions } from '../context/targets.ts'
import { knownWallet } from '../wallet/find-wallet.ts'

type Options = RelayOptions & { account: string }

export const run: Run<Options, [wallet?: string]> = async (cli, options, text) => {
  const { address: wallet } = knownWallet(cli, options, text)
  const { amount, txHash } = await publicClient(cli, options).requestFaucetFunds({ wallet, signal: cli.stop })
  cli.out.print(
    { type: 'faucet', wallet, amount: usd6ToNumber(amount), txHash },
    `${usd(amount)} sent to ${wallet} in ${txHash}`,
  )
}
