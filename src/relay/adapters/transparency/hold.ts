import type { AuditEntry } from '@rfqctl/protocol/domain/audit'

/** A maker's first quote, which is when it answered, and what became of it since: of several nodes all that is recent. */
type HeldQuote = { first: Kept; later: Kept[] }

/** An entry with its turn: a millisecond may have several, and a refusal takes away the quote before it. */
type Kept = { entry: AuditEntry; turn: number }

/** A commit on another node is heard of by then, in milliseconds: until then it may have seen any quote. */
const HEARD_MS = 8_000

/** Recent quotes of one maker that are held. */
const MOST_RECENT = 64

/** Entries of a request before its first commit: all but quotes between the first and the last of a maker, or the recent ones. */
type Held = { others: Kept[]; quotes: Map<string, HeldQuote> }

type Quoted = Extract<AuditEntry, { kind: 'quoted' }>

const NOTHING: readonly AuditEntry[] = []

/** A request whose entries are held here, or that has had a commit. */
type HeldRequest = { requestId: string; isReleased: boolean }

/** Keeps entries back, and gives them back. */
export type Hold = {
  /** Returns the entries that go into the log now. */
  take: (entry: AuditEntry) => readonly AuditEntry[]
  requests: () => readonly HeldRequest[]
  /** Gives what is held of a request, of which nothing more is kept back. */
  release: (requestId: string) => readonly AuditEntry[]
  /** Forgets a request that is over. */
  drop: (requestId: string) => void
}

/**
 * Keeps entries back until the first commit of their request, and drops them when it ends without one: most requests do, and
 * hashing costs about as much as a quote does. `knows`: the log has leaves of the request. `isShared`: other nodes may have the
 * request's beginning, its commit or its end, so that `drop` alone forgets it.
 */
export function createHold({ knows, isShared }: { knows: (requestId: string) => boolean; isShared: boolean }): Hold {
  const held = new Map<string, Held>()
  const released = new Set<string>()
  let turns = 0

  function kept(entry: AuditEntry): Kept {
    turns += 1
    return { entry, turn: turns }
  }

  function begin(requestId: string): Held {
    const begun: Held = held.get(requestId) ?? { others: [], quotes: new Map() }
    held.set(requestId, begun)
    return begun
  }

  /** The quote that was current when a commit may have begun stays, and those after it. */
  function keepLater({ later }: HeldQuote, entry: AuditEntry): void {
    const [last] = later
    if (!isShared && last !== undefined) {
      // In place: makers re-quote many times, and each object would cost as much as the rest of this.
      turns += 1
      last.entry = entry
      last.turn = turns
      return
    }
    later.push(kept(entry))
    for (let second = later[1]; second !== undefined; second = later[1]) {
      if (second.entry.at > entry.at - HEARD_MS && later.length <= MOST_RECENT) return
      later.shift()
    }
  }

  function keepQuote(quotes: Held['quotes'], entry: Quoted): void {
    const { quoteId } = entry.quote
    const former = quotes.get(quoteId)
    if (former === undefined) quotes.set(quoteId, { first: kept(entry), later: [] })
    else keepLater(former, entry)
  }

  function keep(entry: AuditEntry): void {
    const { requestId } = entry
    // One that comes after the end is kept nowhere on a single node: nothing would ever take it away.
    const ofRequest =
      isShared || entry.kind === 'opened' || entry.kind === 'reopened' ? begin(requestId) : held.get(requestId)
    if (ofRequest === undefined) return
    const { others, quotes } = ofRequest
    switch (entry.kind) {
      case 'quoted':
        keepQuote(quotes, entry)
        return
      case 'quote_withdrawn':
      case 'quote_expired':
      case 'quote_dropped': {
        const former = quotes.get(entry.quoteId)
        if (former !== undefined) keepLater(former, entry)
        else if (isShared) others.push(kept(entry))
        return
      }
      default:
        others.push(kept(entry))
    }
  }

  function release(requestId: string): AuditEntry[] {
    const { others, quotes } = held.get(requestId) ?? { others: [], quotes: new Map<string, HeldQuote>() }
    held.delete(requestId)
    released.add(requestId)
    const ofQuotes = [...quotes.values()].flatMap(({ first, later }) => [first, ...later])
    return [...others, ...ofQuotes].sort((a, b) => a.turn - b.turn).map(({ entry }) => entry)
  }

  return {
    take: (entry) => {
      const { requestId, kind } = entry
      // By far the most entries: what is held of a request is neither released nor known.
      const quotes = kind === 'quoted' ? held.get(requestId)?.quotes : undefined
      if (quotes !== undefined) {
        keepQuote(quotes, entry as Quoted)
        return NOTHING
      }
      const isReleased = released.has(requestId) || knows(requestId)
      if (kind === 'closed') released.delete(requestId)
      if (isReleased) return [entry]
      switch (kind) {
        case 'opened':
        case 'reopened':
        case 'quoted':
        case 'quote_sealed':
        case 'quote_refused':
        case 'quote_withdrawn':
        case 'quote_expired':
        case 'quote_dropped':
          keep(entry)
          return NOTHING
        case 'closed':
          if (isShared) keep(entry)
          else held.delete(requestId)
          return NOTHING
        // Ends of orders come after the request, of which nothing is held any more.
        case 'order_filled':
        case 'order_cancelled':
        case 'order_defunded':
        case 'order_expired':
          return [entry]
        default:
          return isShared || held.has(requestId) ? [...release(requestId), entry] : [entry]
      }
    },
    requests: () => [
      ...[...held.keys()].map((requestId) => ({ requestId, isReleased: false })),
      ...[...released].map((requestId) => ({ requestId, isReleased: true })),
    ],
    release,
    drop: (requestId) => {
      held.delete(requestId)
      released.delete(requestId)
    },
  }
}
