import type { CommitTerms } from './commit.ts'
import type { Order } from './order.ts'
import type { Quote } from './quote.ts'
import type { ClosedStatus, RequestTerms } from './request.ts'
import type { SeriesId } from './series.ts'

/** What happened to a request and when, Unix milliseconds. No entry carries a signature, a key or a taker secret. */
export type AuditEntry = { at: number; requestId: string } & AuditFact

/** What can happen to a request. */
export type AuditFact =
  | { kind: 'opened'; terms: RequestTerms; seriesId: SeriesId; expiresAt: number; makersConnected: number }
  /** `isRequote`: the maker had quoted on this request before. */
  | { kind: 'quoted'; quote: Quote; isRequote: boolean }
  | { kind: 'quote_refused'; makerId: string; code: string; detail: string }
  | { kind: 'quote_withdrawn'; makerId: string; quoteId: string }
  | { kind: 'quote_expired'; makerId: string; quoteId: string }
  | { kind: 'commit_started'; terms: CommitTerms }
  | { kind: 'commit_refused'; code: string }
  /** A maker that the ladder went past: it could not pay, or had no socket. */
  | { kind: 'passed_over'; makerId: string; quoteId: string; code: string; detail: string }
  | { kind: 'asked'; makerId: string; quoteId: string; order: Order; deadline: number }
  | { kind: 'signature_refused'; makerId: string; quoteId: string }
  /** `waitedMs`: from the ask to the answer. `reason` is the maker's own; null where it gave none. */
  | { kind: 'declined'; makerId: string; quoteId: string; waitedMs: number; reason: string | null }
  | { kind: 'missed'; makerId: string; quoteId: string }
  | { kind: 'confirmed'; makerId: string; quoteId: string; executionId: string; waitedMs: number }
  /** `omitted`: how many entries of the request were not kept, where there were too many; absent: none. */
  | { kind: 'closed'; status: ClosedStatus; omitted?: number }

/** The maker that an entry is about; null for what concerns the request as a whole. */
export function makerOf(fact: AuditFact): string | null {
  if (fact.kind === 'quoted') return fact.quote.makerId
  return 'makerId' in fact ? fact.makerId : null
}

/** What an entry takes beside the texts of strangers: ids, amounts, and the names of its fields. */
const ENTRY_BYTES = 400

/** About how many bytes an entry takes, in memory, on disk or on the wire; never much less than it does. */
export function auditEntryBytes(entry: AuditFact): number {
  return ENTRY_BYTES + 3 * textOf(entry).length
}

/** What a stranger chose the length of. */
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
