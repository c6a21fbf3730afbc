import { parseAddress } from '../../domain/address.ts'
import { safeText } from '../../domain/safe-text.ts'
import type { Address } from '../../domain/units.ts'
import { CliError } from '../../lib/cli-error.ts'
import type { Cli } from '../cli.ts'
import { findWallet } from './find-wallet.ts'

/** A wallet that is only looked at: no one's key is needed. `name` is null where it was told by its address. */
export type KnownWallet = { name: string | null; address: Address }

/** The wallet of an address that was typed, else that of a name. Refuses what is no address with exit code 2. */
export function knownWallet(
  cli: Cli,
  { account, ...options }: { account: string; dataDir?: string },
  text: string | undefined,
): KnownWallet {
  if (text === undefined) {
    const { name, address } = findWallet(cli, options, account)
    if (address !== null) return { name, address }
    // A keystore of another program may lack its address.
    throw new CliError(`the keystore of ${name} does not contain its address`, { hint: 'pass the address itself' })
  }
  const address = parseAddress(text)
  if (address !== null) return { name: null, address }
  throw new CliError(`not a wallet address: ${safeText(text.slice(0, 80))}`, {
    why: ['0x and 40 hex digits, in one case or with the right checksum'],
  })
}
