import { RfqError } from '@rfqctl/protocol/domain/errors'
import { Low } from 'lowdb'
import type { Log } from '../../../core/ports/runtime.ts'
import type { JournalRow } from '../journal/rows.ts'
import { corrupt } from '../open-error.ts'
import { applyJournalRow, type Changes, newTables, restoreTables, saveTables, standingRows } from '../tables.ts'
import type { Disk } from './disk.ts'
import { type Contents, createDocument, decodeDocument } from './document.ts'
import { parseFileName, REWRITTEN } from './extents.ts'
import { type Append, type AppendOptions, createSegments, type StoredRow } from './segments.ts'

/** The files of a store: a document of a few rows and the segments of the journal, which agree at every moment. */
export type Files = Awaited<ReturnType<typeof openFiles>>

const FROM_ONE_COPY =
  'put store.json and all of segments/ back from one copy, into an empty folder, or restore a backup with rfqctl db restore FOLDER'

/** The changes of the document, the rows of the journal, and the options of its append. */
type Save = { changes: Changes; rows: readonly JournalRow[] } & AppendOptions

/**
 * Opens the files of an existing folder. The document is the commit record: rows of the journal are written before it
 * and count once it says so. No file is written before the first save.
 * Refuses with a `StoreOpenError` what is damaged or foreign.
 */
export async function openFiles(parts: {
  disk: Disk
  dir: string
  log: Log
  /** Refuses a write once another process has the store. */
  assertHeld?: () => Promise<void>
  fullBytes?: number
}) {
  const { disk, dir, log, assertHeld = async () => {}, ...sizes } = parts
  const path = `${dir}/store.json`
  const segmentsDir = `${dir}/segments`
  let append: Append | null = null
  let mayHold = false
  let failing = false
  /** As last written; 0 before the first save. */
  let documentBytes = 0
  const document = createDocument({
    disk,
    path,
    // Rows and document are flushed at the same time. Neither counts before the switch, which comes after both.
    onSwitch: async () => {
      await append?.written()
      await assertHeld()
      mayHold = true
    },
    onWritten: (bytes) => {
      documentBytes = bytes
    },
  })
  const blank: Contents = { tables: {}, segments: [], saves: 0 }
  const low = new Low(document, blank)
  await low.read()
  const isNew = low.data === blank
  if (isNew && (await disk.list(segmentsDir)).some((name) => parseFileName(name) !== null))
    throw corrupt(path, 'is missing, but its segments are there')
  const tables = isNew ? newTables({ streamEpoch: 0 }) : restoreTables(low.data.tables)
  let saves = low.data.saves
  const segments = createSegments({ disk, dir: segmentsDir, saved: low.data.segments, ...sizes })
  await assertNewest()
  /** Rows for the journal that an older version left in the document. */
  const inherited = standingRows(tables)
  for await (const { row } of segments.scan(REWRITTEN)) applyJournalRow(tables, row)

  /**
   * Refuses an outdated document: lines beyond its extents were written after a save that it does not know. It is read
   * again first, since a store may be checked while its relay writes.
   */
  async function assertNewest(): Promise<void> {
    const newest = await segments.newestSaveBehind()
    if (newest <= saves) return
    const now = await disk.read(path)
    if (now !== null && decodeDocument(path, now).saves >= newest) return
    throw corrupt(path, 'is older than its segments, which hold what was saved since', { hint: FROM_ONE_COPY })
  }

  async function write({ changes, rows, ...options }: Save, now: number): Promise<Append> {
    append = null
    mayHold = false
    try {
      // A later write of another process must not be overwritten.
      if (rows.length > 0) await assertHeld()
      append = await segments.append(rows, now, { ...options, after: saves })
      low.data = { tables: saveTables(tables, changes), segments: append.extents, saves: saves + 1 }
      await low.write()
      saves += 1
      return append
    } catch (cause) {
      await append?.written().catch(() => {})
      segments.abandon(mayHold ? append : null)
      throw new RfqError('store_unavailable', { cause })
    }
  }

  /**
   * Writes changes, all or nothing, and returns the journal's new rows. One save at a time; `now` in Unix milliseconds.
   * Fails with `store_unavailable`; the next save may succeed.
   */
  async function save(work: Save, now: number): Promise<readonly StoredRow[]> {
    try {
      const append = await write(work, now)
      await segments.accept(append)
      if (failing) log.info('store_recovered', { path })
      failing = false
      return append.rows
    } catch (fault) {
      if (!failing) log.error('store_unavailable', { path, fault })
      failing = true
      throw fault
    }
  }

  await disk.makeDir(segmentsDir)
  /** The place that the store has moved to; null for a usable store. */
  const moved = low.data.moved ?? null
  const { scan, load, extents } = segments
  const state = { isFailing: () => failing, documentBytes: () => documentBytes }
  return { moved, tables, inherited, scan, load, extents, save, ...state }
}
