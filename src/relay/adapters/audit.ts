import type { AuditEvent, AuditFeed } from '../core/ports/operations.ts'
import type { Log } from '../core/ports/runtime.ts'
import type { Audit } from '../core/ports/store.ts'
import { createAuditBudget } from './audit-budget.ts'
import { createAuditRing } from './audit-ring.ts'

/** The audit log with its newest part at hand. */
export type AuditRecorder = Audit & {
  feed: AuditFeed
  /** Passes on what was recorded until now; for the end of the process. */
  flush: () => void
}

/**
 * Takes entries at the cost of two writes to arrays: a quote waits for nothing here. What they are for comes after the
 * current turn of the event loop, for all entries of the turn at once: the durable `auditLog`, which takes of each request what
 * its budget allows, then whoever listens.
 */
export function createAuditRecorder({
  epoch,
  auditLog,
  log,
  bytesPerRequest,
}: {
  epoch: number
  auditLog: Audit
  log: Log
  /** What the audit log keeps of one request at most, about. */
  bytesPerRequest: number
}): AuditRecorder {
  const ring = createAuditRing({ epoch })
  const listeners = new Set<(events: readonly AuditEvent[]) => void>()
  const keptOf = createAuditBudget({ bytesPerRequest })
  let waiting: AuditEvent[] = []

  function flush(): void {
    const events = waiting
    if (events.length === 0) return
    waiting = []
    guarded(() => {
      for (const { entry } of events) for (const kept of keptOf(entry)) auditLog.record(kept)
    })
    for (const listener of listeners) guarded(() => listener(events))
  }

  /** One that fails does not keep the entries from the others. */
  function guarded(work: () => void): void {
    try {
      work()
    } catch (fault) {
      log.error('audit_failed', { fault })
    }
  }

  return {
    record: (entry) => {
      if (waiting.push(ring.add(entry)) === 1) setImmediate(flush)
    },
    flush,
    feed: {
      position: ring.position,
      newest: ring.newest,
      since: ring.since,
      listen: (onEvents) => {
        const listener = (events: readonly AuditEvent[]) => onEvents(events)
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
  }
}
