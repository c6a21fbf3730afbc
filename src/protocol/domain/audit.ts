import type { CommitTerms } from './commit.ts'
import type { Order } from './order.ts'
import type { Quote } from './quote.ts'
import type { ClosedStatus, RequestTerms } from './request.ts'
import type { Defunding } from './reservation.ts'
import type { SeriesId } from './series.ts'
import type { Hex } from './units.ts'

/** A fact about a request, with its time. No entry carries a signature, a key or a taker secret. */
export type AuditEntry = {
  /** Time, Unix milliseconds. */
  at: number
  /** The quote request that it happened to. */
  requestId: string
} & AuditFact

/** An event of a request. Times are Unix milliseconds; docs/reference/errors.md has the codes. */
export type AuditFact =
  /**
   * The taker opened it: its `terms`, its `seriesId`, the time it closes (`expiresAt`), the number of `makersConnected` that
   * received it.
   */
  | { kind: 'opened'; terms: RequestTerms; seriesId: SeriesId; expiresAt: number; makersConnected: number }
  /** A maker's `quote` was taken. `isRequote`: the maker had quoted on this request before. */
  | { kind: 'quoted'; quote: Quote; isRequote: boolean }
  /** `makerId` has signed the order of `quoteId` beforehand: the quote is firm. */
  | { kind: 'quote_sealed'; makerId: string; quoteId: string }
  /** A quote of `makerId` was refused: its `code`, and the sentence in `detail`. */
  | { kind: 'quote_refused'; makerId: string; code: string; detail: string }
  /** `makerId` withdrew `quoteId`. */
  | { kind: 'quote_withdrawn'; makerId: string; quoteId: string }
  /** `quoteId`, of `makerId`, expired. */
  | { kind: 'quote_expired'; makerId: string; quoteId: string }
  /** `quoteId`, of `makerId`, was the worst where the relay had no room for more quotes, and left the book. */
  | { kind: 'quote_dropped'; makerId: string; quoteId: string }
  /** The taker commits, under `terms`. */
  | { kind: 'commit_started'; terms: CommitTerms }
  /** The commit ended without a trade, with `code`. */
  | { kind: 'commit_refused'; code: string }
  /** `makerId` was not asked to sign `quoteId`, because it could not pay or had no socket: `code` and `detail` say which. */
  | { kind: 'passed_over'; makerId: string; quoteId: string; code: string; detail: string }
  /** `makerId` is asked to sign `order` for `quoteId` until `deadline`. */
  | { kind: 'asked'; makerId: string; quoteId: string; order: Order; deadline: number }
  /** `makerId` sent a signature for `quoteId` that is not valid for the order. */
  | { kind: 'signature_refused'; makerId: string; quoteId: string }
  /** `makerId` declined to sign `quoteId`, `waitedMs` after it was asked. `reason` is its own; null where it gave none. */
  | { kind: 'declined'; makerId: string; quoteId: string; waitedMs: number; reason: string | null }
  /** `makerId` did not sign `quoteId` in time. */
  | { kind: 'missed'; makerId: string; quoteId: string }
  /** `makerId` signed `quoteId`, `waitedMs` after it was asked; the trade is `executionId`. `order`: of a firm quote, signed beforehand. */
  | { kind: 'confirmed'; makerId: string; quoteId: string; executionId: string; waitedMs: number; order?: Order }
  /** The order of `quoteId`, of `makerId`, was filled by its taker: `transactionHash`, in `blockNumber`, which is final. */
  | { kind: 'order_filled'; makerId: string; quoteId: string; transactionHash: Hex; blockNumber: number }
  /** `makerId` cancelled its order for `quoteId`: `transactionHash`, in `blockNumber`, which is final. */
  | { kind: 'order_cancelled'; makerId: string; quoteId: string; transactionHash: Hex; blockNumber: number }
  /**
   * `makerId` took away what its open order for `quoteId` needs: its wallet lacks money or an allowance in `blockNumber`, which is
   * final, as `code` says.
   */
  | { kind: 'order_defunded'; makerId: string; quoteId: string; code: Defunding['code']; blockNumber: number }
  /** The order of `quoteId`, of `makerId`, was not filled in time. */
  | { kind: 'order_expired'; makerId: string; quoteId: string }
  /**
   * It closed, as `status` says. `isDisplaced`: the relay cancelled it to make room for another request; absent: no. `omitted`:
   * the number of entries that were not kept, where there were too many; absent: none.
   */
  | { kind: 'closed'; status: ClosedStatus; isDisplaced?: true; omitted?: number }

/** The maker that an entry is about; null for what concerns the request as a whole. */
export function makerOf(fact: AuditFact): string | null {
  if (fact.kind === 'quoted') return fact.quote.makerId
  return 'makerId' in fact ? fact.makerId : null
}

/** Bytes of an entry without the texts of strangers: ids, amounts, and the names of its fields. */
const ENTRY_BYTES = 400

/** About how many bytes an entry takes, in memory, on disk or on the wire; never much less than it does. */
export function auditEntryBytes(entry: AuditFact): number {
  return ENTRY_BYTES + 3 * textOf(entry).length
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
