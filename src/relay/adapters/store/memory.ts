import type { Clock } from '../../core/ports/runtime.ts'
import type { Store } from '../../core/ports/store.ts'
import { createMemoryDb } from './db.ts'
import { createTableStore } from './table-store.ts'
import { newTables } from './tables.ts'

/**
 * A store in memory: for open dev mode and for tests. It cannot count its own starts, so a caller that outlives it must
 * pass `epoch`.
 */
export function createMemoryStore({ clock, epoch = 1 }: { clock: Pick<Clock, 'now'>; epoch?: number }): Store {
  const tables = newTables({ streamEpoch: epoch })
  return createTableStore({ clock, db: createMemoryDb({ now: clock.now, tables }) })
}
