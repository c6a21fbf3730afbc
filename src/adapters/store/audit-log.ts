import type { AuditLog } from '../../relay/ports/store.ts'
import { decodeAuditEntry, encodeAuditEntry } from './audit-codec.ts'
import type { StoreBase } from './db.ts'

/** The record of each request's life, in the journal. */
export function createAuditLog({ db }: Pick<StoreBase, 'db'>): AuditLog {
  return {
    record: (entry) => {
      const row = { kind: 'audited' as const, entry: encodeAuditEntry(entry) }
      db.note((draft) => draft.append(row))
    },
    find: async (requestId) => {
      await db.flush()
      const rows = await Promise.all(db.journal.audited(requestId).map((load) => load()))
      // What was carried to another file lies behind what came after it.
      const entries = rows.filter((row) => row !== null).map(({ entry }) => decodeAuditEntry(entry))
      return entries.sort((a, b) => a.at - b.at)
    },
  }
}
