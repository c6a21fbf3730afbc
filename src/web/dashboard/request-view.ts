import type { RequestSnapshot } from '@rfqctl/client/index'
import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import { compareQuotes, type RankedQuote } from '@rfqctl/protocol/domain/best-quote'
import type { Order } from '@rfqctl/protocol/domain/order'
import { fillContracts, premiumOf, quoteOn } from '@rfqctl/protocol/domain/quote'
import { onSide, type RequestStatus, type RequestTerms, type Side } from '@rfqctl/protocol/domain/request'
import { type Contracts, type Usd6, usd6 } from '@rfqctl/protocol/domain/units'

/** Times are Unix milliseconds. */
export type Waiting = { makerId: string; quoteId: string; askedAt: number; deadline: number }

export type Candidate = {
  makerId: string
  at: number
  outcome: 'asked' | 'confirmed' | 'declined' | 'missed' | 'unreachable' | 'insolvent'
  /** The reason that the maker was not asked. */
  detail: string | null
}

export type Refusal = { at: number; makerId: string; code: string; detail: string }

/** `bid` is the other price of a quote on both sides. */
export type PriceDot = { at: number; price: Usd6; bid?: Usd6 }

/** Times are Unix milliseconds. */
export type RequestView = {
  requestId: string
  seriesId: string
  terms: RequestTerms
  /** The side on which its quotes are read; null while a request for both has no commit. */
  side: Side | null
  openedAt: number
  expiresAt: number
  status: RequestStatus
  closedAt: number | null
  /** Live quotes by maker, of a closed request as it closed; `hiddenQuotes` more were in the book at the snapshot. */
  quotes: ReadonlyMap<string, RankedQuote>
  hiddenQuotes: number
  isCommitting: boolean
  waiting: Waiting | null
  candidates: readonly Candidate[]
  /** Index of the newest commit's first candidate: each commit asks a maker once. */
  commitFrom: number
  refusals: readonly Refusal[]
  dots: readonly PriceDot[]
  bests: readonly PriceDot[]
  /** The best price to sell to, of a request for both sides, whose `bests` are to buy from. */
  bids: readonly PriceDot[]
  auditLog: readonly AuditEntry[]
  /** Null while the order can be filled, and if none was signed. */
  orderEnd: OrderEnding | null
}

type OrderEnding = Extract<AuditEntry, { kind: 'order_filled' | 'order_cancelled' | 'order_expired' }>

/** Bounds per request: a screen shows less. */
const REFUSALS_KEPT = 20
const DOTS_KEPT = 200
const ENTRIES_KEPT = 100

export const openedRequest = (entry: Extract<AuditEntry, { kind: 'opened' }>): RequestView => ({
  ...blank,
  requestId: entry.requestId,
  seriesId: entry.seriesId,
  terms: entry.terms,
  side: ownSide(entry.terms),
  openedAt: entry.at,
  expiresAt: entry.expiresAt,
  auditLog: [entry],
})

export function requestOfSnapshot(standing: RequestSnapshot, past: RequestView | undefined): RequestView {
  const { requestId, seriesId, terms, createdAt, expiresAt, quotes, quoteCount, pending } = standing
  const view: RequestView = {
    ...(past ?? blank),
    requestId,
    seriesId,
    terms,
    side: pending !== null || past?.isCommitting === true ? (past?.side ?? ownSide(terms)) : ownSide(terms),
    openedAt: createdAt,
    expiresAt,
    status: 'open',
    closedAt: null,
    quotes: new Map(quotes.map((quote) => [quote.makerId, quote])),
    hiddenQuotes: quoteCount - quotes.length,
    waiting: pending,
    isCommitting: pending !== null || past?.isCommitting === true,
  }
  const dots = view.dots.length > 0 ? view.dots : quotes.map((quote) => dotOf(quote, quote.pricedAt))
  return withBest(
    { ...view, dots, candidates: view.candidates.length === 0 ? candidatesOf(pending) : view.candidates },
    createdAt,
  )
}

const ownSide = ({ trade }: RequestTerms): Side | null => (trade.side === 'both' ? null : trade.side)

const dotOf = ({ price, otherPrice }: Pick<RankedQuote, 'price' | 'otherPrice'>, at: number): PriceDot =>
  otherPrice === undefined ? { at, price } : { at, price, bid: otherPrice }

/** `isDemoted`: whether a maker's quotes rank behind all others. */
export function afterEntry(view: RequestView, entry: AuditEntry, isDemoted: (makerId: string) => boolean): RequestView {
  return changed({ ...view, auditLog: [...view.auditLog.slice(1 - ENTRIES_KEPT), entry] }, entry, isDemoted)
}

