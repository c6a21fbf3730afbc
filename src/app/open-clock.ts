import { createSystemClock } from '../adapters/clock.ts'
import type { Settings } from '../config/settings.ts'
import type { CleanupStack } from '../lib/cleanup-stack.ts'
import type { Clock, Log } from '../relay/ports/runtime.ts'

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
