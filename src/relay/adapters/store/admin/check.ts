import type { Log } from '../../../core/ports/runtime.ts'
import type { Disk } from '../file/disk.ts'
import type { Move } from '../file/document.ts'
import { parseFileName, ROW_KINDS } from '../file/extents.ts'
import { openFiles } from '../file/files.ts'
import type { JournalRow } from '../journal/rows.ts'
import { StoreOpenError } from '../open-error.ts'
import type { TableName } from '../tables.ts'

export type StoreCheck = {
  /** The place that the store has moved to; null for one that may be served. */
  moved: Move | null
  /** The number of openings. */
  streamEpoch: number
  documentBytes: number
  tables: Readonly<Record<TableName, number>>
  journal: Readonly<Record<JournalRow['kind'], number>>
}

export const SILENT: Log = { info: () => {}, warn: () => {}, error: () => {} }

/**
 * Reads all of a store, even while a relay writes to it, and writes nothing; null where there is none.
 * Refuses with a `StoreOpenError` `corrupt` what is damaged, foreign or of a newer version.
 */
export const checkStore = ({ disk, dir }: { disk: Disk; dir: string }): Promise<StoreCheck | null> =>
  readConsistently({ disk, dir }, async () => ((await hasStore(disk, dir)) ? check(disk, dir) : null))

async function check(disk: Disk, dir: string): Promise<StoreCheck> {
  const { moved, tables, scan } = await openFiles({ disk: readOnly(disk), dir, log: SILENT })
  const journal = Object.fromEntries(ROW_KINDS.map((kind) => [kind, 0])) as Record<JournalRow['kind'], number>
  for await (const { row } of scan()) journal[row.kind] += 1
  const counts = Object.entries(tables).map(([name, rows]) => [name, rows.size])
  return {
    moved,
    streamEpoch: tables.counters.get('streamEpoch') ?? 0,
    documentBytes: (await disk.read(`${dir}/store.json`))?.length ?? 0,
    tables: Object.fromEntries(counts) as StoreCheck['tables'],
    journal,
  }
}

/** True for any part of a store, whole or not. */
export async function hasStore(disk: Disk, dir: string): Promise<boolean> {
  if ((await disk.read(`${dir}/store.json`)) !== null) return true
  return (await disk.list(`${dir}/segments`)).some((name) => parseFileName(name) !== null)
}

/** A disk that ignores all writes, such as the copy beside an older version. */
export const readOnly = ({ list, read, readAt }: Disk): Disk => {
  const nothing = async () => {}
  const writes = { makeDir: nothing, write: nothing, writeAt: nothing, truncate: nothing, rename: nothing }
  return { list, read, readAt, ...writes, remove: nothing, flushDir: nothing }
}

/** Retries after a file was dropped during a read, which happens once in hours. */
const ATTEMPTS = 3

/**
 * Reads a store that may be written to meanwhile. Its document says how far each file of the journal counts, and that
 * part never changes. A file dropped under a reader looks like damage, so a failed read is repeated if the document has
 * changed.
 */
export async function readConsistently<Result>(
  { disk, dir }: { disk: Disk; dir: string },
  read: () => Promise<Result>,
): Promise<Result> {
  const path = `${dir}/store.json`
  for (let attempt = 1; ; attempt += 1) {
    const before = await disk.read(path)
    try {
      return await read()
    } catch (fault) {
      const after = await disk.read(path)
      const hasMoved = before !== null && after !== null && !before.equals(after)
      if (!(fault instanceof StoreOpenError) || !hasMoved || attempt === ATTEMPTS) throw fault
    }
  }
}
