import { acquireLock } from '../../adapters/store/file/lock.ts'
import { collectSettings } from '../../config/sources.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import type { Cli } from '../cli.ts'
import { dataDirOf } from '../context/data-dir.ts'

/** The folder of the file store. Refuses where the settings name another store, which has tools of its own. */
export function fileStoreDir(cli: Cli, options: { dataDir?: string }): string {
  const { values } = collectSettings({ flags: {}, environment: cli.environment, cwd: cli.cwd })
  if (values.DATABASE_URL === null) return dataDirOf(cli, options)
  throw new CliError('this command is for the file store', {
    why: ['DATABASE_URL names a Postgres database'],
    hint: 'pg_dump and pg_restore',
  })
}

/** Works on a store that no one else may use meanwhile. Refuses with a `StoreOpenError` `in_use`. */
export async function withStoreLock<Result>(dir: string, work: () => Promise<Result>): Promise<Result> {
  const { release } = await acquireLock(`${dir}/store.lock`)
  try {
    return await work()
  } finally {
    await release()
  }
}

/** The refusal of a folder that has no store. */
export const noStore = (dir: string, hint: string): CliError =>
  new CliError(`there is no store in ${dir}`, { code: 'no_store', exitCode: EXIT.notFound, hint })
