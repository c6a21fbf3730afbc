import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from '@rfqctl/lib/cli-error'
import { createPrivateJson, readPrivateJson } from '@rfqctl/lib/private-file'
import { parseAddress } from '@rfqctl/protocol/domain/address'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { EncryptedKey } from '@rfqctl/relay/adapters/keystore'

/** The address is readable without the password; null when the file does not contain it. */
export type KeptWallet = { name: string; path: string; address: Address | null }

/** Names become file names, and are typed. */
const NAME = /^[a-z0-9][\w-]{0,31}$/i

/** Reserved for the sandbox's own wallets. */
const SANDBOX_NAME = /^(?:(?:maker|taker)-\d+|registrar)$/

const folderIn = (dataDir: string): string => join(dataDir, 'keystores')

const pathIn = (dataDir: string, name: string): string => join(folderIn(dataDir), `${name}.json`)

/** Sorted by name. */
export function listKept(dataDir: string): KeptWallet[] {
  if (!existsSync(folderIn(dataDir))) return []
  return readdirSync(folderIn(dataDir))
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .flatMap((file) => findKept(dataDir, file.replace(/\.json$/, '')) ?? [])
}

/** Null when there is none. */
export function findKept(dataDir: string, name: string): KeptWallet | null {
  if (!NAME.test(name)) return null
  const path = pathIn(dataDir, name)
  const kept = readPrivateJson<EncryptedKey>(path)
  return kept === null ? null : { name, path, address: parseAddress(`0x${kept.address}`) }
}

/** Returns the path of the file. Refuses a name that is taken: no key is overwritten. */
export function keepWallet(dataDir: string, name: string, keystore: EncryptedKey): string {
  const path = pathIn(dataDir, name)
  if (createPrivateJson(path, keystore)) return path
  throw takenName(name, path)
}

/** Checked before anyone types a password for the name. */
export function assertNewName(dataDir: string, name: string): void {
  if (!NAME.test(name)) {
    throw new CliError('that name cannot be used for a wallet', {
      why: ['a name has at most 32 letters, digits, hyphens and underscores, and starts with a letter or digit'],
    })
  }
  if (SANDBOX_NAME.test(name)) throw new CliError(`${name} is the name of a sandbox wallet`)
  if (existsSync(pathIn(dataDir, name))) throw takenName(name, pathIn(dataDir, name))
}

const takenName = (name: string, path: string): CliError =>
  new CliError(`a wallet ${name} already exists`, {
    code: 'exists',
    why: [`it is kept in ${path}`],
    hint: 'choose another name',
  })
