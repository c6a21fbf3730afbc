import type { AuditEntry } from '../domain/audit.ts'
import type { Audit } from '../relay/ports/audit.ts'
import type { Log } from '../relay/ports/log.ts'
import type { AuditEvent, AuditFeed } from '../relay/ports/operations.ts'

/** The audit trail with its newest part at hand. */
export type AuditRecorder = Audit & {
  feed: AuditFeed
  /** Passes on what was recorded until now; for the end of the process. */
  flush: () => void
}

/** How much an operator may miss and still continue. */
const FEED_LENGTH = 10_000

/**
 * Re-quotes of one request that the durable trail keeps. A maker may re-price without end: at 17,000 a second they were a
 * fifth of what a quote cost, in garbage collection alone, and would fill a disk with 8 MB a second.
 */
const REQUOTES_KEPT = 1_000

/** Room for the offsets of one epoch, as in the maker feed (ruling M1). */
const EPOCH_SIZE = 1_000_000_000

/**
 * Takes entries at the cost of two writes to arrays: a quote waits for nothing here. What they are for comes after the
 * current turn of the event loop, for all entries of the turn at once: the durable `trail`, then whoever listens.
 */
export function createAuditRecorder({ epoch, trail, log }: { epoch: number; trail: Audit; log: Log }): AuditRecorder {
  const first = epoch * EPOCH_SIZE
  const ring: AuditEvent[] = []
  const listeners = new Set<(events: readonly AuditEvent[]) => void>()
  const isKept = createRequoteLimit()
  let position = first
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

  const between = (after: number, last: number): AuditEvent[] =>
    Array.from({ length: last - after }, (_, i) => ring[(after + i - first) % FEED_LENGTH] as AuditEvent)

  return {
    record: (entry) => {
      const slot = (position - first) % FEED_LENGTH
      position += 1
      const event = { id: position, entry }
      ring[slot] = event
      if (waiting.push(event) === 1) setImmediate(flush)
    },
    flush,
    feed: {
      position: async () => position,
      newest: async (limit) => between(Math.max(first, position - Math.min(limit, FEED_LENGTH)), position),
      since: async (id) => {
        const oldest = Math.max(first, position - FEED_LENGTH)
        return Number.isInteger(id) && id >= oldest && id <= position ? between(id, position) : null
      },
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
