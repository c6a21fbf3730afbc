import { accountOf, newPrivateKey } from '@rfqctl/client/from-text'
import { CliError } from '@rfqctl/lib/cli-error'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import { encryptKey } from '@rfqctl/relay/adapters/keystore'
import { readSandbox, walletsOf } from '@rfqctl/relay/app/sandbox-file'
import type { Cli, Run } from '../cli.ts'
import { dataDirOf, settingValues } from '../context/targets.ts'
import { type Column, tableLines } from '../terminal/table.ts'
import { knownWallet } from './find-wallet.ts'
import { assertNewName, keepWallet, listKept } from './keystores.ts'
import { type KeyOptions, readOwnKey } from './own-key.ts'
import { newPassword } from './password.ts'

/** The key is never shown. */
export const createWallet: Run<{ dataDir?: string }, [name: string]> = async (cli, options, name) => {
  const dataDir = dataDirOf(cli, options)
  assertNewName(dataDir, name)
  const password = await newPassword(cli, { isStdinTaken: false })
  keepKey(cli, { dataDir, name, privateKey: newPrivateKey(), password })
}

/** A plain key gets a new password, a keystore keeps its own. */
export const importWallet: Run<{ dataDir?: string } & KeyOptions, [name: string]> = async (cli, options, name) => {
  const dataDir = dataDirOf(cli, options)
  assertNewName(dataDir, name)
  const own = await readOwnKey(cli, options)
  if (own === null) throw new CliError('no private key given', { hint: 'pass --key-file PATH or --key-stdin' })
  const password = own.password ?? (await newPassword(cli, { isStdinTaken: options.keyStdin === true }))
  keepKey(cli, { dataDir, name, privateKey: own.privateKey, password })
}

type Row = { name: string; address: Address | null; kind: 'kept' | 'sandbox' }

const COLUMNS: readonly Column<Row>[] = [
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'ADDRESS', cell: ({ address }) => address ?? 'needs the password' },
  { heading: 'KEY', cell: ({ kind }) => (kind === 'kept' ? 'yours, password-protected' : 'sandbox, with a known key') },
]

export const listWallets: Run<{ dataDir?: string }> = async (cli, options) => {
  const dataDir = dataDirOf(cli, options)
  const sandbox = readSandbox(dataDir)
  const rows: Row[] = [
    ...listKept(dataDir).map(({ name, address }) => ({ name, address, kind: 'kept' as const })),
    ...(sandbox === null ? [] : walletsOf(sandbox)).map(({ name, address }) => ({
      name,
      address,
      kind: 'sandbox' as const,
    })),
  ]
  cli.out.print(
    { type: 'wallets', count: rows.length, wallets: rows },
    rows.length === 0 ? 'no wallets' : tableLines(COLUMNS, rows, cli.out),
  )
  if (rows.length === 0) cli.out.note('Next: rfqctl up, or rfqctl wallet create NAME')
}

/** Alone on its line, for scripts. Needs no password. */
export const printAddress: Run<{ dataDir?: string }, [name: string]> = async (cli, options, name) => {
  const { address } = knownWallet(cli, { ...options, account: name }, undefined)
  cli.out.print({ type: 'wallet_address', name, address }, address)
}

function keepKey(
  cli: Cli,
  { dataDir, name, privateKey, password }: { dataDir: string; name: string; privateKey: Hex; password: string },
): void {
  const { out } = cli
  const { address } = accountOf(privateKey)
  out.note(out.colors.dim('encrypting the key'))
  const path = keepWallet(dataDir, name, encryptKey({ address, privateKey }, password))
  out.print({ type: 'wallet', name, address, path }, `${out.colors.bold(name)} is ${address}, kept in ${path}`)
  out.note('Without its password, no one can use it, including you. Keep a copy of the file.')
  // Other chains may have no faucet, and not every key pays: some only sign.
  const isAbroad = settingValues(cli).RPC_URL !== null
  out.note(
    isAbroad ? 'Next: send it coin for gas, if it is to send transactions' : `Next: rfqctl faucet --account ${name}`,
  )
}
