import { migrateStore, storeFormat } from '../../adapters/store/admin/migrate.ts'
import { disk } from '../../adapters/store/file/disk.ts'
import { collectSettings } from '../../config/sources.ts'
import type { Cli, Run } from '../cli.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { badSettings } from '../serve/options.ts'
import { noStore, withStoreLock } from './file-store.ts'

type Options = { dataDir?: string; databaseUrl?: string }

/** Brings the store to the format of this version, as `serve` does when it starts. */
export const run: Run<Options> = async (cli, options) => {
  const url = databaseUrl(cli, options)
  if (url === null) return migrateFiles(cli, dataDirOf(cli, options))
  const { SCHEMA } = await import('../../adapters/store/postgres/database.ts')
  const { migrate } = await import('../../adapters/store/postgres/migrate.ts')
  say(cli, { store: 'postgres', ...(await migrate({ url, schema: SCHEMA })) })
}

async function migrateFiles(cli: Cli, dir: string): Promise<void> {
  const format = await storeFormat({ disk, dir })
  if (format === null) throw noStore(dir, 'choose another --data-dir')
  // A relay that runs has migrated its store.
  if (format.from < format.to) await withStoreLock(dir, () => migrateStore({ disk, dir }))
  say(cli, { store: 'file', ...format })
}

function say(cli: Cli, { store, from, to }: { store: 'file' | 'postgres'; from: number; to: number }): void {
  const words = from === to ? `nothing to do: the store has format ${to}` : `migrated from format ${from} to ${to}`
  cli.out.print({ type: 'db_migrate', store, from, to }, words)
}

function databaseUrl(cli: Cli, { databaseUrl }: Options): string | null {
  const flags = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }
  const { values, faults } = collectSettings({ flags, environment: cli.environment, cwd: cli.cwd })
  const wrong = faults.filter((fault) => fault.startsWith('DATABASE_URL'))
  if (wrong.length > 0) throw badSettings(wrong)
  return values.DATABASE_URL
}
