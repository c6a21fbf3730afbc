import Type from 'typebox'
import type { QuoteRequest, RequestTerms, TakerRating } from '../domain/request.ts'
import { decodeTime, encodeTime } from './fields.ts'
import { parseJson } from './json.ts'
import { createReader, type JsonSchema } from './reader.ts'
import { decodeTerms, encodeParams, RequestParams } from './request.ts'
import { Count, IsoTime, Text } from './schemas.ts'
import type { SseFrame } from './sse.ts'

/** The first event of a stream (protocol stream-1). */
const StreamConnectedEvent = Type.Object({ makerId: Text, serverTime: IsoTime })

/** A request, live or of a snapshot. */
const QuoteRequestEvent = Type.Object({
  requestId: Text,
  expiresAt: IsoTime,
  params: RequestParams,
  takerRating: Type.Optional(Type.Object({ orders: Count, filled: Count })),
})

/** A request is over: `quote_request_expired` for makers, `closed` for its taker. */
export const RequestEndedEvent = Type.Object({ requestId: Text })

/** All events of the stream by name. */
export const MAKER_STREAM_EVENTS = {
  connected: StreamConnectedEvent,
  snapshot_begin: Type.Object({}),
  quote_request: QuoteRequestEvent,
  snapshot_complete: Type.Object({}),
  quote_request_expired: RequestEndedEvent,
} as const satisfies Record<MakerStreamEvent['kind'], JsonSchema>

const readConnected = createReader(StreamConnectedEvent, 'the event')
const readQuoteRequest = createReader(QuoteRequestEvent, 'the event')
const readEnded = createReader(RequestEndedEvent, 'the event')

/** A quote request as makers hear of it. */
export type AnnouncedRequest = {
  /** Its id. */
  requestId: string
  /** When it closes, Unix milliseconds. */
  expiresAt: number
  /** What is asked for. */
  terms: RequestTerms
  /** What became of the orders of the wallet that it names; absent where the relay does not tell it. */
  takerRating?: TakerRating
}

/** What a maker hears on its stream. */
export type MakerStreamEvent =
  /** The stream is open, for `makerId`; `serverTime` is the relay's clock, Unix milliseconds. */
  | { kind: 'connected'; makerId: string; serverTime: number }
  /** All open requests follow: what the maker knew before no longer counts. */
  | { kind: 'snapshot_begin' }
  /** A `request` that is open. */
  | { kind: 'quote_request'; request: AnnouncedRequest }
  /** All that was open has been told; what follows is new. */
  | { kind: 'snapshot_complete' }
  /** `requestId` is closed, for whatever reason. */
  | { kind: 'quote_request_expired'; requestId: string }

/** The first frame of a stream. */
export const streamConnectedFrame = (makerId: string, serverTime: number): SseFrame => ({
  event: 'connected',
  data: { makerId, serverTime: encodeTime(serverTime) },
})

/** The frame before a snapshot. */
export const SNAPSHOT_BEGIN_FRAME: SseFrame = { event: 'snapshot_begin', data: {} }

/** The frame after a snapshot, with the position that live events follow (decision M1). */
export const snapshotCompleteFrame = (position: number): SseFrame => ({
  event: 'snapshot_complete',
  data: {},
  id: position,
})

/** An open request, live, replayed or of a snapshot. */
export function quoteRequestFrame(id: number, request: QuoteRequest): SseFrame {
  const { requestId, expiresAt, takerRating } = request
  const data = { requestId, expiresAt: encodeTime(expiresAt), params: encodeParams(request) }
  return { event: 'quote_request', data: takerRating === undefined ? data : { ...data, takerRating }, id }
}

/** The end of a request. */
export const quoteRequestExpiredFrame = (id: number, requestId: string): SseFrame => ({
  event: 'quote_request_expired',
  data: { requestId },
  id,
})

/** An event of the stream; null for one that this version does not know. */
export function decodeMakerStreamEvent({ event, data }: { event: string; data: string }): MakerStreamEvent | null {
  switch (event) {
    case 'connected': {
      const { makerId, serverTime } = readConnected(parseJson(data))
      return { kind: 'connected', makerId, serverTime: decodeTime(serverTime, 'serverTime') }
    }
    case 'quote_request': {
      const { requestId, expiresAt, params, takerRating } = readQuoteRequest(parseJson(data))
      const request = { requestId, expiresAt: decodeTime(expiresAt, 'expiresAt'), terms: decodeTerms(params) }
      return { kind: 'quote_request', request: takerRating === undefined ? request : { ...request, takerRating } }
    }
    case 'quote_request_expired':
      return { kind: 'quote_request_expired', requestId: readEnded(parseJson(data)).requestId }
    case 'snapshot_begin':
    case 'snapshot_complete':
      return { kind: event }
    default:
      return null
  }
}
