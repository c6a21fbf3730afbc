import type { Clock } from '../../core/ports/runtime.ts'
import { createJournal, type Journal } from './journal/journal.ts'
import type { JournalRow } from './journal/rows.ts'
import { applyChanges, createDraft, type Draft, type Tables } from './tables.ts'

/** Small tables and a journal, with changes that take place whole or not at all. */
export type Db = {
  /** The tables as of the last change that is durable. */
  tables: () => Tables
  journal: Journal
  /**
   * Applies a change after all earlier ones and resolves with what it returned once it is durable. The change is
   * synchronous, so that a look and a write are one step.
   * Refuses with `store_unavailable` when it cannot be made durable: then nothing of it took place.
   */
  change: <Result>(apply: (draft: Draft) => Result) => Promise<Result>
  /**
   * Applies a change that need not be durable at once: it is written with the next one that must be, or within a second.
   * A crash may lose it; a disk that fails for long loses the oldest.
   */
  changeLater: (apply: (draft: Draft) => void) => void
  /** Resolves when what was changed so is written, or could not be. */
  flush: () => Promise<void>
  /** Resolves when a change could be made durable now; else fails with `store_unavailable`. */
  ping: () => Promise<void>
  /** Bytes that each change writes again; null where nothing is written. */
  documentBytes: () => number | null
  /** How many of these changes a failing disk made the store give up. */
  lostWrites: () => number
  close: () => Promise<void>
}

/** What each part of a store stands on; `clock` is the store's clock. */
export type StoreBase = { clock: Pick<Clock, 'now'>; db: Db }

/** What a process remembers of requests that came to nothing, and of trades, each: some 20 MB. */
const MAX_AUDITED = 20_000

/** A database that a restart empties. */
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
