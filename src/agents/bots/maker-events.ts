import type {
  AnnouncedRequest,
  ConnectionState,
  ProtectionTrip,
  RecordedOutcome,
  SignatureRequest,
} from '@rfqctl/client/index'
import type { Order } from '@rfqctl/protocol/domain/order'
import type { Contracts, Usd6 } from '@rfqctl/protocol/domain/units'
import type { HedgeTrade, Statement } from './portfolio.ts'
import type { PassReason } from './quote-plan.ts'

/** Positions are whole options, negative when owed; `value` is in dollars. */
export type MakerBotEvent =
  | { kind: 'link'; channel: 'requests' | 'messages'; state: ConnectionState }
  | { kind: 'connected'; makerId: string }
  | { kind: 'blocked' }
  | { kind: 'heard'; request: AnnouncedRequest }
  | { kind: 'passed'; requestId: string; reason: PassReason }
  | {
      kind: 'quoted'
      requestId: string
      quoteId: string
      price: Usd6
      isFirm?: true
      size: Contracts
      value: number
      round: number
    }
  | { kind: 'withdrew'; requestId: string; quoteId: string }
  | { kind: 'asked'; acceptance: SignatureRequest }
  | { kind: 'signed'; requestId: string; quoteId: string }
  | { kind: 'declined'; requestId: string; quoteId: string; reason: string }
  | { kind: 'won'; requestId: string; quoteId: string; order: Order; position: number }
  | { kind: 'lost'; requestId: string; quoteId: string; reason: string }
  | { kind: 'tripped'; trip: ProtectionTrip }
  | { kind: 'missed'; requestId: string; quoteId: string }
  | { kind: 'suspended'; until: number; because: readonly RecordedOutcome[] }
  | { kind: 'reinstated' }
  | ({ kind: 'hedged' } & HedgeTrade)
  | { kind: 'marked'; statement: Statement }
  | {
      kind: 'failed'
      doing: 'approve' | 'protect' | 'spot' | 'quote' | 'confirm' | 'levels'
      requestId: string | null
      error: Error
    }

export type OnMakerEvent = (event: MakerBotEvent) => void
