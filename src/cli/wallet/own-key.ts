import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { CliError } from '@rfqctl/lib/cli-error'
import { isOpenToOthers } from '@rfqctl/lib/private-file'
import type { Hex } from '@rfqctl/protocol/domain/units'
import { parsePrivateKey } from '@rfqctl/relay/config/parsers'
import type { Cli } from '../cli.ts'

/** The location of a key, never the key itself. */
export type KeyOptions = { keyFile?: string; keyStdin?: boolean }

/** `password` is null for a key that was not encrypted. */
export type OwnKey = { privateKey: Hex; password: string | null }

/** `--key-file` or `--key-stdin`, plain or a keystore; null when neither is given. */
export async function readOwnKey(cli: Cli, { keyFile, keyStdin }: KeyOptions): Promise<OwnKey | null> {
  if (keyStdin) return keyIn(cli, { text: await cli.readStdin(), place: 'stdin', isStdinTaken: true })
  return keyFile === undefined ? null : readKeyFile(cli, keyFile)
}

/** Only its owner may be able to read the file; `place` is its name in messages. */
export async function readKeyFile(cli: Cli, shown: string, place = shown): Promise<OwnKey> {
  const path = resolve(cli.cwd, shown)
  refuseOpenFile(path, shown)
  return keyIn(cli, { text: readFileSync(path, 'utf8'), place, isStdinTaken: false })
}

/** Others could use a readable key, and guess at the password of a keystore (fault K2). */
function refuseOpenFile(path: string, shown: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isFile() !== true) throw new CliError(`there is no file ${shown}`, { code: 'not_found' })
  if (!isOpenToOthers(stats.mode)) return
  throw new CliError(`others can read ${shown}`, {
    code: 'open_key_file',
    why: [`its mode is ${(stats.mode & 0o777).toString(8)}`],
    hint: `chmod 600 ${shown}`,
  })
}

async function keyIn(
  cli: Cli,
  { text, ...where }: { text: string; place: string; isStdinTaken: boolean },
): Promise<OwnKey> {
  const unlocked = isJson(text) ? await unlockText(cli, { text, ...where }) : null
  const { privateKey, password } = unlocked ?? { privateKey: text.trim(), password: null }
  const parsed = parsePrivateKey(privateKey)
  if ('value' in parsed) return { privateKey: parsed.value, password }
  throw new CliError(`the content of ${where.place} ${parsed.fault}`, { code: 'bad_key' })
}

const isJson = (text: string): boolean => text.trimStart().startsWith('{')

/** Null for JSON that is not a keystore. Ciphers load only when something has to be decrypted. */
async function unlockText(cli: Cli, { text, ...where }: { text: string; place: string; isStdinTaken: boolean }) {
  const { parseKeystore } = await import('@rfqctl/relay/adapters/keystore')
  const { unlock } = await import('./password.ts')
  const keystore = parseKeystore(text)
  return keystore === null ? null : unlock(cli, { keystore, ...where })
}
