import { RfqError } from '../../../domain/errors.ts'
import type { Clock, Stop } from '../../../relay/ports/runtime.ts'
import type { Db } from '../db.ts'
import { createJournal } from '../journal/journal.ts'
import { applyChanges, type Changes, createDraft, type Draft, requestChanges } from '../tables.ts'
import { createBatches } from './batches.ts'
import type { Files } from './files.ts'
import { createRequestLog } from './request-log.ts'
import type { StoredRow } from './segments.ts'

type Job = { apply: (draft: Draft) => unknown; resolve: (result: never) => void; reject: (error: unknown) => void }
type Note = (draft: Draft) => void

/** How long a note may wait for a change that must be durable, in milliseconds. */
const NOTE_DELAY_MS = 1_000

/** How many notes a failing disk may pile up before the oldest are given up. */
const MAX_NOTES = 10_000

/** A change that changes nothing, and yet is written. */
const writeAgain: Note = (draft) => draft.set('counters', 'streamEpoch', draft.get('counters', 'streamEpoch') ?? 0)

/** A database over its files, which are its alone. All changes that wait while a write is under way share the next one. */
export async function createDurableDb({ clock, files }: { clock: Clock; files: Files }): Promise<Db> {
  const journal = createJournal({ now: clock.now, load: files.load })
  const { tables } = files
  const requestLog = createRequestLog({ tables, quoters: journal.quoters })
  for await (const stored of files.scan()) takeIn(stored)
  const batches = createBatches(apply)
  /** What an older version kept in the document, and this one keeps in the journal: written with the first change. */
  let inherited = files.inherited
  let notes: Note[] = []
  let stopTimer: Stop | null = null
  let closed = false
  let notesLost = 0

  const isOfTrade = (requestId: string) => journal.executed(requestId) !== null

  async function apply(batch: readonly Job[]): Promise<void> {
    try {
      const draft = createDraft(tables)
      const noted = takeNotes(draft)
      const results = batch.map((job) => job.apply(draft))
      await save(draft.changes(), noted)
      batch.forEach(({ resolve }, i) => void resolve(results[i] as never))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  /** No one sees a change before it is on disk, so that one that failed need not be taken back. */
  async function save(changes: Changes, noted: readonly Note[]): Promise<void> {
    if (!changes.changed) return
    const outdated = requestLog.outdated(files.extents())
    const rows = [
      // As they stood before these changes, hence first.
      ...(outdated?.rows ?? []),
      ...inherited.map((change) => ({ kind: 'changed' as const, change })),
      ...requestChanges(changes).map((change) => ({ kind: 'changed' as const, change })),
      ...changes.appended,
    ]
    try {
      const stored = await files.save({ changes, rows, without: outdated?.file ?? null, isOfTrade }, clock.now())
      inherited = []
      applyChanges(tables, changes)
      if (outdated !== null) requestLog.letGo(outdated.file)
      stored.forEach(takeIn)
    } catch (error) {
      const waiting = [...noted, ...notes]
      notes = waiting.slice(-MAX_NOTES)
      notesLost += waiting.length - notes.length
      if (notes.length > 0) armTimer()
      throw error
    }
  }

  function takeIn(stored: StoredRow): void {
    journal.note(stored.row, stored.location)
    requestLog.note(stored)
  }

  function takeNotes(draft: Draft): readonly Note[] {
    const noted = notes
    notes = []
    stopTimer?.()
    stopTimer = null
    for (const note of noted) note(draft)
    return noted
  }

  function change<Result>(apply: (draft: Draft) => Result): Promise<Result> {
    if (closed) return Promise.reject(new RfqError('store_unavailable', { detail: 'The store is closed.' }))
    return new Promise((resolve, reject) => batches.add({ apply, resolve, reject }))
  }

  /** A change of nothing, which takes the notes with it. A disk that fails is reported by those who must know. */
  async function flush(): Promise<void> {
    if (notes.length > 0) await change(() => {}).catch(() => {})
  }

  /** A disk that failed is tried again, so that a store that no one writes to counts as up once it is. */
  async function ping(): Promise<void> {
    if (closed || files.isFailing()) await change(writeAgain)
  }

  function note(apply: Note): void {
    if (closed) return
    notes.push(apply)
    armTimer()
  }

  function armTimer(): void {
    stopTimer ??= clock.schedule(clock.now() + NOTE_DELAY_MS, () => void flush())
  }

  return {
    tables: () => tables,
    journal,
    change,
    note,
    flush,
    ping,
    documentBytes: files.documentBytes,
    notesLost: () => notesLost,
    close: async () => {
      await flush()
      closed = true
      stopTimer?.()
      await batches.idle()
    },
  }
}
