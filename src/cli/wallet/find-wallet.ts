import { CliError } from '@rfqctl/lib/cli-error'
import { parseAddress } from '@rfqctl/protocol/domain/address'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import type { Address } from '@rfqctl/protocol/domain/units'
import { requireSandbox, type SandboxWallet, walletsOf } from '@rfqctl/relay/app/sandbox-file'
import type { Cli } from '../cli.ts'
import { dataDirOf, withConfiguredKeys } from '../context/targets.ts'
import { findKept, type KeptWallet, listKept } from './keystores.ts'

/** Kept under a password, or of the sandbox. */
export type NamedWallet = ({ kind: 'kept' } & KeptWallet) | ({ kind: 'sandbox' } & SandboxWallet)

/** Refuses with `no_wallet`, or points to a sandbox where no wallet is kept. */
export function findWallet(cli: Cli, options: { dataDir?: string }, name: string): NamedWallet {
  const dataDir = dataDirOf(cli, options)
  const kept = findKept(dataDir, name)
  if (kept !== null) return { kind: 'kept', ...kept }
  const wallets = walletsOf(withConfiguredKeys(cli, requireSandbox(dataDir)))
  const wallet = wallets.find((candidate) => candidate.name === name)
  if (wallet !== undefined) return { kind: 'sandbox', ...wallet }
  const names = [...wallets, ...listKept(dataDir)].map((one) => one.name)
  throw new CliError(`there is no wallet named ${name}`, {
    code: 'no_wallet',
    why: [
      names.length === 0
        ? 'there are none: the chain does not belong to the sandbox'
        : `the wallets here: ${names.join(', ')}`,
    ],
    hint: 'pass your own key with --key-file PATH or --key-stdin, or create a wallet: rfqctl wallet create NAME',
  })
}

/** For reading only, without a key. `name` is null where an address was given. */
export type KnownWallet = { name: string | null; address: Address }

/** An address, else a wallet's name. Refuses an invalid address with exit code 2. */
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
