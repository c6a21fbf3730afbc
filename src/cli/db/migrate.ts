import { CliError } from '@rfqctl/lib/cli-error'
import { EXIT } from '@rfqctl/lib/exit'
import { plural } from '@rfqctl/lib/format'
import { utcText } from '@rfqctl/protocol/domain/safe-text'
import { migrateStore, storeFormat } from '@rfqctl/relay/adapters/store/admin/migrate'
import { disk } from '@rfqctl/relay/adapters/store/file/disk'
import { assertPackages } from '@rfqctl/relay/config/packages'
import { collectSettings } from '@rfqctl/relay/config/sources'
import type { Cli, Run } from '../cli.ts'
import { dataDirOf } from '../context/targets.ts'
import { badSettings } from '../serve/options.ts'
import { factLines } from '../terminal/table.ts'
import { noStore, withStoreLock } from './file-store.ts'

type Options = { dataDir?: string; databaseUrl?: string }

/** The same migration that `serve` does at its start. */
export const migrateFormat: Run<Options> = async (cli, options) => {
  const url = databaseUrl(cli, options)
  if (url === null) return migrateFiles(cli, dataDirOf(cli, options))
  assertPackages('DATABASE_URL')
  const { SCHEMA } = await import('@rfqctl/relay/adapters/store/postgres/database')
  const { migrate } = await import('@rfqctl/relay/adapters/store/postgres/migrate')
  say(cli, { store: 'postgres', ...(await migrate({ url, schema: SCHEMA })) })
}

async function migrateFiles(cli: Cli, dir: string): Promise<void> {
  const format = await storeFormat({ disk, dir })
  if (format === null) throw noStore(dir, 'choose another --data-dir')
  // A running relay has migrated its store already.
  if (format.from < format.to) await withStoreLock(dir, () => migrateStore({ disk, dir }))
  say(cli, { store: 'file', ...format })
}

function say(cli: Cli, { store, from, to }: { store: 'file' | 'postgres'; from: number; to: number }): void {
  const words = from === to ? `nothing to do: the store has format ${to}` : `migrated from format ${from} to ${to}`
  cli.out.print({ type: 'db_migrate', store, from, to }, words)
}

/** Gives a restored Postgres nonces and epochs that were never used. A file store does so whenever it is opened. */
export const renew: Run<Options> = async (cli, options) => {
  const url = databaseUrl(cli, options)
  if (url === null) {
    throw new CliError('this command is for a store in Postgres', {
      exitCode: EXIT.usage,
      why: ['a file store takes nonces and ids that no one has had whenever it is opened'],
      hint: 'name the database: --database-url URL',
    })
  }
  assertPackages('DATABASE_URL')
  const { SCHEMA } = await import('@rfqctl/relay/adapters/store/postgres/database')
  const { renewPostgres } = await import('@rfqctl/relay/adapters/store/admin/renew')
  const renewed = await renewPostgres({ url, schema: SCHEMA })
  if (renewed === null) {
    throw new CliError('there is no store in the database', { code: 'no_store', hint: 'restore it first: pg_restore' })
  }
  const { epoch } = renewed
  cli.out.print(
    { type: 'db_renew', streamEpoch: epoch },
    `renewed: order nonces are new, and stream ids continue from epoch ${epoch}`,
  )
  cli.out.note(
    'Relays that run see it within seconds: those with Redis open their live market again, one without ends, to be started again.',
  )
}

function databaseUrl(cli: Cli, { databaseUrl }: Options): string | null {
  const flags = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }
  const { values, faults } = collectSettings({ flags, environment: cli.environment, cwd: cli.cwd })
  const wrong = faults.filter((fault) => fault.startsWith('DATABASE_URL'))
  if (wrong.length > 0) throw badSettings(wrong)
  return values.DATABASE_URL
}

/**
 * Copies the file store into an empty Postgres database. No relay may run on either, and no relay starts on the files
 * again.
 */
export const moveToPostgres: Run<{ dataDir?: string; to: string }> = async (cli, options) => {
  assertPackages('DATABASE_URL')
  const { SCHEMA } = await import('@rfqctl/relay/adapters/store/postgres/database')
  const { moveStore } = await import('@rfqctl/relay/adapters/store/admin/move')
  const dir = dataDirOf(cli, options)
  const moved = await withStoreLock(dir, () => moveStore({ disk, dir, url: options.to, schema: SCHEMA }))
  if (moved.kind === 'no_store') throw noStore(dir, 'choose another --data-dir')
  if (moved.kind === 'moved_elsewhere') {
    throw new CliError(`the store in ${dir} was moved to another database`, {
      code: 'moved',
      why: [`it was moved to ${moved.to} at ${utcText(moved.at)}`],
      hint: `rfqctl db move --to that database again checks that every row is there`,
    })
  }
  if (moved.kind === 'moved_before') {
    cli.out.print({ type: 'db_move', from: dir, movedAt: moved.at }, [
      `the store in ${dir} was moved there at ${utcText(moved.at)}, and every row is there`,
    ])
    return
  }
  if (moved.kind === 'not_empty') {
    throw new CliError('the database is not empty', {
      code: 'not_empty',
      exitCode: EXIT.inUse,
      why: [`its table ${moved.table} has rows`],
      hint: 'choose a database that no relay has used',
    })
  }
  const total = Object.values(moved.rows).reduce((sum, count) => sum + count, 0)
  cli.out.print({ type: 'db_move', from: dir, rows: moved.rows }, [
    `moved the store in ${dir}: ${plural(total, 'row')}, each compared with what the database holds`,
    ...factLines(
      Object.entries(moved.rows).map(([table, count]): [string, string] => [table, String(count)]),
      cli.out.colors,
    ).map((line) => `  ${line}`),
  ])
  cli.out.note(
    'From now on, start with --database-url. The files remain for you to keep, but no relay starts on them again,',
  )
  cli.out.note('because it would give out the same order nonces twice.')
}
