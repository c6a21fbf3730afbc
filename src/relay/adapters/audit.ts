import type { AuditEvent, AuditFeed } from '../core/ports/operations.ts'
import type { Log } from '../core/ports/runtime.ts'
import type { Audit } from '../core/ports/store.ts'
import { createAuditBudget } from './audit-budget.ts'
import { createAuditRing } from './audit-ring.ts'

/**
 * Takes entries at the cost of two writes to arrays, so that a quote waits for nothing here. After the current turn of
 * the event loop all its entries go, at once, to the durable `auditLog`, within each request's budget, and then to the
 * listeners.
 */
export function createAuditRecorder(parts: {
  epoch: number
  auditLog: Audit
  log: Log
  /** Approximate. */
  bytesPerRequest: number
}) {
  const { epoch, auditLog, log, bytesPerRequest } = parts
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

  /** A listener that fails does not keep the entries from the others. */
  function guarded(work: () => void): void {
    try {
      work()
    } catch (fault) {
      log.error('audit_failed', { fault })
    }
  }

  return {
    record: (entry: Parameters<Audit['record']>[0]) => {
      if (waiting.push(ring.add(entry)) === 1) setImmediate(flush)
    },
    /** Delivers what was recorded until now; for the end of the process. */
    flush,
    feed: {
      position: ring.position,
      newest: ring.newest,
      since: ring.since,
      listen: (onEvents) => {
        const listener = (events: readonly AuditEvent[]) => onEvents(events)
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    } satisfies AuditFeed,
  }
}
