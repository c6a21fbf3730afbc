import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import type { RecordedOutcome } from '@rfqctl/protocol/domain/maker-record'
import type { OrderEnd } from '@rfqctl/protocol/domain/order-end'
import type { ClosedStatus, QuoteRequest } from '@rfqctl/protocol/domain/request'
import type { Defunding } from '@rfqctl/protocol/domain/reservation'
import type { PricePoint } from '@rfqctl/protocol/domain/twap'
import type { Acceptance, Execution, Rejection } from '../../../core/ports/store.ts'
import type { Encoded } from '../codec.ts'
import type { LastingChange, RequestChange } from '../tables.ts'

/** Written once and never changed. `at` is Unix milliseconds. */
export type JournalRow =
  | { kind: 'executed'; execution: Encoded<Execution>; request: Encoded<QuoteRequest> }
  | {
      kind: 'order_ended'
      requestId: string
      acceptanceId: string
      wallet: string
      taker: string
      /** The taker has proved that the wallet is its own; absent: no. */
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

export type QuoterRow = readonly [makerId: string, quoteId: string, misses: number]

export type RowOf<Kind extends JournalRow['kind']> = Extract<JournalRow, { kind: Kind }>

/** Fetches a row from memory or its place in a file; null when that was dropped. */
export type Load<Kind extends JournalRow['kind'] = JournalRow['kind']> = () => Promise<RowOf<Kind> | null>
