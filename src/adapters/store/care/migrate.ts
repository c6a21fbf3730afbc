import type { Disk } from '../file/disk.ts'
import { createDocument, documentVersion, type Migrations, VERSION } from '../file/document.ts'

/**
 * Brings a store that nobody uses to the format of this program, once a copy of the former lies beside it. Null when there
 * is no store. `serve` does the same when it starts. `version` and `migrations` are for tests.
 * Refuses with a `StoreOpenError` `corrupt`.
 */
export async function migrateStore({
  disk,
  dir,
  version = VERSION,
  migrations = {},
}: {
  disk: Disk
  dir: string
  version?: number
  migrations?: Migrations
}): Promise<{ from: number; to: number } | null> {
  const path = `${dir}/store.json`
  const bytes = await disk.read(path)
  if (bytes === null) return null
  const from = documentVersion(path, bytes, version)
  const document = createDocument({ disk, path, onSwitch: () => {}, onWritten: () => {}, version, migrations })
  const contents = await document.read()
  if (contents !== null && from < version) await document.write(contents)
  return { from, to: version }
}
