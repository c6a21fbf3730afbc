import { requireSandbox, type SandboxWallet, walletsOf } from '../../app/sandbox-file.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import type { Cli } from '../cli.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { withConfiguredKeys } from '../maker/configured-keys.ts'
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
