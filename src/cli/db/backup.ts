import { resolve } from 'node:path'
import { backUpStore } from '../../adapters/store/admin/backup.ts'
import { disk } from '../../adapters/store/file/disk.ts'
import { CliError } from '../../lib/cli-error.ts'
import type { Run } from '../cli.ts'
import { fileStoreDir, noStore } from './file-store.ts'

/** Copies the file store into a folder, also while a relay runs on it. */
export const run: Run<{ dataDir?: string }, [folder: string]> = async (cli, options, folder) => {
  const from = fileStoreDir(cli, options)
  const to = resolve(cli.cwd, folder)
  if ((await disk.list(to)).length > 0) {
    throw new CliError(`${folder} is not empty`, { code: 'not_empty', hint: 'choose a folder that does not exist yet' })
  }
  if (!(await backUpStore({ disk, from, to }))) throw noStore(from, 'choose another --data-dir')
  cli.out.print({ type: 'db_backup', from, to }, `backed up ${from} to ${to}`)
}
