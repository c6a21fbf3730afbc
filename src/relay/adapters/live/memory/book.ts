import { createCounts } from '@rfqctl/lib/counts'
import { compareQuotes, type RankedQuote } from '@rfqctl/protocol/domain/best-quote'
import { CLOSED_MEMORY_MS } from '@rfqctl/protocol/domain/limits'
import { type Absence, type DisconnectRule, graceEndOf } from '@rfqctl/protocol/domain/maker-protections'
import { isFirmEnough, isSameOffer } from '@rfqctl/protocol/domain/quote'
import type { DemotionRule } from '@rfqctl/protocol/domain/reliability'
import { otherSide, type QuoteRequest, type Side, walletOf, withoutTexts } from '@rfqctl/protocol/domain/request'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Book, BookTop, FormerRequest, HeldQuote, OrderSignature, QuoteKey } from '../../../core/ports/book.ts'
import type { Clock } from '../../../core/ports/runtime.ts'
import type { Store } from '../../../core/ports/store.ts'
import { createTtlMap } from '../../ttl-map.ts'
import { type LocalFeed, requestEnded } from './feed.ts'
import { createMissStreaks } from './miss-streaks.ts'
import * as table from './quote-table.ts'

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
  quotes: table.QuoteTable
  /** Signatures of firm quotes, by makerId and side. */
  firmSignatures: Map<string, Partial<Record<Side, OrderSignature>>> | null
  /** The wallet whose orders each maker may ask for beforehand, by makerId. */
  wallets: Map<string, Address> | null
  signing: HeldQuote | null
  bookSeq: number
  listeners: Set<(top: BookTop) => void> | null
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
  /** By makerId, then by quoteId. */
  const byMaker = new Map<string, Map<string, Entry>>()
  const streaks = createMissStreaks({ now: clock.now, rule: demotion, onForgotten: (makerId) => rerank(makerId) })
  const quoteCounts = createCounts<Entry>()

  const topOf = ({ request, quotes, signing, bookSeq }: Entry): BookTop => ({
    request,
    status: 'open',
    confirming: signing !== null,
    ...bestLive(quotes, request, clock.now()),
    quoteCount: table.countOf(quotes),
    bookSeq,
  })

  const changed = (entry: Entry) => {
    entry.bookSeq += 1
    if (entry.listeners === null) return
    const top = topOf(entry)
    for (const listener of [...entry.listeners]) listener(top)
  }

  const entriesOf = (makerId: string) => byMaker.get(makerId)?.values() ?? []

  /** A maker keeps its quoteId in a request until the request closes. */
  const admit = (entry: Entry, makerId: string, quoteId: string, misses = 0) => {
    table.admit(entry.quotes, makerId, quoteId, misses)
    byMaker.set(makerId, (byMaker.get(makerId) ?? new Map<string, Entry>()).set(quoteId, entry))
  }

  /** For a maker that has not quoted here before. */
  const welcome = (entry: Entry, makerId: string, quoteId: string) => {
    recordQuoter(entry.request.requestId, { makerId, quoteId, misses: 0 })
    admit(entry, makerId, quoteId)
  }

  /** Restores the state of a former process. A maker asked to sign has quoted, even if that was not saved in time. */
  const resume = (entry: Entry, { quotedBy, signing }: FormerRequest) => {
    for (const { makerId, quoteId, misses } of quotedBy) admit(entry, makerId, quoteId, misses)
    if (signing !== null) admit(entry, signing.makerId, signing.quoteId)
    entry.signing = signing
  }

  const take = (entry: Entry, makerId: string) => {
    if (table.removeQuote(entry.quotes, makerId)) quoteCounts.subtract(entry)
    entry.firmSignatures?.delete(makerId)
    changed(entry)
  }

  /** Keeps only the tombstone of a closed request: 2 KB less each, and a hundred quotes would not fit at all. */
  const closeEntry = (entry: Entry, tombstone: Tombstone) => {
    const { requestId } = entry.request
    entries.delete(requestId)
    quoteCounts.clear(entry)
    tombstones.put(requestId, clock.now(), tombstone)
    for (const quoter of table.quotersOf(entry.quotes)) leave(quoter)
  }

  const leave = ({ makerId, quoteId }: Pick<QuoteKey, 'makerId' | 'quoteId'>) => {
    const ofMaker = byMaker.get(makerId)
    ofMaker?.delete(quoteId)
    if (ofMaker?.size === 0) byMaker.delete(makerId)
  }

  const find = ({ requestId, makerId, quoteId }: QuoteKey) => {
    const entry = entries.get(requestId)
    if (entry === undefined) return null
    const quote = table.quoteOf(entry.quotes, makerId)
    return quote?.quoteId !== quoteId ? null : { entry, quote }
  }

  /** Moves the quotes of a maker to the place that its streak now gives them. */
  const rerank = (makerId: string) => {
    const isDemoted = streaks.isDemoted(makerId)
    for (const entry of entriesOf(makerId)) {
      const quote = table.quoteOf(entry.quotes, makerId)
      if (quote === undefined || quote.isDemoted === isDemoted) continue
      table.putQuote(entry.quotes, { ...quote, isDemoted })
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
    table
      .worstOf(entry.quotes, LAST_LOOKED_AT)
      .findLast((quote) => quote.isFirm !== true && !isHeld(entry, quote.quoteId))

  /** Removes a quote to make room for one in `entry`; null where the new one would be worse than every candidate. */
  const drop = (entry: Entry, coming: RankedQuote): QuoteKey | null => {
    const most = quoteCounts.busiest()
    const isFar = most !== null && quoteCounts.countOf(most) > quoteCounts.countOf(entry) + 1
    const elsewhere = isFar ? worstOf(most) : undefined
    const worst = elsewhere ?? worstOf(entry)
    if (worst === undefined || (elsewhere === undefined && compareQuotes(coming, worst) > 0)) return null
    const { requestId, makerId, quoteId } = worst
    const from = elsewhere === undefined ? entry : (most as Entry)
    take(from, makerId)
    // The maker keeps its quoteId and may quote again; the index entry takes as much memory as the quote.
    leave(worst)
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

    ranked: async (requestId) => {
      const entry = entries.get(requestId)
      return entry === undefined ? [] : table.rankedOf(entry.quotes)
    },

    look: async (requestId) => {
      const entry = entries.get(requestId)
      // This node has entered each quote that left.
      return { ranked: entry === undefined ? [] : table.rankedOf(entry.quotes), left: [] }
    },

    findQuote: async ({ makerId, quoteId }) => {
      const entry = byMaker.get(makerId)?.get(quoteId)
      return (entry && table.quoteOf(entry.quotes, makerId)) ?? null
    },

    quotesOf: async (makerId) => [...entriesOf(makerId)].flatMap((entry) => table.quoteOf(entry.quotes, makerId) ?? []),

    put: (quote, unlessGone = null) => {
      const { requestId, makerId } = quote
      const entry = entries.get(requestId)
      if (entry === undefined) return { kind: tombstones.get(requestId) === null ? 'absent' : 'closed' }
      if (entry.signing?.makerId === makerId) return { kind: 'locked' }
      if (unlessGone !== null && isGone(makerId, unlessGone)) return { kind: 'gone' }
      const former = table.quoteOf(entry.quotes, makerId)
      const knownId = table.quoteIdOf(entry.quotes, makerId)
      const quoteId = knownId ?? quote.quoteId
      const isSamePrice = former?.price === quote.price && former.otherPrice === quote.otherPrice
      const pricedAt = isSamePrice ? former.pricedAt : quote.pricedAt
      const { maker, side, price, otherPrice, size, expiresAt, firmTerms } = quote
      const misses = table.missesOf(entry.quotes, makerId)
      const isDemoted = former?.isDemoted ?? streaks.isDemoted(makerId)
      const soft = { quoteId, requestId, makerId, maker, side, price, size, pricedAt, expiresAt, misses, isDemoted }
      const stored: RankedQuote = firmTerms === undefined ? soft : { ...soft, firmTerms }
      if (otherPrice !== undefined) stored.otherPrice = otherPrice
      const needsRoom = former === undefined && quoteCounts.sum() >= maxQuotes
      const dropped = needsRoom ? drop(entry, stored) : undefined
      if (dropped === null) return { kind: 'full' }
      if (knownId === undefined) welcome(entry, makerId, quoteId)
      else if (former === undefined) admit(entry, makerId, quoteId)
      if (former === undefined) quoteCounts.add(entry)
      table.putQuote(entry.quotes, stored)
      entry.firmSignatures?.delete(makerId)
      changed(entry)
      return dropped === undefined ? { kind: 'stored', quote: stored } : { kind: 'stored', quote: stored, dropped }
    },

    remove: async (key) => {
      const found = find(key)
      if (found === null) return 'absent'
      if (isHeld(found.entry, key.quoteId)) return 'locked'
      take(found.entry, key.makerId)
      return 'removed'
    },

    removeAll: async (makerId, { seriesId, conditionId, held, ifGone }) => {
      if (ifGone !== undefined && !isGone(makerId, ifGone)) return []
      const meant = [...entriesOf(makerId)].filter(({ request, signing }) => {
        if (seriesId !== undefined && request.seriesId !== seriesId) return false
        if (conditionId !== undefined && request.market.conditionId.toLowerCase() !== conditionId) return false
        return held === 'taken' || signing?.makerId !== makerId
      })
      return meant.flatMap((entry) => {
        const quote = table.quoteOf(entry.quotes, makerId)
        if (quote === undefined) return []
        take(entry, makerId)
        return [{ requestId: quote.requestId, quoteId: quote.quoteId }]
      })
    },

    expire: async (key) => {
      const found = find(key)
      if (found === null || found.quote.expiresAt > clock.now()) return false
      take(found.entry, key.makerId)
      return true
    },

    claimWallet: (requestId, makerId, wallet) => {
      const entry = entries.get(requestId)
      if (entry === undefined) return false
      entry.wallets ??= new Map()
      if (!entry.wallets.has(makerId)) entry.wallets.set(makerId, wallet)
      return entry.wallets.get(makerId) === wallet
    },

    makeFirm: (quote, signature, other) => {
      const found = find(quote)
      if (found === null || !isSameOffer(found.quote, quote)) return 'absent'
      const { entry } = found
      if (isHeld(entry, quote.quoteId)) return 'locked'
      if (found.quote.isFirm) return 'firm'
      entry.firmSignatures ??= new Map()
      const signatures = { [quote.side]: signature, ...(other === undefined ? {} : { [otherSide(quote.side)]: other }) }
      entry.firmSignatures.set(quote.makerId, signatures)
      table.putQuote(entry.quotes, { ...found.quote, isFirm: true })
      changed(entry)
      return 'firm'
    },

    firmSignature: (quote) => {
      const found = find(quote)
      if (found === null || !isSameOffer(found.quote, quote)) return null
      return found.entry.firmSignatures?.get(quote.makerId)?.[quote.side] ?? null
    },

    lock: async (key) => {
      const found = find(key)
      if (found === null || found.entry.signing !== null) return null
      const { makerId, quoteId } = key
      found.entry.signing = { makerId, quoteId, heldAt: clock.now() }
      return found.quote
    },

    unlock: async (requestId, quoteId, result) => {
      const entry = entries.get(requestId)
      if (entry === undefined || !isHeld(entry, quoteId) || entry.signing === null) return
      const { makerId } = entry.signing
      entry.signing = null
      const isMiss = result === 'missed'
      const misses = table.missesOf(entry.quotes, makerId) + (isMiss ? 1 : 0)
      if (isMiss) recordQuoter(requestId, { makerId, quoteId, misses })
      const isDemotedNow = isMiss && streaks.recordMiss(makerId)
      const quote = table.quoteOf(entry.quotes, makerId)
      const isOver = quote !== undefined && quote.expiresAt <= clock.now()
      if (isOver) take(entry, makerId)
      if (quote === undefined || isOver) table.setMisses(entry.quotes, makerId, misses)
      else if (isMiss) {
        table.putQuote(entry.quotes, { ...quote, misses, isDemoted: streaks.isDemoted(makerId) })
        changed(entry)
      }
      if (isDemotedNow) rerank(makerId)
    },

    close: async (requestId, status, isDisplaced) => {
      const entry = entries.get(requestId)
      if (entry === undefined) return { kind: 'absent' }
      const quotedBy = table.quotersOf(entry.quotes)
      const tombstone = { request: withoutTexts(entry.request), status, bookSeq: entry.bookSeq + 1 }
      const marked = isDisplaced ? { ...tombstone, isDisplaced } : tombstone
      closeEntry(entry, marked)
      if (status === 'committed' && entry.signing !== null) forgive(entry.signing.makerId)
      feed.append(requestEnded(entry.request))
      for (const listener of [...(entry.listeners ?? [])]) listener(lastOf(marked))
      return { kind: 'closed', quotedBy }
    },

    demoted: async () => streaks.demoted(),
    forgive: async (makerId) => forgive(makerId),

    watch: async (requestId, onChange) => {
      const entry = entries.get(requestId)
      if (entry === undefined) return () => {}
      const listener = (top: BookTop) => onChange(top)
      const listeners = (entry.listeners ?? new Set()).add(listener)
      entry.listeners = listeners
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) entry.listeners = null
      }
    },

    // A single process has no orphans: its memory is lost only with itself, and restored when it starts.
    orphans: async () => [],
    onEmptied: () => () => {},
  }
}

const createEntry = (id: number, request: QuoteRequest): Entry => ({
  id,
  request,
  quotes: table.createQuoteTable(request),
  firmSignatures: null,
  wallets: null,
  signing: null,
  bookSeq: 0,
  listeners: null,
})

const lastOf = (tombstone: Tombstone): BookTop => ({ ...tombstone, confirming: false, best: null, quoteCount: 0 })

/** The best quote that is still live and firm enough; the taker's own quotes are never shown to it (decision Q6). */
function bestLive(quotes: table.QuoteTable, request: QuoteRequest, now: number): Pick<BookTop, 'best' | 'bestBid'> {
  const [best = null, bestBid] = table.bestOf(
    quotes,
    (quote) => quote.expiresAt > now && quote.maker !== walletOf(request) && isFirmEnough(request, quote),
  )
  return bestBid === undefined ? { best } : { best, bestBid }
}
