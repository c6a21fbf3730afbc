import type { AuditEntry } from '../../../domain/audit.ts'
import type { RecordedOutcome } from '../../../domain/maker-record.ts'
import type { OrderEnd } from '../../../domain/order-end.ts'
import type { ClosedStatus, QuoteRequest } from '../../../domain/request.ts'
import type { Defunding } from '../../../domain/reservation.ts'
import type { PricePoint } from '../../../domain/twap.ts'
import type { Acceptance, Execution, Rejection } from '../../../relay/ports/store.ts'
import type { Encoded } from '../codec.ts'
import type { LastingChange, RequestChange } from '../tables.ts'

/** What is written once and never changed. `at` is Unix milliseconds. */
export type JournalRow =
  | { kind: 'executed'; execution: Encoded<Execution>; request: Encoded<QuoteRequest> }
  | {
      kind: 'order_ended'
      requestId: string
      acceptanceId: string
      wallet: string
      taker: string
      /** Whether the taker has proved that the wallet is its own; absent: no. */
      proven?: true
      end: OrderEnd
      at: number
    }
  | { kind: 'order_defunded'; requestId: string; defunding: Defunding; at: number }
  | { kind: 'closed'; request: Encoded<QuoteRequest>; status: ClosedStatus; at: number }
  | { kind: 'ended'; acceptance: Encoded<Acceptance>; at: number }
  | { kind: 'rejected'; rejection: Encoded<Rejection>; at: number }
  | { kind: 'priced'; yesTokenId: string; point: PricePoint }
  | { kind: 'audited'; entry: Encoded<AuditEntry> }
  | { kind: 'changed'; change: RequestChange }
  | { kind: 'stored'; change: LastingChange }
  | { kind: 'quoted'; requestId: string; quoters: readonly QuoterRow[] }
  | { kind: 'told'; requestId: string }
  | { kind: 'noted'; makerId: string; outcome: RecordedOutcome }

/** A maker that has quoted on a request, its quoteId there, and how often it has missed. */
export type QuoterRow = readonly [makerId: string, quoteId: string, misses: number]

/** The row of one kind. */
export type RowOf<Kind extends JournalRow['kind']> = Extract<JournalRow, { kind: Kind }>

/** Fetches a row from where it lies, memory or a location in a file; null when that was let go. */
export type Load<Kind extends JournalRow['kind'] = JournalRow['kind']> = () => Promise<RowOf<Kind> | null>
