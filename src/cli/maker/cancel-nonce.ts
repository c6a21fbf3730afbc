import type { Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { makerClient } from '../context/clients.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'

type Options = RelayOptions & ChainOptions & AccountOptions

/** Makes a signed order unfillable on chain, whoever holds it: its nonce is used up. */
export const run: Run<Options, [nonce: number]> = async (cli, options, nonce) => {
  const { maker, client } = await makerClient(cli, options)
  const receipt = await client.cancelNonce({ nonce, signal: cli.stop })
  cli.out.print(
    { type: 'nonce_cancelled', wallet: maker.account.address, nonce, txHash: receipt.transactionHash },
    `nonce ${nonce} is cancelled: ${receipt.transactionHash}`,
  )
}
