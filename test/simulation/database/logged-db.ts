import type { Db } from '../../../src/relay/adapters/store/db.ts'
import { createJournal } from '../../../src/relay/adapters/store/journal/journal.ts'
import type { JournalRow } from '../../../src/relay/adapters/store/journal/rows.ts'
import {
  applyChanges,
  type Changes,
  createDraft,
  type Draft,
  newTables,
} from '../../../src/relay/adapters/store/tables.ts'

/** A change as the log has it; `at`: the time of the database, Unix milliseconds. */
export type Logged = { at: number; changes: Changes }

/** Audit rows that are kept: what operators read is not simulated. */
const MAX_AUDITED = 100

/** Tables in memory that are what their log makes of them: a part of a log is the database of an earlier moment. */
export function createLoggedDb({ now, log }: { now: () => number; log: Logged[] }): Db {
  const tables = newTables({ streamEpoch: 0 })
  let replayedAt: number | null = null
  const journal = createJournal<JournalRow>({
    now: () => replayedAt ?? now(),
    load: async (row) => row,
    maxAudited: MAX_AUDITED,
  })

  function apply(changes: Changes): void {
    applyChanges(tables, changes)
    for (const row of changes.appended) journal.add(row, row)
  }

  function change<Result>(work: (draft: Draft) => Result): Result {
    const draft = createDraft(tables)
    const result = work(draft)
    const changes = draft.changes()
    if (changes.changed) {
      log.push({ at: now(), changes })
      apply(changes)
    }
    return result
  }

  for (const { at, changes } of log) {
    replayedAt = at
    apply(changes)
  }
  replayedAt = null

  return {
    tables: () => tables,
    journal,
    change: async (work) => change(work),
    changeLater: (work) => change(work),
    flush: async () => {},
    ping: async () => {},
    documentBytes: () => null,
    lostWrites: () => 0,
    close: async () => {},
  }
}
