import type { CleanupStack } from '@rfqctl/lib/cleanup-stack'
import { createSystemClock } from '../adapters/clock.ts'
import { createFileStore } from '../adapters/store/file.ts'
import { createMemoryStore } from '../adapters/store/memory.ts'
import { type StoreOpenError, wentBackInTime } from '../adapters/store/open-error.ts'
import type { PostgresStore } from '../adapters/store/postgres.ts'
import { nextStreamEpoch } from '../adapters/store/stream-epoch.ts'
import type { Settings } from '../config/settings.ts'
import type { Clock, Log } from '../core/ports/runtime.ts'
import type { Store } from '../core/ports/store.ts'

type Shared = Pick<
  PostgresStore,
  | 'takeover'
  | 'raiseEpoch'
  | 'begunEpoch'
  | 'noteBegunEpoch'
  | 'lowestEpoch'
  | 'onWentBack'
  | 'sealKey'
  | 'auditFeed'
  | 'withAdvisoryLock'
>

/** A store, and what only one that several nodes share has; null for the others. */
export type OpenStore = {
  store: Store
  shared: Shared | null
  /** How the connections to Postgres are used, where there is one. */
  poolUse: PostgresStore['poolUse'] | null
  /** How often it was seen to have gone back in time. */
  wentBack: () => number
}

const SINGLE = { shared: null, poolUse: null, wentBack: () => 0 }

/** Ends the process by a fault that no one can catch any more: everything is drained, and the exit code is that of the fault. */
const endProcess = (fault: StoreOpenError): void =>
  void setImmediate(() => {
    throw fault
  })

/** Opens the store that the settings ask for. Postgres loads only when it is used. */
export async function openStore(
  { store, bus }: Pick<Settings, 'store' | 'bus'>,
  parts: { clock: Clock; log: Log },
): Promise<OpenStore> {
  switch (store.kind) {
    case 'memory':
      return { store: createMemoryStore({ ...parts, epoch: nextStreamEpoch(0, parts.clock.now()) }), ...SINGLE }
    case 'file':
      return { store: await createFileStore({ dir: store.dataDir, ...parts, onLost: endProcess }), ...SINGLE }
    case 'postgres': {
      const { createPostgresStore } = await import('../adapters/store/postgres.ts')
      const isShared = bus.kind === 'redis'
      const postgres = await createPostgresStore({ url: store.url, isShared, ...parts })
      const { poolUse, wentBack, onWentBack } = postgres
      // What this process knows of requests and trades is in its memory only: it is read again by the next one.
      if (!isShared) onWentBack(async () => endProcess(wentBackInTime()))
      return { store: postgres, shared: isShared ? postgres : null, poolUse, wentBack }
    }
  }
}

/** The relay's clock: the database's where it has one, because that is the one that judges deadlines. */
export async function openClock({ store }: Pick<Settings, 'store'>, log: Log, cleanup: CleanupStack): Promise<Clock> {
  if (store.kind !== 'postgres') {
    return createSystemClock({ onLeap: (durationMs) => log.warn('clock_leapt', { durationMs }) })
  }
  const { createDatabaseClock } = await import('../adapters/store/postgres/clock.ts')
  const { createDatabase, SCHEMA } = await import('../adapters/store/postgres/database.ts')
  const { query, close } = createDatabase({ url: store.url, schema: SCHEMA, log })
  cleanup.defer(close)
  const clock = await createDatabaseClock({ query, log })
  cleanup.defer(clock.stop)
  return clock
}
