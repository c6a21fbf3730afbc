import { createCounts } from '@rfqctl/lib/counts'
import { compareQuotes, type RankedQuote } from '@rfqctl/protocol/domain/best-quote'
import { CLOSED_MEMORY_MS } from '@rfqctl/protocol/domain/limits'
import { type Absence, type DisconnectRule, graceEndOf } from '@rfqctl/protocol/domain/maker-protections'
import { isFirmEnough, isSameOffer, type Quote } from '@rfqctl/protocol/domain/quote'
import type { DemotionRule } from '@rfqctl/protocol/domain/reliability'
import { type QuoteRequest, withoutTexts } from '@rfqctl/protocol/domain/request'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Book, BookTop, DroppedQuote, FormerRequest, HeldQuote, OrderSignature } from '../../../core/ports/book.ts'
import type { Clock } from '../../../core/ports/runtime.ts'
import type { Store } from '../../../core/ports/store.ts'
import { createTtlMap } from '../../ttl-map.ts'
import { type LocalFeed, requestEnded } from './feed.ts'
import { createMissStreaks } from './miss-streaks.ts'
import { createOrderedQuotes, type OrderedQuotes } from './ordered-quotes.ts'

/**
 * A kilobyte each: strangers open and cancel without end. For a dropped one the store still knows how it ended; with
 * `--memory` it becomes unknown.
 */
const TOMBSTONES_KEPT = 100_000

/** Only this many of the last quotes of a request are candidates for removal. */
const LAST_LOOKED_AT = 8

type Tombstone = Pick<BookTop, 'request' | 'status' | 'bookSeq' | 'isDisplaced'>

type Entry = {
  id: number
  request: QuoteRequest
  quotes: OrderedQuotes
  /** The quoteId of each maker that ever quoted here. */
  quoteIds: Map<string, string>
  misses: Map<string, number>
  /** Signatures of firm quotes, by makerId. */
  firmSignatures: Map<string, OrderSignature> | null
  /** The wallet whose orders each maker may ask for beforehand, by makerId. */
  wallets: Map<string, Address> | null
  signing: HeldQuote | null
  bookSeq: number
  listeners: Set<(top: BookTop) => void>
}

