import type { RankedQuote } from '@rfqctl/protocol/domain/best-quote'
import type { DisconnectRule } from '@rfqctl/protocol/domain/maker-protections'
import type { Quote } from '@rfqctl/protocol/domain/quote'
import type { DemotedMaker } from '@rfqctl/protocol/domain/reliability'
import type { ClosedStatus, QuoteRequest, RequestStatus } from '@rfqctl/protocol/domain/request'
import type { SeriesId } from '@rfqctl/protocol/domain/series'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import type { MaybePromise } from './maybe-promise.ts'
import type { Stop } from './runtime.ts'
import type { Quoter } from './store.ts'

/**
 * The live market: open requests and their quotes. It may be lost at any moment at the price of a re-quote or a fresh
 * snapshot. Each write is one atomic step, so that Redis can do it as one server-side function.
 */
export type Book = {
  /**
   * Makes a request live and announces it to makers. `former` is what is known of it where the live market was lost: who
   * quoted keeps its quoteId and its misses, and the quote that is out for signature is held. Repeating it for a live
   * request changes nothing.
   */
  open: (request: QuoteRequest, former?: FormerRequest) => Promise<void>
  /** A request while it is open, and for 15 minutes after it closed. */
  find: (requestId: string) => MaybePromise<LiveRequest | null>
  /**
   * An open request, as far as this node knows: it may have ended since, which each write of the book finds out. Null
   * if this node does not know it.
   */
  known: (requestId: string) => QuoteRequest | null
  /** The number of open requests that this node knows. */
  countKnown: () => number
  /** All open requests with the id under which they were announced, ascending. */
  openRequests: () => Promise<readonly { id: number; request: QuoteRequest }[]>
  /** The top of the book that takers see; null for an unknown request. */
  top: (requestId: string) => Promise<BookTop | null>
  /** Every quote of a request, best first, of both sides the best of a purchase. Quotes past their time may still be in it. */
  ranked: (requestId: string) => Promise<readonly RankedQuote[]>
  /**
   * The same for a commit. `left`: makers who have quoted on the request and have no quote now, where another node may have
   * taken it out, and died before it entered why. Empty on one node.
   */
  look: (requestId: string) => Promise<BookLook>
  findQuote: (key: Pick<QuoteKey, 'makerId' | 'quoteId'>) => Promise<Quote | null>
  /** The live quotes of one maker over all open requests. */
  quotesOf: (makerId: string) => Promise<readonly Quote[]>
  /**
   * Puts a maker's quote in place of its former one. The stored quote keeps the maker's quoteId of this request, and
   * the time of its price when the price stays. At the limit of quotes, a maker's first one takes the place of the
   * worst soft quote of the request with the most, or of its own where no other has more than one beyond it; it is
   * `full` when none of its own is worse. `unlessGone`: it is `gone`, and nothing changes, where its maker has been
   * disconnected for its grace in this step.
   */
  put: (quote: Quote, unlessGone?: DisconnectRule | null) => MaybePromise<PutQuote>
  /** Takes a quote out; `locked` while it is out for signature. Its maker keeps the quoteId for a later one. */
  remove: (key: QuoteKey) => Promise<'removed' | 'locked' | 'absent'>
  /**
   * Takes the quotes of a maker out in one step, all or those of one series or market, and says which. Quotes that are
   * out for signature stay where `held` says so. `ifGone`: none where its maker is connected in this step, or its grace
   * is not over.
   */
  removeAll: (
    makerId: string,
    which: WhichQuotes & { ifGone?: DisconnectRule },
  ) => Promise<readonly { requestId: string; quoteId: string }[]>
  /**
   * Takes a quote out if its time has come; says whether it did. One that is out for signature leaves too (decision Q5): its
   * order is fixed, and its maker stays held until it is let go.
   */
  expire: (key: QuoteKey) => Promise<boolean>
  /**
   * Whether a maker may have orders of this wallet beforehand on a request: of one wallet only, the first that it asks with. False too where
   * the request is not open.
   */
  claimWallet: (requestId: string, makerId: string, wallet: Address) => MaybePromise<boolean>
  /**
   * Keeps the signature of a quote's order, which makes the quote firm; again changes nothing. It goes with the quote: when
   * that is replaced, withdrawn, has lapsed, or the request closes. `other`: the signature of its order on the other side, where
   * it is on both. `absent`: the quote is gone, or not this offer any more.
   */
  makeFirm: (
    quote: Quote,
    signature: OrderSignature,
    other?: OrderSignature,
  ) => MaybePromise<'firm' | 'absent' | 'locked'>
  /**
   * The signature of a firm quote on the side that it reads, null for any other: never part of a quote, so that nothing which
   * shows or keeps quotes has it.
   */
  firmSignature: (quote: Quote) => MaybePromise<OrderSignature | null>
  /** Holds a quote unchanged while its maker signs, and returns it; null when it is gone or another one is held. */
  lock: (key: QuoteKey) => Promise<Quote | null>
  /**
   * Lets go of a quote if it is held, also when it has left. `missed` ranks its maker behind all that missed less in this
   * request, and counts for its demotion in all requests.
   */
  unlock: (requestId: string, quoteId: string, result: 'missed' | 'unasked') => Promise<void>
  /**
   * Ends an open request, lets its quotes go, also one that is held, and announces it to makers and watchers: `closed`
   * for exactly one caller. The store comes first: it does not let a request end while a maker is asked to sign. If a
   * quote is held as its request is `committed`, its maker has confirmed, and its misses are forgotten. `isDisplaced`:
   * the relay ends it to make room, which its top says from then on.
   */
  close: (requestId: string, status: ClosedStatus, isDisplaced?: true) => Promise<CloseRequest>
  /** Makers whose quotes rank behind those of all others now, for the misses that are remembered of them. */
  demoted: () => Promise<readonly DemotedMaker[]>
  /** Forgets the misses of a maker over all requests, and ranks its quotes as if there had been none. */
  forgive: (makerId: string) => Promise<void>
  /**
   * Passes on the top of a request as it changes, once this has resolved; on several nodes changes within 20 ms
   * may be one.
   */
  watch: (requestId: string, onChange: (top: BookTop) => void) => Promise<Stop>
  /** Open requests that a node may have left behind: past their time, or with a quote held for seconds. */
  orphans: () => Promise<readonly string[]>
  /** The market was lost: `refill` opens all open requests again, on one node at a time. */
  onEmptied: (refill: () => Promise<void>) => Stop
}

