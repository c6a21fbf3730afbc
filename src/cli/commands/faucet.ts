import { parseAddress } from '../../domain/address.ts'
import { usd6ToNumber } from '../../domain/decimal.ts'
import { safeText } from '../../domain/safe-text.ts'
import type { Address } from '../../domain/units.ts'
import type { Cli, Run } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import { publicClient } from '../clients.ts'
import { usd } from '../format.ts'
import { findWallet, type NamedWallet } from '../wallet/find-wallet.ts'
import type { RelayOptions } from '../where.ts'

type Options = RelayOptions & { account: string }

/** Asks the faucet for test dollars. */
export const run: Run<Options, [wallet?: string]> = async (cli, options, text) => {
  const wallet = walletOf(cli, options, text)
  const { amount, txHash } = await publicClient(cli, options).faucet({ wallet, signal: cli.stop })
  cli.out.print(
    { type: 'faucet', wallet, amount: usd6ToNumber(amount), txHash },
    `${usd(amount)} sent to ${wallet} in ${txHash}`,
  )
}

function walletOf(cli: Cli, options: Options, text: string | undefined): Address {
  if (text === undefined) return addressOf(findWallet(cli, options, options.account))
  const wallet = parseAddress(text)
  if (wallet !== null) return wallet
  throw new CliError(`not a wallet address: ${safeText(text.slice(0, 80))}`, {
    why: ['0x and 40 hex digits, in one case or with the right checksum'],
  })
}

/** A keystore of another program may lack its address. */
function addressOf({ name, address }: NamedWallet): Address {
  if (address !== null) return address
  throw new CliError(`the keystore of ${name} does not say its address`, { hint: 'rfqctl faucet ADDRESS' })
}