export function afterRankChange(view: RequestView, makerId: string, isDemoted: boolean, at: number): RequestView {
  const quote = view.quotes.get(makerId)
  if (quote === undefined || quote.isDemoted === isDemoted) return view
  return withBest({ ...view, quotes: new Map(view.quotes).set(makerId, { ...quote, isDemoted }) }, at)
}

/** Live quotes, best first, of a closed request as it closed; the taker's own are never its best. */
export const rankedQuotes = (request: RequestView, now: number): readonly RankedQuote[] =>
  [...request.quotes.values()]
    .filter((quote) => isLive(quote, request, now))
    .map((quote) => quoteOn(quote, request.side ?? 'buy'))
    .sort(compareQuotes)

/** The best quote on a side; a request for both without a commit is read as a purchase, unless a side is named. */
export function bestQuote(request: RequestView, now: number, side = request.side ?? 'buy'): RankedQuote | null {
  let best: RankedQuote | null = null
  for (const each of request.quotes.values()) {
    const quote = quoteOn(each, side)
    if (isLive(quote, request, now) && (best === null || compareQuotes(quote, best) < 0)) best = quote
  }
  return best
}

/** The best quote to sell to, of a request for both sides without a commit; null elsewhere, and without one. */
export const bestBid = (request: RequestView, now: number): RankedQuote | null =>
  request.side === null ? bestQuote(request, now, 'sell') : null

const isLive = ({ expiresAt, maker }: RankedQuote, { terms, closedAt }: RequestView, now: number): boolean =>
  expiresAt > (closedAt ?? now) && maker !== terms.wallet

/** `price` is per option, `premium` the total. With a `bid` the side is open: `price` and `premium` are those of a purchase. */
export type Deal = { makerId: string; price: Usd6; contracts: Contracts; premium: Usd6; bid?: Usd6 }

export function dealOf(request: RequestView, now: number): Deal | null {
  if (request.status !== 'committed') {
    const deal = dealAt(request, bestQuote(request, now))
    const bid = bestBid(request, now)
    return deal === null || bid === null ? deal : { ...deal, bid: bid.price }
  }
  const makerId = winnerOf(request)
  if (makerId === null) return null
  const order = orderFor(request, makerId)
  const quote = request.quotes.get(makerId)
  if (order === null) return dealAt(request, quote === undefined ? null : quoteOn(quote, request.side ?? 'buy'))
  const { optionAmount, premiumAmount } = order
  // Exact: the premium is contracts times price to the micro-dollar.
  return { makerId, price: usd6(premiumAmount / optionAmount), contracts: optionAmount, premium: premiumAmount }
}

function dealAt({ terms }: RequestView, quote: RankedQuote | null): Deal | null {
  if (quote === null) return null
  const { makerId, price } = quote
  const filled = fillContracts(onSide(terms, quote.side).trade, quote)
  return { makerId, price, contracts: filled, premium: premiumOf(filled, price) }
}

export const winnerOf = ({ candidates }: RequestView): string | null =>
  candidates.findLast(({ outcome }) => outcome === 'confirmed')?.makerId ?? null

export function orderFor({ auditLog }: RequestView, makerId?: string): Order | null {
  for (const entry of auditLog.toReversed()) {
    const isOfMaker =
      (entry.kind === 'asked' || entry.kind === 'confirmed') && [entry.makerId, undefined].includes(makerId)
    if (isOfMaker && entry.order !== undefined) return entry.order
  }
  return null
}

const blank = {
  status: 'open',
  closedAt: null,
  quotes: new Map(),
  hiddenQuotes: 0,
  isCommitting: false,
  waiting: null,
  candidates: [],
  commitFrom: 0,
  refusals: [],
  dots: [],
  bests: [],
  bids: [],
  auditLog: [],
  orderEnd: null,
} as const

