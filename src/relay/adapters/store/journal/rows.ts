import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import type { RecordedOutcome } from '@rfqctl/protocol/domain/maker-record'
import type { OrderEnd } from '@rfqctl/protocol/domain/order-end'
import type { ClosedStatus, QuoteRequest } from '@rfqctl/protocol/domain/request'
import type { Defunding } from '@rfqctl/protocol/domain/reservation'
import type { PricePoint } from '@rfqctl/protocol/domain/twap'
import type { Acceptance, Execution, Rejection } from '../../../core/ports/store.ts'
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
