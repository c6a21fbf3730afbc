import type { AuditEntry } from '../../domain/audit.ts'

/**
 * The record of each request's life, for operators. It never holds a call up: an adapter keeps what it is given in order
 * and writes it away in its own time.
 */
export type Audit = { record: (entry: AuditEntry) => void }

/** The record with its reader. */
export type AuditLog = Audit & {
  /** What is known of a request, oldest first: a week back, in a busy relay less. */
  find: (requestId: string) => Promise<readonly AuditEntry[]>
}
