import type { Clock } from '../../core/ports/runtime.ts'
import { createJournal, type Journal } from './journal/journal.ts'
import type { JournalRow } from './journal/rows.ts'
import { applyChanges, createDraft, type Draft, type Tables } from './tables.ts'

/** Small tables and a journal; a change is applied whole or not at all. */
export type Db = {
  /** As of the last durable change. */
  tables: () => Tables
  journal: Journal
  /**
   * Applies a change after all earlier ones and resolves with its result once it is durable. The change is synchronous,
   * so that a read and a write are one step.
   * Refuses with `store_unavailable` when it cannot be made durable: then nothing of it was applied.
   */
  change: <Result>(apply: (draft: Draft) => Result) => Promise<Result>
  /**
   * Applies a change that need not be durable at once: it is written with the next durable one, or within a second. A
   * crash may lose it; a disk that fails for long loses the oldest.
   */
  changeLater: (apply: (draft: Draft) => void) => void
  /** Resolves when all delayed changes are written, or could not be. */
  flush: () => Promise<void>
  /** Resolves when a change could be made durable now; otherwise fails with `store_unavailable`. */
  ping: () => Promise<void>
  /** Bytes that each change rewrites; null where nothing is written. */
  documentBytes: () => number | null
  /** Delayed changes dropped because of a failing disk. */
  lostWrites: () => number
  close: () => Promise<void>
}

/** `clock` is the store's clock. */
export type StoreBase = { clock: Pick<Clock, 'now'>; db: Db }

/** Audit rows in memory, of requests with and without a trade, each: some 20 MB. */
const MAX_AUDITED = 20_000

/** A restart empties it. */
export function createMemoryDb({ now, tables }: { now: () => number; tables: Tables }): Db {
  const journal = createJournal<JournalRow>({ now, load: async (row) => row, maxAudited: MAX_AUDITED })

  function applyNow<Result>(apply: (draft: Draft) => Result): Result {
    const draft = createDraft(tables)
    const result = apply(draft)
    const changes = draft.changes()
    applyChanges(tables, changes)
    for (const row of changes.appended) journal.add(row, row)
    return result
  }

  return {
    tables: () => tables,
    journal,
    change: async (apply) => applyNow(apply),
    changeLater: applyNow,
    flush: async () => {},
    ping: async () => {},
    documentBytes: () => null,
    lostWrites: () => 0,
    close: async () => {},
  }
}
