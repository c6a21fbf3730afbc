import { CliError } from '../../lib/cli-error.ts'
import type { Run } from '../cli.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { keepKey } from './keep-key.ts'
import { assertNewName } from './keystores.ts'
import { type KeyOptions, readOwnKey } from './own-key.ts'
import { newPassword } from './password.ts'

/** Keeps a key that exists: a plain one under a new password, one of a keystore under the password that it has. */
export const run: Run<{ dataDir?: string } & KeyOptions, [name: string]> = async (cli, options, name) => {
  const dataDir = dataDirOf(cli, options)
  assertNewName(dataDir, name)
  const own = await readOwnKey(cli, options)
  if (own === null) {
    throw new CliError('no private key given', { hint: 'pass --key-file PATH or --key-stdin' })
  }
  const password = own.password ?? (await newPassword(cli, { isStdinTaken: options.keyStdin === true }))
  keepKey(cli, { dataDir, name, privateKey: own.privateKey, password })
}
