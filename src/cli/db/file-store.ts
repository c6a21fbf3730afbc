import { join, resolve } from 'node:path'
import { CliError } from '@rfqctl/lib/cli-error'
import { plural } from '@rfqctl/lib/format'
import { makePrivateDir } from '@rfqctl/lib/private-file'
import { utcText } from '@rfqctl/protocol/domain/safe-text'
import { backUpStore, restoreStore } from '@rfqctl/relay/adapters/store/admin/backup'
import { checkStore } from '@rfqctl/relay/adapters/store/admin/check'
import { disk } from '@rfqctl/relay/adapters/store/file/disk'
import { acquireLock } from '@rfqctl/relay/adapters/store/file/lock'
import type { Cli, Run } from '../cli.ts'
import { dataDirOf, settingValues } from '../context/targets.ts'
import { factLines } from '../terminal/table.ts'

/** Reads every byte and changes nothing; works while a relay runs. */
export const checkFiles: Run<{ dataDir?: string }> = async (cli, options) => {
  const dir = fileStoreDir(cli, options)
  const found = await checkStore({ disk, dir })
  if (found === null) throw noStore(dir, 'choose another --data-dir')
  const { tables, journal, documentBytes, streamEpoch, moved } = found
  cli.out.print({ type: 'db_check', path: dir, documentBytes, streamEpoch, tables, journal, moved }, [
    `the store in ${dir} is intact${moved === null ? '' : `, and was moved to ${moved.to} at ${utcText(moved.at)}`}`,
    ...factLines(
      [
        ['tables', `${plural(tables.users, 'user')}, ${plural(tables.apiKeys, 'key')}, ${documentBytes} bytes`],
        ['open', `${plural(tables.requests, 'request')}, ${tables.acceptances} of them out for signature`],
        ['settled', plural(tables.resolutions, 'resolution')],
        ['trades', String(journal.executed)],
        ['history', `${plural(journal.priced, 'price')}, ${journal.audited} audit rows`],
      ],
      cli.out.colors,
    ).map((line) => `  ${line}`),
  ])
}

/** Works while a relay runs on the store. */
export const backUp: Run<{ dataDir?: string }, [folder: string]> = async (cli, options, folder) => {
  const from = fileStoreDir(cli, options)
  const to = resolve(cli.cwd, folder)
  if ((await disk.list(to)).length > 0) {
    throw new CliError(`${folder} is not empty`, { code: 'not_empty', hint: 'choose a folder that does not exist yet' })
  }
  if (!(await backUpStore({ disk, from, to }))) throw noStore(from, 'choose another --data-dir')
  cli.out.print({ type: 'db_backup', from, to }, `backed up ${from} to ${to}`)
}

/** Replaces the file store, however damaged, and moves the previous one aside. */
export const restore: Run<{ dataDir?: string }, [folder: string]> = async (cli, options, folder) => {
  const dir = fileStoreDir(cli, options)
  const from = resolve(cli.cwd, folder)
  const aside = join(dir, `before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`)
  makePrivateDir(dir)
  const isDone = await withStoreLock(dir, () => restoreStore({ disk, from, dir, aside }))
  if (!isDone) throw noStore(from, 'name the folder of a backup')
  const wasThere = (await disk.list(aside)).length > 0
  cli.out.print({ type: 'db_restore', from, to: dir, aside: wasThere ? aside : null }, `restored ${dir} from ${from}`)
  if (wasThere) cli.out.note(`The previous store is in ${aside}.`)
  cli.out.note('Everything since the backup is lost: keys that were revoked since then are valid again,')
  cli.out.note(
    'and series that were resolved since then are resolved again (docs/guides/operator/stores.md, "A restore goes back in time").',
  )
}

/** Refuses where the settings name another store, which has tools of its own. */
function fileStoreDir(cli: Cli, options: { dataDir?: string }): string {
  const values = settingValues(cli)
  if (values.DATABASE_URL === null) return dataDirOf(cli, options)
  throw new CliError('this command is for the file store', {
    why: ['DATABASE_URL names a Postgres database'],
    hint: 'pg_dump -Fc --file FILE "$DATABASE_URL"; to restore it: docs/guides/operator/stores.md, "A Postgres that is restored"',
  })
}

/** Holds the store's lock. Refuses with a `StoreOpenError` `in_use`. */
export async function withStoreLock<Result>(dir: string, work: () => Promise<Result>): Promise<Result> {
  const { release } = await acquireLock(`${dir}/store.lock`)
  try {
    return await work()
  } finally {
    await release()
  }
}

export const noStore = (dir: string, hint: string): CliError =>
  new CliError(`there is no store in ${dir}`, { code: 'no_store', hint })
