import { createSseParser } from '../../kit/sse-parser.ts'

/** An event of a stream as its bytes say it. */
export type SeenEvent = { event: string; id: string | null; data: unknown }

/** Passes bytes on as they are, and tells the events in them. */
export function createSseTap(onEvent: (event: SeenEvent) => void): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  const parser = createSseParser()
  return new TransformStream({
    transform: (bytes, controller) => {
      for (const { event, id = null, data } of parser.push(decoder.decode(bytes, { stream: true }))) {
        if (event !== undefined && data !== undefined) onEvent({ event, id, data })
      }
      controller.enqueue(bytes)
    },
  })
}
