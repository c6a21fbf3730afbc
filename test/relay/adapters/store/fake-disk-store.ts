import { createDurableDb } from '../../../../src/relay/adapters/store/file/durable-db.ts'
import { openFiles } from '../../../../src/relay/adapters/store/file/files.ts'
import { createTableStore } from '../../../../src/relay/adapters/store/table-store.ts'
import type { Store } from '../../../../src/relay/core/ports/store.ts'
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts'
import type { FakeDisk } from '../../../support/fake-disk.ts'
import { createFakeLog, type FakeLog } from '../../../support/fake-log.ts'

/** The file store on a fake disk, without the lock, which needs a real one. */
export async function openOnFakeDisk(
  disk: FakeDisk,
  {
    clock = createFakeClock(),
    log = createFakeLog(),
    ...sizes
  }: { clock?: FakeClock; log?: FakeLog; fullBytes?: number } = {},
): Promise<Store> {
  const isNew = disk.files().length === 0
  const files = await openFiles({ disk, dir: '/data', log, ...sizes })
  const db = await createDurableDb({ clock, files })
  // As the store does at each start: its document is there before anything of the journal.
  if (isNew) await db.change((draft) => draft.set('counters', 'streamEpoch', 1))
  return createTableStore({ clock, db })
}
