import { newPrivateKey } from '../../client/from-text.ts'
import type { Run } from '../cli.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { keepKey } from './keep-key.ts'
import { assertNewName } from './keystores.ts'
import { newPassword } from './password.ts'

/** Makes a private key and keeps it under a password. It is never shown. */
export const run: Run<{ dataDir?: string }, [name: string]> = async (cli, options, name) => {
  const dataDir = dataDirOf(cli, options)
  assertNewName(dataDir, name)
  const password = await newPassword(cli, { isStdinTaken: false })
  keepKey(cli, { dataDir, name, privateKey: newPrivateKey(), password })
}