function changed(view: RequestView, entry: AuditEntry, demoted: (makerId: string) => boolean): RequestView {
  const { at } = entry
  switch (entry.kind) {
    case 'quoted': {
      const former = view.quotes.get(entry.quote.makerId)
      const misses = former?.misses ?? missesOf(view, entry.quote.makerId)
      const isDemoted = former?.isDemoted ?? demoted(entry.quote.makerId)
      const quotes = new Map(view.quotes).set(entry.quote.makerId, { ...entry.quote, misses, isDemoted })
      const dots = [...view.dots.slice(1 - DOTS_KEPT), dotOf(entry.quote, at)]
      return withBest({ ...view, quotes, dots }, at)
    }
    case 'quote_refused': {
      const { makerId, code, detail } = entry
      const refusals = [...view.refusals.slice(1 - REFUSALS_KEPT), { at, makerId, code, detail }]
      // A maker that cannot pay for its new quote loses its old one too (decision Q4).
      const isInsolvent = code.startsWith('maker_insufficient')
      return withBest({ ...view, refusals, quotes: isInsolvent ? without(view, makerId) : view.quotes }, at)
    }
    case 'quote_sealed': {
      const quote = view.quotes.get(entry.makerId)
      if (quote === undefined) return view
      return withBest({ ...view, quotes: new Map(view.quotes).set(entry.makerId, { ...quote, isFirm: true }) }, at)
    }
    case 'quote_withdrawn':
    case 'quote_expired':
    case 'quote_dropped':
      return withBest({ ...view, quotes: without(view, entry.makerId) }, at)
    case 'commit_started':
      return { ...view, isCommitting: true, commitFrom: view.candidates.length, side: entry.terms.side ?? view.side }
    case 'commit_refused':
      return { ...view, isCommitting: false, waiting: null, side: ownSide(view.terms) }
    case 'quote_absent':
    case 'ranked':
    case 'reopened':
      return view
    case 'passed_over': {
      const { makerId, code, detail } = entry
      const outcome = code === 'maker_unreachable' ? 'unreachable' : 'insolvent'
      const quotes = outcome === 'unreachable' ? missed(view, makerId) : view.quotes
      return withBest({ ...view, candidates: [...view.candidates, { makerId, at, outcome, detail }], quotes }, at)
    }
    case 'asked': {
      const { makerId, quoteId, deadline } = entry
      const candidates = [...view.candidates, { makerId, at, outcome: 'asked', detail: null } as const]
      // A snapshot taken during a commit does not say its side.
      const side = view.side ?? (entry.order.makerSelling ? 'buy' : 'sell')
      return { ...view, candidates, side, isCommitting: true, waiting: { makerId, quoteId, askedAt: at, deadline } }
    }
    case 'missed':
    case 'declined':
      return withBest({ ...answered(view, entry), quotes: missed(view, entry.makerId) }, at)
    case 'confirmed':
      return { ...answered(view, entry), isCommitting: false }
    case 'closed': {
      const { status } = entry
      return { ...view, status, closedAt: at, waiting: null, isCommitting: false }
    }
    case 'order_filled':
    case 'order_cancelled':
    case 'order_expired':
      return { ...view, orderEnd: entry }
    case 'opened':
    case 'order_defunded':
    case 'signature_refused':
      return view
  }
}

type Answer = Extract<AuditEntry, { kind: 'missed' | 'declined' | 'confirmed' }>

function answered(view: RequestView, { makerId, at, kind }: Answer): RequestView {
  const index = view.candidates.findLastIndex((each) => each.makerId === makerId && each.outcome === 'asked')
  const candidate = { makerId, at, outcome: kind, detail: null }
  const candidates = index === -1 ? [...view.candidates, candidate] : view.candidates.with(index, candidate)
  return { ...view, candidates, waiting: null }
}

function without({ quotes }: RequestView, makerId: string): RequestView['quotes'] {
  const rest = new Map(quotes)
  rest.delete(makerId)
  return rest
}

function missed({ quotes }: RequestView, makerId: string): RequestView['quotes'] {
  const quote = quotes.get(makerId)
  return quote === undefined ? quotes : new Map(quotes).set(makerId, { ...quote, misses: quote.misses + 1 })
}

/** The book keeps a maker's misses even while it has no quote. */
const missesOf = ({ candidates }: RequestView, makerId: string): number =>
  candidates.filter((candidate) => candidate.makerId === makerId && MISSES.has(candidate.outcome)).length

const MISSES: ReadonlySet<Candidate['outcome']> = new Set(['declined', 'missed', 'unreachable'])

/** Each side has a course of its own, which a commit on one does not break off. */
function withBest(view: RequestView, at: number): RequestView {
  if (view.terms.trade.side !== 'both') return { ...view, bests: course(view.bests, bestQuote(view, at), at) }
  const bests = course(view.bests, bestQuote(view, at, 'buy'), at)
  return { ...view, bests, bids: course(view.bids, bestQuote(view, at, 'sell'), at) }
}

const course = (dots: readonly PriceDot[], best: RankedQuote | null, at: number): readonly PriceDot[] =>
  best === null || best.price === dots.at(-1)?.price ? dots : [...dots.slice(1 - DOTS_KEPT), { at, price: best.price }]

const candidatesOf = (pending: Waiting | null): readonly Candidate[] =>
  pending === null ? [] : [{ makerId: pending.makerId, at: pending.askedAt, outcome: 'asked', detail: null }]
