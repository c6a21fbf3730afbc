import { utcText } from '@rfqctl/protocol/domain/safe-text'
import type { Clock, Log } from '../../core/ports/runtime.ts'
import type { Store } from '../../core/ports/store.ts'
import { type Disk, disk as machineDisk } from './file/disk.ts'
import type { Move } from './file/document.ts'
import { createDurableDb } from './file/durable-db.ts'
import { openFiles } from './file/files.ts'
import { acquireLock } from './file/lock.ts'
import { StoreOpenError } from './open-error.ts'
import { nextStreamEpoch } from './stream-epoch.ts'
import { createTableStore } from './table-store.ts'
import type { Draft } from './tables.ts'

/** `assertHeld` refuses once another process has the folder. */
type FileStore = Store & { assertHeld: () => Promise<void> }

/**
 * Opens the embedded store of a data folder, made when it is missing: `store.json` for a few counters and
 * how far the journal counts, `segments/` for the journal, `store.lock` against a second process.
 * Refuses with a `StoreOpenError`: `in_use`, `corrupt`, or `moved` to Postgres. A change that cannot be written is refused with
 * `store_unavailable`, and works again as soon as the disk does.
 */
export async function createFileStore(parts: {
  dir: string
  clock: Clock
  log: Log
  disk?: Disk
  /** Called once when another process has taken the store over: this one writes no more. */
  onLost?: (fault: StoreOpenError) => void
}): Promise<FileStore> {
  const { dir, clock, log, disk = machineDisk, onLost = () => {} } = parts
  await disk.makeDir(dir)
  const { assertHeld, release } = await acquireLock(`${dir}/store.lock`, {
    onLost: (fault) => {
      log.error('store_lost', { path: dir, fault })
      onLost(fault)
    },
  })
  try {
    const files = await openFiles({ disk, dir, log, assertHeld })
    if (files.moved !== null) throw movedAway(dir, files.moved)
    const db = await createDurableDb({ clock, files })
    await db.change(countStart(clock.now()))
    return { ...createTableStore({ clock, db: { ...db, close: () => db.close().finally(release) } }), assertHeld }
  } catch (error) {
    await release()
    throw error
  }
}

/** Saved before anyone connects, so that no stream id is ever used twice (decision M1). */
const countStart =
  (now: number) =>
  (draft: Draft): void =>
    draft.set('counters', 'streamEpoch', nextStreamEpoch(draft.get('counters', 'streamEpoch') ?? 0, now))

/** Two stores that continue from one would both allot the same order nonces, and trade the same requests. */
const movedAway = (dir: string, { to, at }: Move): StoreOpenError =>
  new StoreOpenError('moved', {
    message: `The store in ${dir} was moved to ${to} at ${utcText(at)}.`,
    path: `${dir}/store.json`,
    hint: 'start with --database-url and that database (rfqctl db move --to it again checks that every row is there), or choose another --data-dir',
  })
