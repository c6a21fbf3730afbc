import { CliError } from '@rfqctl/lib/cli-error'
import { EXIT } from '@rfqctl/lib/exit'
import { parseAddress } from '@rfqctl/protocol/domain/address'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import type { Address } from '@rfqctl/protocol/domain/units'
import { requireSandbox, type SandboxWallet, walletsOf } from '@rfqctl/relay/app/sandbox-file'
import type { Cli } from '../cli.ts'
import { dataDirOf, withConfiguredKeys } from '../context/targets.ts'
import { findKept, type KeptWallet, listKept } from './keystores.ts'

/** A wallet with a name: kept under a password, or of the sandbox. */
export type NamedWallet = ({ kind: 'kept' } & KeptWallet) | ({ kind: 'sandbox' } & SandboxWallet)

/** The wallet of a name. Refuses with `no_wallet`, or with the way to a sandbox where nothing is kept under any name. */
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
    exitCode: EXIT.notFound,
    why: [
      names.length === 0
        ? 'there are none: the chain does not belong to the sandbox'
        : `the wallets here: ${names.join(', ')}`,
    ],
    hint: 'pass your own key with --key-file PATH or --key-stdin, or create a wallet: rfqctl wallet create NAME',
  })
}

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
