import { BestQuoteEvent, decodeBestQuoteEvent, encodeBestQuoteEvent, type ShownBook } from './best-quote.ts'
import * as field from './field.ts'
import { parseJson } from './json.ts'
import { RequestEndedEvent } from './maker-stream.ts'
import { createReader, type JsonSchema } from './reader.ts'
import { described } from './schemas.ts'
import type { SseFrame } from './sse.ts'

export const TAKER_STREAM_EVENTS = {
  best_quote: BestQuoteEvent,
  closed: described(RequestEndedEvent, field.closed),
} as const satisfies Record<TakerStreamEvent['kind'], JsonSchema>

const readEnded = createReader(RequestEndedEvent, 'the event')

/** An event of the taker's stream. */
export type TakerStreamEvent = { kind: 'best_quote'; book: ShownBook } | { kind: 'closed'; requestId: string }

export const bestQuoteFrame = (top: Parameters<typeof encodeBestQuoteEvent>[0]): SseFrame => ({
  event: 'best_quote',
  data: encodeBestQuoteEvent(top),
})

export const closedFrame = (requestId: string): SseFrame => ({ event: 'closed', data: { requestId } })

/** An event of the stream; null for one that this version does not know. */
export function decodeTakerStreamEvent({ event, data }: { event: string; data: string }): TakerStreamEvent | null {
  if (event === 'best_quote') return { kind: 'best_quote', book: decodeBestQuoteEvent(parseJson(data)) }
  if (event === 'closed') return { kind: 'closed', requestId: readEnded(parseJson(data)).requestId }
  return null
}