/** The live market of a single process. Every method acts in one synchronous step. */
export function createLocalBook(parts: {
  clock: Clock
  feed: LocalFeed
  demotion: DemotionRule
  /** Saves each maker that quotes, and each miss, for the next run. */
  recordQuoter: Store['quoters']['record']
  absenceOf: (makerId: string) => Absence
  /** Over all requests. */
  maxQuotes?: number
}): Book {
  const { clock, feed, demotion, recordQuoter, absenceOf, maxQuotes = Number.POSITIVE_INFINITY } = parts
  const entries = new Map<string, Entry>()
  const tombstones = createTtlMap<Tombstone>({ now: clock.now, keptMs: CLOSED_MEMORY_MS, limit: TOMBSTONES_KEPT })
  const locations = new Map<string, { entry: Entry; makerId: string }>()
  const byMaker = new Map<string, Set<Entry>>()
  const streaks = createMissStreaks({ now: clock.now, rule: demotion, onForgotten: (makerId) => rerank(makerId) })
  const quoteCounts = createCounts<Entry>()

  const topOf = ({ request, quotes, signing, bookSeq }: Entry): BookTop => ({
    request,
    status: 'open',
    confirming: signing !== null,
    best: bestOf(quotes.list, request, clock.now()),
    quoteCount: quotes.list.length,
    bookSeq,
  })

  const changed = (entry: Entry) => {
    entry.bookSeq += 1
    if (entry.listeners.size === 0) return
    const top = topOf(entry)
    for (const listener of [...entry.listeners]) listener(top)
  }

  /** A maker keeps its quoteId in a request until the request closes. */
  const admit = (entry: Entry, makerId: string, quoteId: string) => {
    entry.quoteIds.set(makerId, quoteId)
    locations.set(quoteId, { entry, makerId })
    byMaker.set(makerId, (byMaker.get(makerId) ?? new Set()).add(entry))
    return quoteId
  }

  /** For a maker that has not quoted here before. */
  const welcome = (entry: Entry, makerId: string, quoteId: string) => {
    recordQuoter(entry.request.requestId, { makerId, quoteId, misses: 0 })
    return admit(entry, makerId, quoteId)
  }

  /** Restores the state of a former process. A maker asked to sign has quoted, even if that was not saved in time. */
  const resume = (entry: Entry, { quotedBy, signing }: FormerRequest) => {
    for (const { makerId, quoteId, misses } of quotedBy) {
      admit(entry, makerId, quoteId)
      entry.misses.set(makerId, misses)
    }
    if (signing !== null) admit(entry, signing.makerId, signing.quoteId)
    entry.signing = signing
  }

  const take = (entry: Entry, makerId: string) => {
    if (entry.quotes.of(makerId) !== undefined) quoteCounts.subtract(entry)
    entry.quotes.remove(makerId)
    entry.firmSignatures?.delete(makerId)
    changed(entry)
  }

  /** Keeps only the tombstone of a closed request: 2 KB less each, and a hundred quotes would not fit at all. */
  const closeEntry = (entry: Entry, tombstone: Tombstone) => {
    const { requestId } = entry.request
    entries.delete(requestId)
    quoteCounts.clear(entry)
    tombstones.put(requestId, clock.now(), tombstone)
    for (const [makerId, quoteId] of entry.quoteIds) {
      locations.delete(quoteId)
      leave(byMaker, makerId, entry)
    }
  }

  const find = (requestId: string, quoteId: string) => {
    const location = locations.get(quoteId)
    if (location === undefined || location.entry.request.requestId !== requestId) return null
    const quote = location.entry.quotes.of(location.makerId)
    return quote === undefined ? null : { ...location, quote }
  }

  /** Moves the quotes of a maker to the place that its streak now gives them. */
  const rerank = (makerId: string) => {
    const isDemoted = streaks.isDemoted(makerId)
    for (const entry of byMaker.get(makerId) ?? []) {
      const quote = entry.quotes.of(makerId)
      if (quote === undefined || quote.isDemoted === isDemoted) continue
      entry.quotes.put({ ...quote, isDemoted })
      changed(entry)
    }
  }

  /** Every trade forgives its maker, which most often has missed nothing and may quote on thousands of requests. */
  const forgive = (makerId: string) => {
    if (streaks.clear(makerId)) rerank(makerId)
  }

  const isGone = (makerId: string, rule: DisconnectRule): boolean =>
    clock.now() >= (graceEndOf(absenceOf(makerId), rule) ?? Number.POSITIVE_INFINITY)

  const isHeld = (entry: Entry, quoteId: string) => entry.signing?.quoteId === quoteId

  /** The worst quote neither signed nor out for signature, of the last few only: a bound on the search. */
  const worstOf = (entry: Entry) =>
    entry.quotes.list.slice(-LAST_LOOKED_AT).findLast((quote) => quote.isFirm !== true && !isHeld(entry, quote.quoteId))

  /** Removes a quote to make room for one in `entry`; null where the new one would be worse than every candidate. */
  const drop = (entry: Entry, coming: RankedQuote): DroppedQuote | null => {
    const most = quoteCounts.busiest()
    const isFar = most !== null && quoteCounts.countOf(most) > quoteCounts.countOf(entry) + 1
    const elsewhere = isFar ? worstOf(most) : undefined
    const worst = elsewhere ?? worstOf(entry)
    if (worst === undefined || (elsewhere === undefined && compareQuotes(coming, worst) > 0)) return null
    const { requestId, makerId, quoteId } = worst
    const from = elsewhere === undefined ? entry : (most as Entry)
    take(from, makerId)
    // The maker keeps its quoteId and may quote again; the index entry takes as much memory as the quote.
    locations.delete(quoteId)
    leave(byMaker, makerId, from)
    return { requestId, makerId, quoteId }
  }

  return {
    open: async (request, former) => {
      if (entries.has(request.requestId) || tombstones.get(request.requestId) !== null) return
      const { id } = feed.append({ kind: 'quote_request', request })
      const entry = createEntry(id, request)
      entries.set(request.requestId, entry)
      if (former !== undefined) resume(entry, former)
    },

    find: (requestId) => {
      const entry = entries.get(requestId)
      if (entry !== undefined) return { request: entry.request, status: 'open', signing: entry.signing }
      const tombstone = tombstones.get(requestId)
      return tombstone === null ? null : { request: tombstone.request, status: tombstone.status, signing: null }
    },

    known: (requestId) => entries.get(requestId)?.request ?? null,

    countKnown: () => entries.size,

    openRequests: async () => [...entries.values()].map(({ id, request }) => ({ id, request })),

    top: async (requestId) => {
      const entry = entries.get(requestId)
      if (entry !== undefined) return topOf(entry)
      const tombstone = tombstones.get(requestId)
      return tombstone === null ? null : lastOf(tombstone)
    },

    ranked: async (requestId) => [...(entries.get(requestId)?.quotes.list ?? [])],

    findQuote: async (quoteId) => {
      const location = locations.get(quoteId)
      return location?.entry.quotes.of(location.makerId) ?? null
    },

    quotesOf: async (makerId) => [...(byMaker.get(makerId) ?? [])].flatMap((entry) => entry.quotes.of(makerId) ?? []),

    put: (quote, unlessGone = null) => {
      const { requestId, makerId } = quote
      const entry = entries.get(requestId)
      if (entry === undefined) return { kind: tombstones.get(requestId) === null ? 'absent' : 'closed' }
      if (entry.signing?.makerId === makerId) return { kind: 'locked' }
      if (unlessGone !== null && isGone(makerId, unlessGone)) return { kind: 'gone' }
      const former = entry.quotes.of(makerId)
      const knownId = entry.quoteIds.get(makerId)
      const quoteId = knownId ?? quote.quoteId
      const pricedAt = former?.price === quote.price ? former.pricedAt : quote.pricedAt
      const { maker, side, price, size, expiresAt, firmTerms } = quote
      const misses = entry.misses.get(makerId) ?? 0
      const isDemoted = former?.isDemoted ?? streaks.isDemoted(makerId)
      const soft = { quoteId, requestId, makerId, maker, side, price, size, pricedAt, expiresAt, misses, isDemoted }
      const stored = firmTerms === undefined ? soft : { ...soft, firmTerms }
      const needsRoom = former === undefined && quoteCounts.sum() >= maxQuotes
      const dropped = needsRoom ? drop(entry, stored) : undefined
      if (dropped === null) return { kind: 'full' }
      if (knownId === undefined) welcome(entry, makerId, quoteId)
      else if (former === undefined) admit(entry, makerId, quoteId)
      if (former === undefined) quoteCounts.add(entry)
      entry.quotes.put(stored)
      entry.firmSignatures?.delete(makerId)
      changed(entry)
      return dropped === undefined ? { kind: 'stored', quote: stored } : { kind: 'stored', quote: stored, dropped }
    },

    remove: async (requestId, quoteId) => {
      const found = find(requestId, quoteId)
      if (found === null) return 'absent'
      if (isHeld(found.entry, quoteId)) return 'locked'
      take(found.entry, found.makerId)
      return 'removed'
    },

    removeAll: async (makerId, { seriesId, conditionId, held, ifGone }) => {
      if (ifGone !== undefined && !isGone(makerId, ifGone)) return []
      const meant = [...(byMaker.get(makerId) ?? [])].filter(({ request, signing }) => {
        if (seriesId !== undefined && request.seriesId !== seriesId) return false
        if (conditionId !== undefined && request.market.conditionId.toLowerCase() !== conditionId) return false
        return held === 'taken' || signing?.makerId !== makerId
      })
      return meant.flatMap((entry) => {
        const quote = entry.quotes.of(makerId)
        if (quote === undefined) return []
        take(entry, makerId)
        return [{ requestId: quote.requestId, quoteId: quote.quoteId }]
      })
    },

    expire: async (requestId, quoteId) => {
      const found = find(requestId, quoteId)
      if (found === null || found.quote.expiresAt > clock.now()) return false
      take(found.entry, found.makerId)
      return true
    },

    claimWallet: (requestId, makerId, wallet) => {
      const entry = entries.get(requestId)
      if (entry === undefined) return false
      entry.wallets ??= new Map()
      if (!entry.wallets.has(makerId)) entry.wallets.set(makerId, wallet)
      return entry.wallets.get(makerId) === wallet
    },

    makeFirm: (quote, signature) => {
      const found = find(quote.requestId, quote.quoteId)
      if (found === null || !isSameOffer(found.quote, quote)) return 'absent'
      const { entry, makerId } = found
      if (isHeld(entry, quote.quoteId)) return 'locked'
      if (found.quote.isFirm) return 'firm'
      entry.firmSignatures ??= new Map()
      entry.firmSignatures.set(makerId, signature)
      entry.quotes.put({ ...found.quote, isFirm: true })
      changed(entry)
      return 'firm'
    },

    firmSignature: (quote) => {
      const found = find(quote.requestId, quote.quoteId)
      if (found === null || !isSameOffer(found.quote, quote)) return null
      return found.entry.firmSignatures?.get(found.makerId) ?? null
    },

    lock: async (requestId, quoteId) => {
      const found = find(requestId, quoteId)
      if (found === null || found.entry.signing !== null) return null
      found.entry.signing = { makerId: found.makerId, quoteId, heldAt: clock.now() }
      return found.quote
    },

    unlock: async (requestId, quoteId, result) => {
      const entry = entries.get(requestId)
      if (entry === undefined || !isHeld(entry, quoteId) || entry.signing === null) return
      const { makerId } = entry.signing
      entry.signing = null
      const isMiss = result === 'missed'
      const misses = (entry.misses.get(makerId) ?? 0) + (isMiss ? 1 : 0)
      entry.misses.set(makerId, misses)
      if (isMiss) recordQuoter(requestId, { makerId, quoteId, misses })
      const isDemotedNow = isMiss && streaks.recordMiss(makerId)
      const quote = entry.quotes.of(makerId)
      if (quote !== undefined && quote.expiresAt <= clock.now()) take(entry, makerId)
      else if (quote !== undefined && quote.misses !== misses) {
        entry.quotes.put({ ...quote, misses, isDemoted: streaks.isDemoted(makerId) })
        changed(entry)
      }
      if (isDemotedNow) rerank(makerId)
    },

    close: async (requestId, status, isDisplaced) => {
      const entry = entries.get(requestId)
      if (entry === undefined) return { kind: 'absent' }
      const quotedBy = [...entry.quoteIds].map(([makerId, quoteId]) => ({ makerId, quoteId }))
      const tombstone = { request: withoutTexts(entry.request), status, bookSeq: entry.bookSeq + 1 }
      const marked = isDisplaced ? { ...tombstone, isDisplaced } : tombstone
      closeEntry(entry, marked)
      if (status === 'committed' && entry.signing !== null) forgive(entry.signing.makerId)
      feed.append(requestEnded(entry.request))
      for (const listener of [...entry.listeners]) listener(lastOf(marked))
      return { kind: 'closed', quotedBy }
    },

    demoted: async () => streaks.demoted(),
    forgive: async (makerId) => forgive(makerId),

    watch: async (requestId, onChange) => {
      const entry = entries.get(requestId)
      const listener = (top: BookTop) => onChange(top)
      entry?.listeners.add(listener)
      return () => entry?.listeners.delete(listener)
    },

    // A single process has no orphans: its memory is lost only with itself, and restored when it starts.
    orphans: async () => [],
    onEmptied: () => () => {},
  }
}

const createEntry = (id: number, request: QuoteRequest): Entry => ({
  id,
  request,
  quotes: createOrderedQuotes(),
  quoteIds: new Map(),
  misses: new Map(),
  firmSignatures: null,
  wallets: null,
  signing: null,
  bookSeq: 0,
  listeners: new Set(),
})

const lastOf = (tombstone: Tombstone): BookTop => ({ ...tombstone, confirming: false, best: null, quoteCount: 0 })

/** The best quote that is still live and firm enough; the taker's own quotes are never shown to it (decision Q6). */
function bestOf(ranked: readonly RankedQuote[], request: QuoteRequest, now: number): Quote | null {
  return (
    ranked.find((quote) => quote.expiresAt > now && quote.maker !== request.wallet && isFirmEnough(request, quote)) ??
    null
  )
}

function leave(byMaker: Map<string, Set<Entry>>, makerId: string, entry: Entry): void {
  const ofMaker = byMaker.get(makerId)
  ofMaker?.delete(entry)
  if (ofMaker?.size === 0) byMaker.delete(makerId)
}
