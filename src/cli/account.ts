import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { accountOf } from '../client/from-text.ts'
import type { MakerOptions } from '../client/index.ts'
import { parsePrivateKey } from '../config/parsers.ts'
import { isLoopback } from '../config/rules.ts'
import { createDevAccounts, listDevAccounts } from '../devnet/accounts.ts'
import type { Address, Hex } from '../domain/units.ts'
import type { Cli } from './cli.ts'
import { CliError } from './cli-error.ts'
import { dataDirOf } from './data-dir.ts'
import { EXIT } from './exit.ts'
import { findWallet, requireSandbox } from './sandbox.ts'

/** A key of one's own: where it is, never what it is. */
export type KeyOptions = { keyFile?: string; keyStdin?: boolean }

/** Options of every command that signs. */
export type AccountOptions = { account: string; dataDir?: string } & KeyOptions & PublicKeyOptions

/** The same where nobody need be named: a request has its wallet already. */
export type SameAccountOptions = Omit<AccountOptions, 'account'> & { account?: string }

/** Who trades when nobody is named. */
export const DEFAULT_TAKER = 'taker-1'

/** The one way to use a key that everybody knows on a chain that is not this machine's. */
export type PublicKeyOptions = { iKnowThisKeyIsPublic?: boolean }

/** A wallet that a command acts for; `name` is null for one that is not of the sandbox. */
export type CliAccount = { name: string | null; account: MakerOptions['account']; apiKey: string | null }

/** Bits of a file mode that let anybody but the owner at it. */
const OTHERS = 0o077

/** The wallet of `--key-file`, `--key-stdin` or, by name, of the sandbox. */
export async function openAccount(cli: Cli, options: AccountOptions): Promise<CliAccount> {
  const key = await readOwnKey(cli, options)
  if (key !== null) return { name: null, account: accountOf(key), apiKey: null }
  const wallet = findWallet(requireSandbox(dataDirOf(cli, options)), options.account)
  return { name: wallet.name, account: accountOf(wallet.privateKey), apiKey: wallet.apiKey ?? null }
}

/** Refuses one of Anvil's keys where it could hold somebody's money: everybody has these keys (reliability K3). */
export function refusePublicKey(
  owner: Address,
  rpcUrl: string,
  { iKnowThisKeyIsPublic = false }: PublicKeyOptions,
): void {
  if (iKnowThisKeyIsPublic || isLoopback(new URL(rpcUrl).hostname)) return
  if (!publicAddresses().includes(owner)) return
  throw new CliError(`the key of ${owner} is public: it is one of Anvil's ten`, {
    code: 'public_key',
    exitCode: EXIT.unauthorized,
    why: ['whatever it gets on this chain, anybody can take'],
    hint: 'use a key of your own, or say --i-know-this-key-is-public',
  })
}

/** The wallets of Anvil, whose keys everybody has. */
export const publicAddresses = (): Address[] => listDevAccounts(createDevAccounts()).map(({ address }) => address)

/** The private key of `--key-file` or `--key-stdin`; null when neither is given. */
export async function readOwnKey(cli: Cli, { keyFile, keyStdin }: KeyOptions): Promise<Hex | null> {
  if (keyStdin) return keyIn(await cli.readStdin(), 'stdin')
  if (keyFile === undefined) return null
  const path = resolve(cli.cwd, keyFile)
  refuseOpenFile(path, keyFile)
  return keyIn(readFileSync(path, 'utf8'), keyFile)
}

/** A key that others can read is no secret (reliability K2). */
function refuseOpenFile(path: string, shown: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined)
    throw new CliError(`there is no file ${shown}`, { code: 'not_found', exitCode: EXIT.notFound })
  if ((stats.mode & OTHERS) === 0) return
  throw new CliError(`others can read ${shown}`, {
    code: 'open_key_file',
    exitCode: EXIT.unauthorized,
    why: [`its mode is ${(stats.mode & 0o777).toString(8)}`],
    hint: `chmod 600 ${shown}`,
  })
}

function keyIn(text: string, place: string): Hex {
  const parsed = parsePrivateKey(text.trim())
  if ('value' in parsed) return parsed.value
  throw new CliError(`what is in ${place} ${parsed.fault}`, { code: 'bad_key', exitCode: EXIT.unauthorized })
}
