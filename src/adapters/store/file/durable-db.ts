import { Low } from 'lowdb'
import { RfqError } from '../../../domain/errors.ts'
import type { Clock, Log } from '../../../relay/ports.ts'
import type { Db } from '../db.ts'
import { createJournalIndex } from '../journal.ts'
import { corrupt } from '../open-error.ts'
import { type Changes, createDraft, type Draft, restoreTables, saveTables, type Tables } from '../tables.ts'
import type { Disk } from './disk.ts'
import { type Contents, createDocument } from './document.ts'
import { type Append, createSegments } from './segments.ts'

type Change = { apply: (draft: Draft) => unknown; resolve: (result: never) => void; reject: (error: unknown) => void }

/** From this size on each write of the small tables is felt, and Postgres is the better place (scale-out.md). */
const LARGE_BYTES = 8 * 1024 * 1024

const DOCUMENT = 'store.json'
const SEGMENTS = 'segments'

/**
 * Opens the database of a folder. The document of the small tables is the commit record: rows of the journal are written
 * before it and count once it says so. All changes that wait while a write is under way share the next one.
 * Refuses with a `StoreOpenError` what is damaged or foreign, and leaves it as it is.
 */
export async function openDurableDb({
  disk,
  dir,
  clock,
  log,
  start,
}: {
  disk: Disk
  dir: string
  clock: Pick<Clock, 'now'>
  log: Log
  /** The tables of a new store. */
  start: () => Tables
}): Promise<Db> {
  const path = `${dir}/${DOCUMENT}`
  let mayHold = false
  const document = createDocument({
    disk,
    dir,
    name: DOCUMENT,
    onSwitch: () => {
      mayHold = true
    },
    onWritten: createSizeWatch(log, path),
  })
  const blank: Contents = { tables: {}, segments: [] }
  const low = new Low(document, blank)
  await low.read()
  const isNew = low.data === blank
  if (isNew && (await disk.list(`${dir}/${SEGMENTS}`)).length > 0) {
    throw corrupt(path, 'is missing beside its segments')
  }
  const segments = createSegments({ disk, dir: `${dir}/${SEGMENTS}`, saved: low.data.segments })
  const journal = createJournalIndex(clock.now)
  for await (const { row, load } of segments.scan()) journal.note(row, load)
  await disk.makeDir(`${dir}/${SEGMENTS}`)

  let tables = isNew ? start() : restoreTables(low.data.tables)
  let waiting: Change[] = []
  let work: Promise<void> | null = null
  let closed = false
  let failing = false

  function change<Result>(apply: (draft: Draft) => Result): Promise<Result> {
    if (closed) return Promise.reject(new RfqError('store_unavailable', { detail: 'The store is closed.' }))
    return new Promise((resolve, reject) => {
      waiting.push({ apply, resolve, reject })
      work ??= writeAll()
    })
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      // Whoever asks in the same turn shares the write.
      await null
      const batch = waiting
      waiting = []
      await write(batch)
    }
    work = null
  }

  /** Nobody sees a change before it is on disk, so that one that failed need not be taken back. */
  async function write(batch: readonly Change[]): Promise<void> {
    try {
      const draft = createDraft(tables)
      const results = batch.map(({ apply }) => apply(draft))
      await save(draft.changes())
      batch.forEach(({ resolve }, i) => void resolve(results[i] as never))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  async function save({ tables: next, appended, changed }: Changes): Promise<void> {
    if (!changed) return
    let append: Append | null = null
    mayHold = false
    try {
      append = await segments.append(appended, clock.now())
      low.data = { tables: saveTables(next), segments: append.extents }
      await low.write()
    } catch (fault) {
      segments.abandon(mayHold ? append : null)
      if (!failing) log.error('store_write_failed', { path, fault })
      failing = true
      throw new RfqError('store_unavailable', { cause: fault })
    }
    tables = next
    for (const { row, load } of append.rows) journal.note(row, load)
    await segments.accept(append)
    if (failing) log.info('store_write_recovered', { path })
    failing = false
  }

  await change((draft) => draft.set('counters', 'streamEpoch', (draft.get('counters', 'streamEpoch') ?? 0) + 1))

  return {
    tables: () => tables,
    journal,
    change,
    close: async () => {
      closed = true
      await work
    },
  }
}

/** Warns once each time the document becomes large. */
function createSizeWatch(log: Log, path: string): (bytes: number) => void {
  let large = false
  return (bytes) => {
    if (bytes >= LARGE_BYTES && !large) log.warn('store_large', { path, count: bytes, reason: 'move to Postgres' })
    large = bytes >= LARGE_BYTES
  }
}
