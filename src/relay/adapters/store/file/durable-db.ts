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

/** A delayed change waits at most this long for a durable one, in milliseconds. */
const NOTE_DELAY_MS = 1_000

/** Orders that lapsed up to this long ago are still watched, in seconds. */
const UNWATCHED_S = 86_400

/** Beyond this many delayed changes on a failing disk the oldest are dropped. */
const MAX_DELAYED = 10_000

/** Changes nothing, and yet is written. */
const writeAgain: DelayedChange = (draft) =>
  draft.set('counters', 'streamEpoch', draft.get('counters', 'streamEpoch') ?? 0)

/** A database with sole use of its files. All changes that wait while a write is running share the next one. */
export async function createDurableDb({ clock, files }: { clock: Clock; files: Files }): Promise<Db> {
  const { tables } = files
  // Before the first watch all that is known is that an order which lapsed a day ago is over.
  const ordersSince = tables.watch.get('orders')?.since ?? Math.floor(clock.now() / 1_000) - UNWATCHED_S
  const journal = createJournal({ now: clock.now, load: files.load, ordersSince })
  const liveRows = createLiveRows({ tables, quoters: journal.quoters })
  for await (const stored of files.scan()) takeIn(stored)
  const batches = createBatches(apply)
  /** Rows that an older version kept in the document, and this one in the journal: written with the first change. */
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

  /** A change becomes visible only once it is on disk, so that a failed one need not be undone. */
  async function save(changes: Changes, taken: readonly DelayedChange[]): Promise<void> {
    if (!changes.changed) return
    const outdated = liveRows.outdated(files.extents())
    const rows = [
      // First, because they are the state before these changes.
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

  /** An empty change carries the delayed ones. A failing disk is reported to the callers of durable changes. */
  async function flush(): Promise<void> {
    if (delayed.length > 0) await change(() => {}).catch(() => {})
  }

  /** Retries a failed disk, so that a store without writes counts as up again once its disk works. */
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
