import type { Clock, Log, Store } from '../../relay/ports.ts'
import { type Disk, disk as machineDisk } from './file/disk.ts'
import { openDurableDb } from './file/durable-db.ts'
import { acquireLock } from './file/lock.ts'
import { randomStoreEpoch } from './memory.ts'
import { createTableStore } from './table-store.ts'
import { newTables } from './tables.ts'

/**
 * Opens the embedded store of a data folder, made when it is missing: `store.json` for what is small and changes,
 * `segments/` for what only grows, `store.lock` against a second process.
 * Refuses with a `StoreOpenError`: `in_use` or `corrupt`. A change that cannot be written is refused with
 * `store_unavailable`, and works again as soon as the disk does.
 */
export async function createFileStore({
  dir,
  clock,
  log,
  disk = machineDisk,
  storeEpoch = randomStoreEpoch(),
}: {
  dir: string
  clock: Pick<Clock, 'now'>
  log: Log
  disk?: Disk
  storeEpoch?: number
}): Promise<Store> {
  await disk.makeDir(dir)
  const release = await acquireLock(`${dir}/store.lock`)
  try {
    const db = await openDurableDb({ disk, dir, clock, log, start: () => newTables({ storeEpoch, streamEpoch: 0 }) })
    const close = () => db.close().finally(release)
    return createTableStore({ clock, db: { ...db, close } })
  } catch (error) {
    await release()
    throw error
  }
}
