import type { CleanupStack } from '@rfqctl/lib/cleanup-stack'
import { createSystemClock } from '../adapters/clock.ts'
import { disk } from '../adapters/store/file/disk.ts'
import { createFileStore } from '../adapters/store/file.ts'
import { createMemoryStore } from '../adapters/store/memory.ts'
import { type StoreOpenError, wentBackInTime } from '../adapters/store/open-error.ts'
import { nextStreamEpoch } from '../adapters/store/stream-epoch.ts'
import { openFileStorage, readKeys } from '../adapters/transparency/file-storage.ts'
import { newKeys } from '../adapters/transparency/keys.ts'
import { createMemoryStorage } from '../adapters/transparency/memory-storage.ts'
import type { Settings } from '../config/settings.ts'
import type { Clock, Log } from '../core/ports/runtime.ts'

export type OpenStore = Awaited<ReturnType<typeof openStore>>

const SINGLE = { shared: null, poolUse: null, wentBack: () => 0 }

/** Throws where nothing catches: the process drains everything and exits with the fault's code. */
const endProcess = (fault: StoreOpenError): void =>
  void setImmediate(() => {
    throw fault
  })

/** Loads the Postgres adapter only when it is used. `shared` is null unless several nodes share the store; `openLog` opens the transparency log beside it. */
export async function openStore({ store, bus }: Pick<Settings, 'store' | 'bus'>, parts: { clock: Clock; log: Log }) {
  switch (store.kind) {
    case 'memory': {
      const memory = createMemoryStore({ ...parts, epoch: nextStreamEpoch(0, parts.clock.now()) })
      return { store: memory, openLog: async () => ({ storage: createMemoryStorage(), keys: newKeys() }), ...SINGLE }
    }
    case 'file': {
      const file = await createFileStore({ dir: store.dataDir, ...parts, onLost: endProcess })
      return { store: file, openLog: () => openFileLog(store.dataDir, file.assertHeld), ...SINGLE }
    }
    case 'postgres': {
      const { createPostgresStore } = await import('../adapters/store/postgres.ts')
      const isShared = bus.kind === 'redis'
      const postgres = await createPostgresStore({ url: store.url, isShared, ...parts })
      const { poolUse, wentBack, onWentBack } = postgres
      // A single node keeps its requests and trades in memory: only the next process reads them again.
      if (!isShared) onWentBack(async () => endProcess(wentBackInTime()))
      return { store: postgres, openLog: postgres.openLog, shared: isShared ? postgres : null, poolUse, wentBack }
    }
  }
}

/** Beside the store, whose lock is for both. */
async function openFileLog(dataDir: string, assertHeld: () => Promise<void>) {
  const dir = `${dataDir}/log`
  return { keys: await readKeys(disk, dir), storage: await openFileStorage({ disk, dir, assertHeld }) }
}

/** A database judges deadlines by its own clock, so the relay uses that one, too. */
export async function openClock({ store }: Pick<Settings, 'store'>, log: Log, cleanup: CleanupStack): Promise<Clock> {
  if (store.kind !== 'postgres') {
    return createSystemClock({ onLeap: (durationMs) => log.warn('clock_leapt', { durationMs }) })
  }
  const { createDatabaseClock } = await import('../adapters/store/postgres/clock.ts')
  const { createDatabase, SCHEMA } = await import('../adapters/store/postgres/database.ts')
  const database = createDatabase({ url: store.url, schema: SCHEMA, log })
  cleanup.defer(database.close)
  const clock = await createDatabaseClock({ database, log })
  cleanup.defer(clock.stop)
  return clock
}
