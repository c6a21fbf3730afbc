import type { AuditEntry } from '@rfqctl/protocol/domain/audit'

/** Entries of a request before its first commit: all but quotes that were replaced or are gone. */
type Held = { others: AuditEntry[]; quotes: Map<string, AuditEntry> }

const NOTHING: readonly AuditEntry[] = []

/**
 * Keeps entries back until the first commit of their request, and drops them when it ends without one: most requests do, and
 * hashing costs about as much as a quote does. `knows`: the log has leaves of the request.
 */
export function createHold(knows: (requestId: string) => boolean): (entry: AuditEntry) => readonly AuditEntry[] {
  const held = new Map<string, Held>()
  const released = new Set<string>()

  function release(requestId: string): AuditEntry[] {
    const { others, quotes } = held.get(requestId) ?? { others: [], quotes: new Map<string, AuditEntry>() }
    held.delete(requestId)
    return [...others, ...quotes.values()].sort((a, b) => a.at - b.at)
  }

  function keep(requestId: string): Held {
    const ofRequest = held.get(requestId) ?? { others: [], quotes: new Map<string, AuditEntry>() }
    held.set(requestId, ofRequest)
    return ofRequest
  }

  return (entry) => {
    const { requestId, kind } = entry
    const isReleased = released.has(requestId) || knows(requestId)
    if (kind === 'closed') released.delete(requestId)
    if (isReleased) return [entry]
    switch (entry.kind) {
      case 'quoted': {
        const { quotes } = keep(requestId)
        quotes.delete(entry.quote.quoteId)
        quotes.set(entry.quote.quoteId, entry)
        return NOTHING
      }
      case 'quote_withdrawn':
      case 'quote_expired':
      case 'quote_dropped':
        keep(requestId).quotes.delete(entry.quoteId)
        return NOTHING
      case 'opened':
      case 'reopened':
      case 'quote_sealed':
      case 'quote_refused':
        keep(requestId).others.push(entry)
        return NOTHING
      case 'closed':
        held.delete(requestId)
        return NOTHING
      default:
        released.add(requestId)
        return [...release(requestId), entry]
    }
  }
}