/**
 * A signature of an order, in the form that the contract takes, and what shows that it is the maker's: its key, once and for
 * all, or the chain, which may say otherwise later.
 */
export type OrderSignature = { signature: Hex; shownBy: 'key' | 'chain' }

/** Which quotes of a maker are meant; a condition id in lower case. */
export type WhichQuotes = { seriesId?: SeriesId; conditionId?: string; held: 'kept' | 'taken' }

/** The known facts of a request from before the live market was lost. */
export type FormerRequest = Pick<LiveRequest, 'signing'> & { quotedBy: readonly Quoter[] }

/** A quote that is held for signature, and since when, Unix milliseconds. */
export type HeldQuote = { makerId: string; quoteId: string; heldAt: number }

/** A request as the book holds it, with the quote that is held for signature. */
export type LiveRequest = { request: QuoteRequest; status: RequestStatus; signing: HeldQuote | null }

/** The quotes of a request, best first, and those that have left. */
export type BookLook = { ranked: readonly RankedQuote[]; left: readonly Pick<QuoteKey, 'makerId' | 'quoteId'>[] }

/** The best quote of a request; `bookSeq` rises by one with each change of the book (decision Q9). */
export type BookTop = {
  request: QuoteRequest
  status: RequestStatus
  confirming: boolean
  best: Quote | null
  /** The best quote on a sale, while a request for both sides is open; `best` is that on a purchase. Absent elsewhere. */
  bestBid?: Quote | null
  quoteCount: number
  bookSeq: number
  /** Whether the relay ended it to make room for another request; absent: no. */
  isDisplaced?: true
}

/** The result of putting a quote. */
export type PutQuote =
  | { kind: 'stored'; quote: Quote; dropped?: QuoteKey }
  | { kind: 'absent' }
  | { kind: 'closed' }
  | { kind: 'locked' }
  | { kind: 'full' }
  | { kind: 'gone' }

/** Names a quote: its maker has one quoteId in each request. */
export type QuoteKey = Pick<Quote, 'requestId' | 'makerId' | 'quoteId'>

/**
 * The result of closing a request. `quotedBy` are all that ever quoted on it, also when the quote is gone: each is owed
 * one terminal message.
 */
export type CloseRequest =
  | { kind: 'closed'; quotedBy: readonly { makerId: string; quoteId: string }[] }
  | { kind: 'absent' }
