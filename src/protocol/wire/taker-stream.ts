import type { OpenedRequest } from '../domain/request.ts'
import { BestQuoteEvent, decodeBestQuoteEvent, encodeBestQuoteEvent, type ShownBook } from './best-quote.ts'
import * as field from './field.ts'
import { parseJson } from './json.ts'
import { RequestEndedEvent } from './maker-stream.ts'
import { decodeOpened, type encodeOpened, OpenedEvent } from './opened-request.ts'
import { createReader, type JsonSchema } from './reader.ts'
import { described } from './schemas.ts'
import type { SseFrame } from './sse.ts'

export const TAKER_STREAM_EVENTS = {
  best_quote: BestQuoteEvent,
  closed: described(RequestEndedEvent, field.closed),
} as const satisfies Record<Exclude<TakerStreamEvent['kind'], 'opened'>, JsonSchema>

/** The same after the request itself, on the call that opens it (protocol open-8). */
export const OPENING_STREAM_EVENTS = { opened: OpenedEvent, ...TAKER_STREAM_EVENTS } as const

const readEnded = createReader(RequestEndedEvent, 'the event')

/** An event of the taker's stream. */
export type TakerStreamEvent =
  | { kind: 'opened'; request: OpenedRequest }
  | { kind: 'best_quote'; book: ShownBook }
  | { kind: 'closed'; requestId: string }

export const openedFrame = ({ success: _, ...data }: ReturnType<typeof encodeOpened>): SseFrame => ({
  event: 'opened',
  data,
})

export const bestQuoteFrame = (top: Parameters<typeof encodeBestQuoteEvent>[0]): SseFrame => ({
  event: 'best_quote',
  data: encodeBestQuoteEvent(top),
})

export const closedFrame = (requestId: string): SseFrame => ({ event: 'closed', data: { requestId } })

/** An event of the stream; null for one that this version does not know. */
export function decodeTakerStreamEvent({ event, data }: { event: string; data: string }): TakerStreamEvent | null {
  if (event === 'opened') return { kind: 'opened', request: decodeOpened(parseJson(data)) }
  if (event === 'best_quote') return { kind: 'best_quote', book: decodeBestQuoteEvent(parseJson(data)) }
  if (event === 'closed') return { kind: 'closed', requestId: readEnded(parseJson(data)).requestId }
  return null
}
