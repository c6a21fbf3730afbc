import type { Disk } from '../file/disk.ts'
import { createDocument, documentVersion, MIGRATIONS, type Migrations, VERSION } from '../file/document.ts'

type StoreFolder = { disk: Disk; dir: string }

/** The format of a store, and of this program; null when there is no store. Refuses with a `StoreOpenError`. */
export async function storeFormat(
  input: StoreFolder & { version?: number },
): Promise<{ from: number; to: number } | null> {
  const { disk, dir, version = VERSION } = input
  const path = `${dir}/store.json`
  const bytes = await disk.read(path)
  return bytes === null ? null : { from: documentVersion(path, bytes, version), to: version }
}

/**
 * Brings a store that no one uses to the format of this program, after saving a copy of the former beside it. `serve`
 * does the same when it starts. `version` and `migrations` are for tests. Refuses with a `StoreOpenError` `corrupt`.
 */
export async function migrateStore(input: StoreFolder & { version?: number; migrations?: Migrations }): Promise<void> {
  const { disk, dir, version = VERSION, migrations = MIGRATIONS } = input
  const path = `${dir}/store.json`
  const document = createDocument({ disk, path, onSwitch: () => {}, onWritten: () => {}, version, migrations })
  const contents = await document.read()
  if (contents !== null) await document.write(contents)
}
