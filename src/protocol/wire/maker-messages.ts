import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { LossFeedback, RejectReason } from '../domain/best-quote.ts'
import { type ProtectionTrip, tripFigures } from '../domain/maker-protections.ts'
import type { RecordedOutcome } from '../domain/maker-record.ts'
import type { Order, TypedDataDomain } from '../domain/order.ts'
import type { OrderEnd } from '../domain/order-end.ts'
import type { Defunding } from '../domain/reservation.ts'
import { type Contracts, contracts } from '../domain/units.ts'
import * as field from './field.ts'
import { decodeTime, encodeTime } from './fields.ts'
import { MAKER_ANSWERS, messageOf, OFFERS } from './maker-commands.ts'
import { decodeTrip, TripFields } from './maker-protections.ts'
import { decodeSuspension, encodeSuspension, SuspensionFields } from './maker-record.ts'
import { RequestsMessage } from './maker-stream.ts'
import {
  DomainFields,
  decodeDomain,
  decodeOrder,
  encodeOrder,
  ORDER_TYPE_LIST,
  OrderFields,
  OrderTypes,
} from './order.ts'
import { DefundedIn, decodeEndedIn, EndedIn } from './order-end.ts'
import { createReader } from './reader.ts'
import { decodeRejection, encodeRejection, LossFields, RejectReasonText } from './rejection.ts'
import { Count, described, IsoTime, oneOf } from './schemas.ts'

/** The version of the socket's protocol, and a floor: messages beyond it are opt-in (decision X5). */
export const PROTOCOL_VERSION = 3

const quoted = { requestId: field.requestId, quoteId: field.quoteId }

const acceptance = {
  quoteId: field.quoteId,
  requestId: field.requestId,
  order: OrderFields,
  domain: DomainFields,
  types: OrderTypes,
  confirmationDeadline: described(IsoTime, 'Time by which the confirmation must arrive.', '2027-01-15T07:00:12.250Z'),
}

export const PendingAcceptance = Type.Object(acceptance)

const ConnectedMessage = messageOf('connected', {
  protocolVersion: described(Type.Literal(PROTOCOL_VERSION), field.protocolVersion),
  makerId: field.makerId,
  authenticated: described(Type.Literal(true), 'Always true.'),
  serverTime: field.serverTime,
  offers: described(
    Type.Array(oneOf(...OFFERS)),
    'What the socket takes beyond version 3: `calls`, and what may be subscribed to.',
    ['calls', 'orders', 'standing', 'inventory', 'requests'],
  ),
})

/** The same message from a later relay: its version is a floor, and its offers are read by name (decision X5). */
const AnyConnected = Type.Object({
  ...ConnectedMessage.properties,
  protocolVersion: Type.Integer({
    minimum: PROTOCOL_VERSION,
    must: `an integer of at least ${PROTOCOL_VERSION}`,
  }),
  offers: Type.Optional(Type.Unknown()),
})

const AcceptedMessage = messageOf('quote:accepted', {
  ...acceptance,
  fromInventory: Type.Optional(field.fromInventory),
})

const ConfirmedMessage = messageOf('quote:confirmed', {
  ...quoted,
  order: Type.Optional(OrderFields),
})

const RejectedMessage = messageOf('quote:rejected', {
  ...quoted,
  reason: described(RejectReasonText, field.reason),
  ...LossFields,
})

const TrippedMessage = messageOf('protection:tripped', {
  trip: TripFields,
})
/** A signed order was filled by its taker, cancelled by its maker, or not filled in time: sent to subscribers. */
const FilledMessage = messageOf('order:filled', { ...quoted, ...EndedIn })
const CancelledMessage = messageOf('order:cancelled', {
  ...quoted,
  ...EndedIn,
})
const ExpiredMessage = messageOf('order:expired', quoted)

const DefundedMessage = messageOf('order:defunded', {
  ...quoted,
  ...DefundedIn,
})
const MissedMessage = messageOf('quote:missed', quoted)
const SuspendedMessage = messageOf('maker:suspended', SuspensionFields)
const ReinstatedMessage = messageOf('maker:reinstated', {})

/** `timestamp` in Unix milliseconds. */
export const PongMessage = messageOf('pong', {
  timestamp: described(Count, "The relay's clock in Unix milliseconds.", 1_799_996_400_000),
})

