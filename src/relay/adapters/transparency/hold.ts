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

  return (entry) => {
    const { requestId, kind } = entry
    const isReleased = released.has(requestId) || knows(requestId)
    if (kind === 'closed') released.delete(requestId)
    if (isReleased) return [entry]
    const ofRequest = held.get(requestId)
    switch (entry.kind) {
      case 'opened':
      case 'reopened': {
        const begun: Held = ofRequest ?? { others: [], quotes: new Map() }
        begun.others.push(entry)
        held.set(requestId, begun)
        return NOTHING
      }
      case 'quoted':
        ofRequest?.quotes.delete(entry.quote.quoteId)
        ofRequest?.quotes.set(entry.quote.quoteId, entry)
        return NOTHING
      case 'quote_withdrawn':
      case 'quote_expired':
      case 'quote_dropped':
        ofRequest?.quotes.delete(entry.quoteId)
        return NOTHING
      case 'quote_sealed':
      case 'quote_refused':
        // One that comes after the end is kept nowhere: nothing would ever take it away.
        ofRequest?.others.push(entry)
        return NOTHING
      case 'closed':
        held.delete(requestId)
        return NOTHING
      default:
        if (ofRequest === undefined) return [entry]
        held.delete(requestId)
        released.add(requestId)
        return [...[...ofRequest.others, ...ofRequest.quotes.values()].sort((a, b) => a.at - b.at), entry]
    }
  }
}
