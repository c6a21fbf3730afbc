import { encodeSseFrame, type SseFrame } from '../../wire/sse.ts'

/**
 * Frames are written past the HTTP layer, one buffer to all readers. Each is a whole chunk of the body, so that a stream that
 * breaks off is told from one that ends: only then comes the last chunk.
 * @see RFC 9112, section 7.1
 */

/** What ends the body of a stream. */
export const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/** The bounds of the delay before a client comes back, in milliseconds. */
const RETRY_MIN_MS = 1_000
const RETRY_MAX_MS = 3_000

/** A frame as the buffer that is sent. */
export const encodeFrame = (frame: SseFrame): Buffer => Buffer.from(chunkOf(encodeSseFrame(frame)))

/** Text as a chunk. */
export const chunkOf = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

/** The first frame of a stream, which says when to come back. */
export const withRetry = (frame: SseFrame): SseFrame => ({ ...frame, retry: retryMs() })

/** Says when to come back and is no event: the block that it begins never ends. */
export const retryFrame = (): Buffer => Buffer.from(chunkOf(`retry: ${retryMs()}\n`))

/** What chunks hold, for a reader that does not know them: HTTP/1.0 has none. */
export function withoutChunks(chunks: Buffer): Buffer {
  const bodies: Buffer[] = []
  for (let at = 0; at < chunks.length; ) {
    const begin = chunks.indexOf('\n', at) + 1
    const end = begin + Number.parseInt(chunks.toString('latin1', at, begin), 16)
    bodies.push(chunks.subarray(begin, end))
    at = end + 2
  }
  return Buffer.concat(bodies)
}

/** With jitter, so that readers dropped together do not come back together (decision M2). */
const retryMs = (): number => Math.round(RETRY_MIN_MS + Math.random() * (RETRY_MAX_MS - RETRY_MIN_MS))
