import * as Type from 'typebox'
import type { QuoteRequest, RequestTerms, TakerRating } from '../domain/request.ts'
import * as field from './field.ts'
import { decodeTime, encodeTime } from './fields.ts'
import { createReader, type JsonSchema } from './reader.ts'
import { decodeTerms, encodeParams, RequestParams } from './request.ts'
import { Count, described } from './schemas.ts'
import type { SseFrame } from './sse.ts'

/** The first event of a stream (protocol stream-1). */
const StreamConnectedEvent = Type.Object({ makerId: field.makerId, serverTime: field.serverTime })

/** Kinds of requests that a stream carries besides (protocol stream-8, stream-9); unknown parameters are ignored. */
export const MakerStreamQuery = Type.Object({
  packages: Type.Optional(field.packages),
  twoSided: Type.Optional(field.twoSided),
})

const QuoteRequestEvent = Type.Object({
  requestId: field.requestId,
  expiresAt: field.expiresAt,
  params: RequestParams,
  takerRating: Type.Optional(
    described(
      Type.Object({
        orders: described(Count, 'How many ended, but those that their maker cancelled; 100 at most.', 12),
        filled: described(Count, 'How many of them the taker filled.', 9),
      }),
      'What became of the signed orders of `wallet` that ended lately; only if the operator allows it.',
    ),
  ),
})

/** A request is over: `quote_request_expired` for makers, `closed` for its taker. */
export const RequestEndedEvent = Type.Object({ requestId: field.requestId })

export const MAKER_STREAM_EVENTS = {
  connected: StreamConnectedEvent,
  snapshot_begin: Type.Object({}),
  quote_request: QuoteRequestEvent,
  snapshot_complete: Type.Object({}),
  quote_request_expired: RequestEndedEvent,
} as const satisfies Record<MakerStreamEvent['kind'], JsonSchema>

/** The end of the requests on a socket: the time until the maker may ask again, in milliseconds. */
const RequestsEnded = Type.Object({ retryMs: described(Count, 'When to subscribe again, in milliseconds.', 1_730) })

const requestsMessage = <Event extends string, Data extends JsonSchema>(event: Event, data: Data) => ({
  type: described(Type.Literal('requests'), 'Kind of the message.'),
  event: described(Type.Literal(event), 'Name of an event of the maker stream, or `ended`.'),
  data: described(data, 'Data of the event, as on the maker stream.'),
})

/** The same events on a maker's socket, and their end there (decision X6). */
export const RequestsMessage = Type.Union([
  Type.Object(requestsMessage('connected', StreamConnectedEvent)),
  Type.Object(requestsMessage('snapshot_begin', Type.Object({}))),
  Type.Object({ ...requestsMessage('quote_request', QuoteRequestEvent), id: field.id }),
  Type.Object({ ...requestsMessage('snapshot_complete', Type.Object({})), id: field.id }),
  Type.Object({ ...requestsMessage('quote_request_expired', RequestEndedEvent), id: field.id }),
  Type.Object(requestsMessage('ended', RequestsEnded)),
])

const readQuery = createReader(MakerStreamQuery, 'the query')
const readConnected = createReader(StreamConnectedEvent, 'the event')
const readQuoteRequest = createReader(QuoteRequestEvent, 'the event')
const readEnded = createReader(RequestEndedEvent, 'the event')

/** A quote request as makers see it. */
export type AnnouncedRequest = {
  requestId: string
  /** The time at which it expires. */
  expiresAt: number
  terms: RequestTerms
  /** Rating of the wallet that the request names; absent if the relay does not share it. */
  takerRating?: TakerRating
}

/** Everything that a maker's stream brings, decoded. */
export type MakerStreamEvent =
  /** `serverTime` is the relay's clock, Unix milliseconds. */
  | { kind: 'connected'; makerId: string; serverTime: number }
  /** All open requests follow; those of before no longer count. */
  | { kind: 'snapshot_begin' }
  | { kind: 'quote_request'; request: AnnouncedRequest }
  /** The events that follow are new. */
  | { kind: 'snapshot_complete' }
  /** It is closed, for whatever reason. */
  | { kind: 'quote_request_expired'; requestId: string }

export function decodeMakerStreamQuery(query: unknown): { packages: boolean; twoSided: boolean } {
  const { packages, twoSided } = readQuery(query)
  return { packages: packages === 'true', twoSided: twoSided === 'true' }
}

export const streamConnectedFrame = (makerId: string, serverTime: number): SseFrame => ({
  event: 'connected',
  data: { makerId, serverTime: encodeTime(serverTime) },
})

export const SNAPSHOT_BEGIN_FRAME: SseFrame = { event: 'snapshot_begin', data: {} }

/** The frame after a snapshot, with the position that live events follow (decision M1). */
export const snapshotCompleteFrame = (position: number): SseFrame => ({
  event: 'snapshot_complete',
  data: {},
  id: position,
})

export function quoteRequestFrame(id: number, request: QuoteRequest): SseFrame {
  const { requestId, expiresAt, takerRating } = request
  const data = { requestId, expiresAt: encodeTime(expiresAt), params: encodeParams(request) }
  return { event: 'quote_request', data: takerRating === undefined ? data : { ...data, takerRating }, id }
}

export const quoteRequestExpiredFrame = (id: number, requestId: string): SseFrame => ({
  event: 'quote_request_expired',
  data: { requestId },
  id,
})

/** An event as the message of a socket; `data` is JSON. */
export const requestsText = ({ event, id, data }: { event: string; id?: number | undefined; data: string }): string =>
  `{"type":"requests",${id === undefined ? '' : `"id":${id},`}"event":"${event}","data":${data}}`

/** An event of the stream, its data as JSON has it; null for one that this version does not know. */
export function decodeMakerStreamEvent({ event, data }: { event: string; data: unknown }): MakerStreamEvent | null {
  switch (event) {
    case 'connected': {
      const { makerId, serverTime } = readConnected(data)
      return { kind: 'connected', makerId, serverTime: decodeTime(serverTime, 'serverTime') }
    }
    case 'quote_request': {
      const { requestId, expiresAt, params, takerRating } = readQuoteRequest(data)
      const request = { requestId, expiresAt: decodeTime(expiresAt, 'expiresAt'), terms: decodeTerms(params) }
      return { kind: 'quote_request', request: takerRating === undefined ? request : { ...request, takerRating } }
    }
    case 'quote_request_expired':
      return { kind: 'quote_request_expired', requestId: readEnded(data).requestId }
    case 'snapshot_begin':
    case 'snapshot_complete':
      return { kind: event }
    default:
      return null
  }
}
