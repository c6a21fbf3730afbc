import { createFileStore } from '../../adapters/store/file.ts'
import { createMemoryStore } from '../../adapters/store/memory.ts'
import type { Settings } from '../../config/settings.ts'
import type { Clock, Log, Store } from '../../relay/ports.ts'

/** Opens the store that the settings ask for. Postgres loads only when it is used. */
export async function openStore(
  { store, bus }: Pick<Settings, 'store' | 'bus'>,
  parts: { clock: Clock; log: Log },
): Promise<Store> {
  switch (store.kind) {
    case 'memory':
      return createMemoryStore(parts)
    case 'file':
      return createFileStore({ dir: store.dataDir, ...parts })
    case 'postgres': {
      const { createPostgresStore } = await import('../../adapters/store/postgres.ts')
      return createPostgresStore({ url: store.url, isShared: bus.kind === 'redis', ...parts })
    }
  }
}