export const MAKER_MESSAGES = {
  connected: ConnectedMessage,
  'quote:accepted': AcceptedMessage,
  'quote:confirmed': ConfirmedMessage,
  'quote:rejected': RejectedMessage,
  'protection:tripped': TrippedMessage,
  'order:filled': FilledMessage,
  'order:cancelled': CancelledMessage,
  'order:expired': ExpiredMessage,
  'order:defunded': DefundedMessage,
  'quote:missed': MissedMessage,
  'maker:suspended': SuspendedMessage,
  'maker:reinstated': ReinstatedMessage,
  pong: PongMessage,
  requests: RequestsMessage,
  ...MAKER_ANSWERS,
} as const

const readers = {
  connected: createReader(AnyConnected, 'the message'),
  'quote:accepted': createReader(AcceptedMessage, 'the message'),
  'quote:confirmed': createReader(ConfirmedMessage, 'the message'),
  'quote:rejected': createReader(RejectedMessage, 'the message'),
  'protection:tripped': createReader(TrippedMessage, 'the message'),
  'order:filled': createReader(FilledMessage, 'the message'),
  'order:cancelled': createReader(CancelledMessage, 'the message'),
  'order:expired': createReader(ExpiredMessage, 'the message'),
  'order:defunded': createReader(DefundedMessage, 'the message'),
  'quote:missed': createReader(MissedMessage, 'the message'),
  'maker:suspended': createReader(SuspendedMessage, 'the message'),
  pong: createReader(PongMessage, 'the message'),
}

/** An order that waits for its maker's signature. */
export type SignatureRequest = {
  requestId: string
  quoteId: string
  /** The order to sign. */
  order: Order
  /** The domain to sign it for. */
  domain: TypedDataDomain
  /** Unix milliseconds. */
  deadline: number
  /** Options of the sale that are the maker's own; absent: none, or not asked for. */
  fromInventory?: Contracts
}

/** A message to a maker about its quotes that takers commit to. */
export type PostTradeMessage =
  /** A quote won; its order waits for a signature. */
  | { kind: 'accepted'; acceptance: SignatureRequest }
  /** The quote is a trade; `order` where it was firm, and no one asked before. */
  | { kind: 'confirmed'; requestId: string; quoteId: string; order?: Order }
  | { kind: 'rejected'; requestId: string; quoteId: string; reason: RejectReason; feedback?: LossFeedback }
  /** All quotes of this maker are withdrawn. */
  | { kind: 'protection_tripped'; trip: ProtectionTrip }
  | { kind: 'order_ended'; requestId: string; quoteId: string; end: OrderEnd }
  /** This maker took away what its open order needs; it can be filled once that is back. */
  | { kind: 'order_defunded'; requestId: string; quoteId: string; defunding: Defunding }
  /** The order was not signed in time. */
  | { kind: 'missed'; requestId: string; quoteId: string }
  /** Quotes of this maker are withdrawn, and refused until `until`. */
  | { kind: 'suspended'; until: number; because: readonly RecordedOutcome[] }
  /** The suspension has ended. */
  | { kind: 'reinstated' }

/** Everything that the maker socket says. Times are Unix milliseconds. */
export type MakerSocketMessage =
  | PostTradeMessage
  /** `serverTime` is the relay's clock. */
  | { kind: 'connected'; makerId: string; serverTime: number }
  /** `timestamp` is the relay's clock. */
  | { kind: 'pong'; timestamp: number }

/** The first message after authentication; `serverTime` in Unix milliseconds. */
export const encodeConnected = (makerId: string, serverTime: number): Static<typeof ConnectedMessage> => ({
  type: 'connected',
  protocolVersion: PROTOCOL_VERSION,
  makerId,
  authenticated: true,
  serverTime: encodeTime(serverTime),
  offers: [...OFFERS],
})

export const encodePong = (timestamp: number): Static<typeof PongMessage> => ({ type: 'pong', timestamp })

/** A post-trade message; `withInventory` for those that ask how many options of an order are their own. */
export function encodePostTrade(message: PostTradeMessage, withInventory = false) {
  if (message.kind === 'accepted') {
    const accepted = { type: 'quote:accepted', ...encodeAcceptance(message.acceptance) } as const
    const { order, fromInventory } = message.acceptance
    if (!withInventory || !order.makerSelling || fromInventory === undefined) return accepted
    return { ...accepted, fromInventory: `${fromInventory}` }
  }
  if (message.kind === 'protection_tripped')
    return { type: 'protection:tripped', trip: tripFigures(message.trip) } as const
  if (message.kind === 'suspended') return { type: 'maker:suspended', ...encodeSuspension(message) } as const
  if (message.kind === 'reinstated') return { type: 'maker:reinstated' } as const
  const { requestId, quoteId } = message
  if (message.kind === 'confirmed') {
    const confirmed = { type: 'quote:confirmed', requestId, quoteId } as const
    return message.order === undefined ? confirmed : { ...confirmed, order: encodeOrder(message.order) }
  }
  if (message.kind === 'missed') return { type: 'quote:missed', requestId, quoteId } as const
  if (message.kind === 'order_ended')
    return { type: `order:${message.end.state}`, requestId, quoteId, ...placeOf(message.end) }
  if (message.kind === 'order_defunded')
    return { type: 'order:defunded', requestId, quoteId, ...message.defunding } as const
  return { type: 'quote:rejected', requestId, quoteId, ...encodeRejection(message) } as const
}

