import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import type { Cli } from '../cli.ts'

/** Fewer characters are guessed in no time, whatever a guess costs. */
const MIN_LENGTH = 8

/** A password that is not asked for: of the environment, or of a file that it names; null for none. */
export function givenPassword({ environment, cwd }: Cli): string | null {
  const { RFQCTL_KEYSTORE_PASSWORD: password, RFQCTL_KEYSTORE_PASSWORD_FILE: path } = environment
  if (password) return password
  if (!path) return null
  // What was written by an editor or by `echo` ends with a line break that no one meant.
  return readFileSync(resolve(cwd, path), 'utf8').replace(/\r?\n$/, '')
}

/** The password as stdin has it, where no terminal is there to ask on. Refuses when it is empty. */
export async function pipedPassword(cli: Cli): Promise<string> {
  const password = (await cli.readStdin()).replace(/\r?\n$/, '')
  if (password !== '') return password
  throw noPassword()
}

/** Asks on the terminal. Refuses when the input ends there. */
export async function askPassword(askSecret: NonNullable<Cli['askSecret']>, question: string): Promise<string> {
  return askSecret(question).catch((reason: unknown) => {
    throw reason ?? noPassword()
  })
}

/** The password for a new keystore; one that is typed is typed twice. Refuses a short one. */
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

/** The refusal where a password is needed and none is to be had. */
export const noPassword = (): CliError =>
  new CliError('no password was given', {
    code: 'no_password',
    exitCode: EXIT.unauthorized,
    hint: 'type it at a terminal, pipe it in, or set RFQCTL_KEYSTORE_PASSWORD_FILE=PATH',
  })
