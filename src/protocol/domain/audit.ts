import type { RankedQuote } from './best-quote.ts'
import type { CommitTerms } from './commit.ts'
import type { Order } from './order.ts'
import type { Quote } from './quote.ts'
import type { ClosedStatus, QuoteRequest, RequestTerms } from './request.ts'
import type { Defunding } from './reservation.ts'
import type { SeriesId } from './series.ts'
import type { Hex } from './units.ts'

/** A quote as a commit saw it. `isProven`: its maker has confirmed before; `isConsidered`: this commit has dealt with its maker. */
export type SeenQuote = RankedQuote & { isProven: boolean; isConsidered: boolean }

/** A fact about a request, with its time. No entry carries a signature, a key or a taker secret. */
export type AuditEntry = {
  /** Time, Unix milliseconds. */
  at: number
  /** The quote request that it happened to. */
  requestId: string
} & AuditFact

/**
 * An event of a request. Times are Unix milliseconds. `waitedMs` counts from the ask, and `blockNumber` is final;
 * docs/reference/errors.md has the codes.
 */
export type AuditFact =
  /** It closes at `expiresAt`; `makersConnected` received it. */
  | {
      kind: 'opened'
      terms: Omit<RequestTerms, 'standing'>
      seriesId: SeriesId
      expiresAt: number
      makersConnected: number
    }
  /** The relay started again, and had lost the quotes that were live. */
  | { kind: 'reopened' }
  /** `isRequote`: its maker had quoted on the request before. */
  | { kind: 'quoted'; quote: Quote; isRequote: boolean }
  /** Its order was signed beforehand: it is firm. */
  | { kind: 'quote_sealed'; makerId: string; quoteId: string }
  | { kind: 'quote_refused'; makerId: string; code: string; detail: string }
  | { kind: 'quote_withdrawn'; makerId: string; quoteId: string }
  | { kind: 'quote_expired'; makerId: string; quoteId: string }
  /** It was the worst where the relay had no room for more. */
  | { kind: 'quote_dropped'; makerId: string; quoteId: string }
  /** A commit found that it had left the book, by the hand of any node; the entry of why may have died with that one. */
  | { kind: 'quote_absent'; makerId: string; quoteId: string }
  | { kind: 'commit_started'; terms: CommitTerms }
  /** The commit ended without a trade. */
  | { kind: 'commit_refused'; code: string }
  /**
   * A look of the commit at its quotes, in the order of `compareQuotes`: `chosen` is the quoteId that it turned to, null: none.
   * `hurriedLeft` makers without a confirmation could still be asked before one that has one.
   */
  | { kind: 'ranked'; quotes: readonly SeenQuote[]; hurriedLeft: number; chosen: string | null }
  /** The maker was not asked, because it could not pay or had no socket. */
  | { kind: 'passed_over'; makerId: string; quoteId: string; code: string; detail: string }
  /** The maker may sign until `deadline`. */
  | { kind: 'asked'; makerId: string; quoteId: string; order: Order; deadline: number }
  | { kind: 'signature_refused'; makerId: string; quoteId: string }
  /** `reason` is the maker's own; null where it gave none. */
  | { kind: 'declined'; makerId: string; quoteId: string; waitedMs: number; reason: string | null }
  /** The maker did not sign in time. */
  | { kind: 'missed'; makerId: string; quoteId: string }
  /** The maker signed, a firm quote's `order` beforehand. `orderHash` is the EIP-712 digest. */
  | {
      kind: 'confirmed'
      makerId: string
      quoteId: string
      executionId: string
      waitedMs: number
      order?: Order
      orderHash?: Hex
    }
  | { kind: 'order_filled'; makerId: string; quoteId: string; transactionHash: Hex; blockNumber: number }
  | { kind: 'order_cancelled'; makerId: string; quoteId: string; transactionHash: Hex; blockNumber: number }
  /** The maker's wallet lacks money or an allowance for its open order, as `code` says. */
  | { kind: 'order_defunded'; makerId: string; quoteId: string; code: Defunding['code']; blockNumber: number }
  | { kind: 'order_expired'; makerId: string; quoteId: string }
  /** `isDisplaced`: to make room for another request. `omitted`: entries that were not kept, where there were too many. */
  | { kind: 'closed'; status: ClosedStatus; isDisplaced?: true; omitted?: number }

/** The entry that begins the life of a request. */
export function openedEntry(
  { requestId, createdAt, wallet, market, option, trade, firmOnly, seriesId, expiresAt }: QuoteRequest,
  { makersConnected }: { makersConnected: number },
): Extract<AuditEntry, { kind: 'opened' }> {
  return {
    at: createdAt,
    requestId,
    kind: 'opened',
    terms: { wallet, market, option, trade, ...(firmOnly === true ? { firmOnly } : {}) },
    seriesId,
    expiresAt,
    makersConnected,
  }
}

/** The maker that an entry is about; null for what concerns the request as a whole. */
export function makerOf(fact: AuditFact): string | null {
  if (fact.kind === 'quoted') return fact.quote.makerId
  return 'makerId' in fact ? fact.makerId : null
}

/** Bytes of an entry without the texts of strangers: ids, amounts, and the names of its fields. */
const ENTRY_BYTES = 400

/** Bytes of one more quote in an entry. */
const QUOTE_BYTES = 500

/** About how many bytes an entry takes, in memory, on disk or on the wire; never much less than it does. */
export function auditEntryBytes(entry: AuditFact): number {
  const quotes = entry.kind === 'ranked' ? entry.quotes.length : 0
  return ENTRY_BYTES + QUOTE_BYTES * quotes + 3 * textOf(entry).length
}

/** The text of an entry whose length a stranger chose. */
function textOf(entry: AuditFact): string {
  switch (entry.kind) {
    case 'opened':
      return entry.terms.market.question ?? ''
    case 'quote_refused':
    case 'passed_over':
      return entry.detail
    case 'declined':
      return entry.reason ?? ''
    case 'commit_started':
      return entry.terms.expectedQuoteId ?? ''
    default:
      return ''
  }
}
