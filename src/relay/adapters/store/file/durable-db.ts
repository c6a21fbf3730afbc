import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Clock, Stop } from '../../../core/ports/runtime.ts'
import type { Db } from '../db.ts'
import { createJournal } from '../journal/journal.ts'
import { applyChanges, type Changes, changedRows, createDraft, type Draft } from '../tables.ts'
import { createBatches } from './batches.ts'
import type { Files } from './files.ts'
import { createLiveRows } from './live-rows.ts'
import type { StoredRow } from './segments.ts'

type Job = { apply: (draft: Draft) => unknown; resolve: (result: never) => void; reject: (error: unknown) => void }
type DelayedChange = (draft: Draft) => void

/** How long a delayed change may wait for a change that must be durable, in milliseconds. */
const NOTE_DELAY_MS = 1_000

/** How long ago an order may have lapsed that is watched all the same, in seconds. */
const UNWATCHED_S = 86_400

/** How many delayed changes a failing disk may pile up before the oldest are given up. */
const MAX_DELAYED = 10_000

/** A change that changes nothing, and yet is written. */
const writeAgain: DelayedChange = (draft) =>
  draft.set('counters', 'streamEpoch', draft.get('counters', 'streamEpoch') ?? 0)

/** A database over its files, which are its alone. All changes that wait while a write is under way share the next one. */
export async function createDurableDb({ clock, files }: { clock: Clock; files: Files }): Promise<Db> {
  const { tables } = files
  // Before the first watch no more is known than that an order which lapsed a day ago is over.
  const ordersSince = tables.watch.get('orders')?.since ?? Math.floor(clock.now() / 1_000) - UNWATCHED_S
  const journal = createJournal({ now: clock.now, load: files.load, ordersSince })
  const liveRows = createLiveRows({ tables, quoters: journal.quoters })
  for await (const stored of files.scan()) takeIn(stored)
  const batches = createBatches(apply)
  /** What an older version kept in the document, and this one keeps in the journal: written with the first change. */
  let inherited = files.inherited
  let delayed: DelayedChange[] = []
  let stopTimer: Stop | null = null
  let closed = false
  let lostWrites = 0

  const isOfTrade = (requestId: string) => journal.executed(requestId) !== null

  async function apply(batch: readonly Job[]): Promise<void> {
    try {
      const draft = createDraft(tables)
      const taken = takeDelayed(draft)
      const results = batch.map((job) => job.apply(draft))
      await save(draft.changes(), taken)
      batch.forEach(({ resolve }, i) => void resolve(results[i] as never))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  /** No one sees a change before it is on disk, so that one that failed need not be taken back. */
  async function save(changes: Changes, taken: readonly DelayedChange[]): Promise<void> {
    if (!changes.changed) return
    const outdated = liveRows.outdated(files.extents())
    const rows = [
      // As they stood before these changes, hence first.
      ...outdated.flatMap((gone) => gone.rows),
      ...inherited,
      ...changedRows(changes),
      ...changes.appended,
    ]
    try {
      const stored = await files.save(
        { changes, rows, without: outdated.map(({ file }) => file), isOfTrade },
        clock.now(),
      )
      inherited = []
      applyChanges(tables, changes)
      for (const { file } of outdated) liveRows.letGo(file)
      stored.forEach(takeIn)
    } catch (error) {
      const waiting = [...taken, ...delayed]
      delayed = waiting.slice(-MAX_DELAYED)
      lostWrites += waiting.length - delayed.length
      if (delayed.length > 0) armTimer()
      throw error
    }
  }

  function takeIn(stored: StoredRow): void {
    journal.add(stored.row, stored.location)
    liveRows.add(stored)
  }

  function takeDelayed(draft: Draft): readonly DelayedChange[] {
    const taken = delayed
    delayed = []
    stopTimer?.()
    stopTimer = null
    for (const apply of taken) apply(draft)
    return taken
  }

  function change<Result>(apply: (draft: Draft) => Result): Promise<Result> {
    if (closed) return Promise.reject(new RfqError('store_unavailable', { detail: 'The store is closed.' }))
    return new Promise((resolve, reject) => batches.add({ apply, resolve, reject }))
  }

  /** A change of nothing, which takes the delayed ones with it. A disk that fails is reported by those who must know. */
  async function flush(): Promise<void> {
    if (delayed.length > 0) await change(() => {}).catch(() => {})
  }

  /** A disk that failed is tried again, so that a store that no one writes to counts as up once it is. */
  async function ping(): Promise<void> {
    if (closed || files.isFailing()) await change(writeAgain)
  }

  function changeLater(apply: DelayedChange): void {
    if (closed) return
    delayed.push(apply)
    armTimer()
  }

  function armTimer(): void {
    stopTimer ??= clock.schedule(clock.now() + NOTE_DELAY_MS, () => void flush())
  }

  return {
    tables: () => tables,
    journal,
    change,
    changeLater,
    flush,
    ping,
    documentBytes: files.documentBytes,
    lostWrites: () => lostWrites,
    close: async () => {
      await flush()
      closed = true
      stopTimer?.()
      await batches.idle()
    },
  }
}
