import type { WalletActions } from '../../client/wallet-actions.ts'
import { CliError } from '../../lib/cli-error.ts'
import { noGas } from '../errors/chain-failure.ts'

/** Refuses to begin what ends in a transaction with a wallet that cannot pay for one: a signed order would be wasted on it. */
export async function assertGas(client: Pick<WalletActions, 'getCoinBalance'>, signal: AbortSignal): Promise<void> {
  if ((await client.getCoinBalance({ signal })) > 0n) return
  const { message, ...rest } = noGas
  throw new CliError(message, rest)
}