/** `quote:rejected` as JSON, of ids of the relay, which need no escapes: the end of a request sends one to each loser. */
export function rejectedText(message: Extract<PostTradeMessage, { kind: 'rejected' }>): string {
  const { requestId, quoteId, reason, feedback } = message
  const loss = feedback === undefined ? `"reason":"${reason}"}` : JSON.stringify(encodeRejection(message)).slice(1)
  return `{"type":"quote:rejected","requestId":"${requestId}","quoteId":"${quoteId}",${loss}`
}

function placeOf(end: OrderEnd) {
  if (end.state === 'expired') return {}
  const { transactionHash, blockNumber } = end
  return { transactionHash, blockNumber }
}

export function encodeAcceptance(acceptance: SignatureRequest): Static<typeof PendingAcceptance> {
  const { quoteId, requestId, order, domain, deadline } = acceptance
  const confirmationDeadline = encodeTime(deadline)
  return { quoteId, requestId, order: encodeOrder(order), domain, types: ORDER_TYPE_LIST, confirmationDeadline }
}

export function decodeAcceptance(fields: Static<typeof PendingAcceptance>): SignatureRequest {
  const { quoteId, requestId, order, domain, confirmationDeadline } = fields
  const deadline = decodeTime(confirmationDeadline, 'confirmationDeadline')
  return { quoteId, requestId, order: decodeOrder(order), domain: decodeDomain(domain), deadline }
}

function decodeAccepted({ fromInventory, ...fields }: Static<typeof AcceptedMessage>): SignatureRequest {
  const acceptance = decodeAcceptance(fields)
  return fromInventory === undefined ? acceptance : { ...acceptance, fromInventory: contracts(BigInt(fromInventory)) }
}

/** A message of the socket; null for a type that this version does not know. */
export function decodeMakerMessage(message: unknown): MakerSocketMessage | null {
  switch (typeOf(message)) {
    case 'connected': {
      const { makerId, serverTime } = readers.connected(message)
      return { kind: 'connected', makerId, serverTime: decodeTime(serverTime, 'serverTime') }
    }
    case 'quote:accepted':
      return { kind: 'accepted', acceptance: decodeAccepted(readers['quote:accepted'](message)) }
    case 'quote:confirmed': {
      const { requestId, quoteId, order } = readers['quote:confirmed'](message)
      const confirmed = { kind: 'confirmed', requestId, quoteId } as const
      return order === undefined ? confirmed : { ...confirmed, order: decodeOrder(order) }
    }
    case 'quote:rejected': {
      const { requestId, quoteId, ...rejection } = readers['quote:rejected'](message)
      return { kind: 'rejected', requestId, quoteId, ...decodeRejection(rejection) }
    }
    case 'protection:tripped':
      return { kind: 'protection_tripped', trip: decodeTrip(readers['protection:tripped'](message).trip) }
    case 'order:filled':
    case 'order:cancelled': {
      const { type, requestId, quoteId, ...place } =
        readers[typeOf(message) as 'order:filled' | 'order:cancelled'](message)
      const state = type === 'order:filled' ? 'filled' : 'cancelled'
      return { kind: 'order_ended', requestId, quoteId, end: { state, ...decodeEndedIn(place) } }
    }
    case 'order:expired': {
      const { requestId, quoteId } = readers['order:expired'](message)
      return { kind: 'order_ended', requestId, quoteId, end: { state: 'expired' } }
    }
    case 'order:defunded': {
      const { requestId, quoteId, code, blockNumber } = readers['order:defunded'](message)
      return { kind: 'order_defunded', requestId, quoteId, defunding: { code, blockNumber } }
    }
    case 'quote:missed': {
      const { requestId, quoteId } = readers['quote:missed'](message)
      return { kind: 'missed', requestId, quoteId }
    }
    case 'maker:suspended':
      return { kind: 'suspended', ...decodeSuspension(readers['maker:suspended'](message)) }
    case 'maker:reinstated':
      return { kind: 'reinstated' }
    case 'pong':
      return { kind: 'pong', timestamp: readers.pong(message).timestamp }
    default:
      return null
  }
}

const typeOf = (message: unknown): unknown =>
  typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined
