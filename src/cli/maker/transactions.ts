import { type Spender, UNLIMITED, type Usd6, usd6ToNumber } from '../../client/index.ts'
import { usd } from '../../lib/format.ts'
import type { Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { makerClient, walletClient } from '../context/clients.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'

type ApproveOptions = RelayOptions & ChainOptions & AccountOptions & { amount?: Usd6 }

const SPENDERS: readonly Spender[] = ['core', 'settlement']

/** Approves stablecoin to both contracts: to the core for collateral, to the settlement for premiums. */
export const approve: Run<ApproveOptions> = async (cli, options) => {
  const { client, owner } = await walletClient(cli, options)
  const amount = options.amount ?? UNLIMITED
  const limit = options.amount === undefined ? 'without limit' : `up to ${usd(amount)}`
  for (const spender of SPENDERS) {
    const receipt = await client.approveSpender({ spender, amount, signal: cli.stop })
    cli.out.print(
      {
        type: 'approval',
        wallet: owner.account.address,
        spender,
        amount: options.amount === undefined ? 'unlimited' : usd6ToNumber(amount),
        txHash: receipt?.transactionHash ?? null,
      },
      receipt === null
        ? `the ${spender} may already draw ${limit}`
        : `the ${spender} may draw ${limit}: ${receipt.transactionHash}`,
    )
  }
}

type CancelOptions = RelayOptions & ChainOptions & AccountOptions

/** Makes a signed order unfillable on chain for everyone: its nonce is used up. */
export const cancelNonce: Run<CancelOptions, [nonce: number]> = async (cli, options, nonce) => {
  const { maker, client } = await makerClient(cli, options)
  const receipt = await client.cancelNonce({ nonce, signal: cli.stop })
  cli.out.print(
    { type: 'nonce_cancelled', wallet: maker.account.address, nonce, txHash: receipt.transactionHash },
    `nonce ${nonce} is cancelled: ${receipt.transactionHash}`,
  )
}
