import { join, resolve } from 'node:path'
import { randomStoreEpoch } from '../../adapters/ids.ts'
import { restoreStore } from '../../adapters/store/admin/restore.ts'
import { disk } from '../../adapters/store/file/disk.ts'
import { makePrivateDir } from '../../lib/private-file.ts'
import type { Run } from '../cli.ts'
import { fileStoreDir, noStore, withStoreLock } from './file-store.ts'

/** Puts a backup in the place of the file store, whatever is left of that. */
export const run: Run<{ dataDir?: string }, [folder: string]> = async (cli, options, folder) => {
  const dir = fileStoreDir(cli, options)
  const from = resolve(cli.cwd, folder)
  const aside = join(dir, `before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`)
  makePrivateDir(dir)
  const storeEpoch = randomStoreEpoch()
  const isDone = await withStoreLock(dir, () => restoreStore({ disk, from, dir, aside, storeEpoch }))
  if (!isDone) throw noStore(from, 'name the folder of a backup')
  const wasThere = (await disk.list(aside)).length > 0
  cli.out.print({ type: 'db_restore', from, to: dir, aside: wasThere ? aside : null }, `restored ${dir} from ${from}`)
  if (wasThere) cli.out.note(`The previous store is in ${aside}.`)
  cli.out.note('Everything since the backup is lost: keys that were revoked since then are valid again,')
  cli.out.note('and series that were resolved since then are resolved again (docs/operator.md, "The store").')
}
