import type { AuditEntry } from '../domain/audit.ts'
import type { Audit } from '../relay/ports/audit.ts'
import type { Log } from '../relay/ports/log.ts'
import type { AuditEvent, AuditFeed } from '../relay/ports/operations.ts'
import { createAuditRing } from './audit-ring.ts'

/** The audit trail with its newest part at hand. */
export type AuditRecorder = Audit & {
  feed: AuditFeed
  /** Passes on what was recorded until now; for the end of the process. */
  flush: () => void
}

/**
 * Re-quotes of one request that the durable trail keeps. A maker may re-price without end: at 17,000 a second they were a
 * fifth of what a quote cost, in garbage collection alone, and would fill a disk with 8 MB a second.
 */
const REQUOTES_KEPT = 1_000

/**
 * Takes entries at the cost of two writes to arrays: a quote waits for nothing here. What they are for comes after the
 * current turn of the event loop, for all entries of the turn at once: the durable `trail`, then whoever listens.
 */
export function createAuditRecorder({ epoch, trail, log }: { epoch: number; trail: Audit; log: Log }): AuditRecorder {
  const ring = createAuditRing({ epoch })
  const listeners = new Set<(events: readonly AuditEvent[]) => void>()
  const isKept = createRequoteLimit()
  let waiting: AuditEvent[] = []

  function flush(): void {
    const events = waiting
    if (events.length === 0) return
    waiting = []
    guarded(() => {
      for (const { entry } of events) if (isKept(entry)) trail.record(entry)
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

/** Says which entries the durable trail keeps. */
function createRequoteLimit(): (entry: AuditEntry) => boolean {
  const requotes = new Map<string, number>()
  return (entry) => {
    const { requestId, kind } = entry
    if (kind === 'closed') requotes.delete(requestId)
    if (kind !== 'quoted' || !entry.isRequote) return true
    const count = (requotes.get(requestId) ?? 0) + 1
    requotes.set(requestId, count)
    return count <= REQUOTES_KEPT
  }
}
