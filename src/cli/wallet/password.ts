import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { CliError } from '@rfqctl/lib/cli-error'
import type { Hex } from '@rfqctl/protocol/domain/units'
import { type EncryptedKey, openKey } from '@rfqctl/relay/adapters/keystore'
import type { Cli } from '../cli.ts'

/** Attempts at a password, as at a login (fault K2). */
const TRIES = 3

/** `place` is for messages; stdin cannot give the password where it gave the keystore. */
export type LockedKey = { keystore: EncryptedKey; place: string; isStdinTaken: boolean }

export type UnlockedKey = { privateKey: Hex; password: string }

/** Tries the configured password, else three typed at the terminal, else the one on stdin. */
export async function unlock(cli: Cli, locked: LockedKey): Promise<UnlockedKey> {
  const given = givenPassword(cli)
  const open = (password: string) => openWith(cli, locked, password)
  if (given !== null) return open(given) ?? refuse(locked)
  if (cli.askSecret !== undefined) return unlockByHand({ ...cli, askSecret: cli.askSecret }, locked)
  if (locked.isStdinTaken) throw noPassword()
  return open(await pipedPassword(cli)) ?? refuse(locked)
}

async function unlockByHand(cli: Cli & Required<Pick<Cli, 'askSecret'>>, locked: LockedKey): Promise<UnlockedKey> {
  for (let tries = 1; ; tries += 1) {
    const opened = openWith(cli, locked, await askPassword(cli.askSecret, `Password of ${locked.place}: `))
    if (opened !== null) return opened
    if (tries === TRIES) return refuse(locked)
    cli.out.note('wrong password')
  }
}

/** Takes seconds: key derivation is slow to make guessing slow. */
function openWith({ out }: Cli, { keystore }: LockedKey, password: string): UnlockedKey | null {
  out.note(out.colors.dim('opening the key'))
  const privateKey = openKey(keystore, password)
  return privateKey === null ? null : { privateKey, password }
}

function refuse({ place }: LockedKey): never {
  throw new CliError(`wrong password for ${place}`, {
    code: 'wrong_password',
    why: ['or its file was damaged: the two look the same'],
    hint: 'try again, or list the wallets: rfqctl wallet list',
  })
}

/** Fewer characters are quickly guessed, whatever a guess costs. */
const MIN_LENGTH = 8

/** From the environment, or from a file that it names; null without either. */
function givenPassword({ environment, cwd }: Cli): string | null {
  const { RFQCTL_KEYSTORE_PASSWORD: password, RFQCTL_KEYSTORE_PASSWORD_FILE: path } = environment
  if (password) return password
  if (!path) return null
  // Editors and `echo` end a file with a line break that is not part of the password.
  return readFileSync(resolve(cwd, path), 'utf8').replace(/\r?\n$/, '')
}

/** The password on stdin, where there is no terminal. Refuses an empty one. */
async function pipedPassword(cli: Cli): Promise<string> {
  const password = (await cli.readStdin()).replace(/\r?\n$/, '')
  if (password !== '') return password
  throw noPassword()
}

/** Refuses when the input ends there. */
async function askPassword(askSecret: NonNullable<Cli['askSecret']>, question: string): Promise<string> {
  return askSecret(question).catch((reason: unknown) => {
    throw reason ?? noPassword()
  })
}

/** A typed password is typed twice. Refuses a short one. */
export async function newPassword(cli: Cli, { isStdinTaken }: { isStdinTaken: boolean }): Promise<string> {
  const password = givenPassword(cli) ?? (await typedTwice(cli)) ?? (isStdinTaken ? null : await pipedPassword(cli))
  if (password === null) throw noPassword()
  if (password.length >= MIN_LENGTH) return password
  throw new CliError('the password is too short', {
    code: 'weak_password',
    why: [`it has ${password.length} characters, and needs ${MIN_LENGTH}`],
  })
}

async function typedTwice({ askSecret }: Cli): Promise<string | null> {
  if (askSecret === undefined) return null
  const password = await askPassword(askSecret, 'New password: ')
  if ((await askPassword(askSecret, 'Repeat it: ')) === password) return password
  throw new CliError('the two passwords differ', { code: 'password_mismatch' })
}

const noPassword = (): CliError =>
  new CliError('no password was given', {
    code: 'no_password',
    hint: 'type it at a terminal, pipe it in, or set RFQCTL_KEYSTORE_PASSWORD_FILE=PATH',
  })
