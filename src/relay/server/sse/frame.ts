import type { Socket } from 'node:net'
import { encodeSseFrame, SSE_PING, type SseFrame } from '@rfqctl/protocol/wire/sse'

export type Framing = {
  /** Converts a frame for its reader; null where every reader takes it unchanged. */
  recode: ((frame: Buffer) => Buffer) | null
  /** Keeps the connection alive; null where others do. */
  ping: Buffer | null
  comeBack: () => Buffer
  /** Ends the stream; calls `over` where the connection outlives it. */
  end: (socket: Socket, over: () => void) => void
}

/**
 * Frames are written past the HTTP layer, one buffer to all readers. Each is a whole chunk of the body, so clients can
 * tell an aborted stream from one that ended, which has the last chunk.
 * @see RFC 9112, section 7.1
 */

const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/** Bounds of a client's delay before it comes back. */
const RETRY_MIN_MS = 1_000
const RETRY_MAX_MS = 3_000

export const encodeFrame = (frame: SseFrame): Buffer => encodeFrames([frame])

export const encodeFrames = (frames: readonly SseFrame[]): Buffer =>
  Buffer.from(chunkOf(frames.map(encodeSseFrame).join('')))

export const chunkOf = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

/** For the first frame of a stream, which names the time to come back. */
export const withRetry = (frame: SseFrame): SseFrame => ({ ...frame, retry: retryMs() })

/** Names the time to come back without an event: its block never ends. */
const retryFrame = (): Buffer => Buffer.from(chunkOf(`retry: ${retryMs()}\n`))

/** For readers of HTTP/1.0, which has no chunks. */
function withoutChunks(chunks: Buffer): Buffer {
  const bodies: Buffer[] = []
  for (let at = 0; at < chunks.length; ) {
    const begin = chunks.indexOf('\n', at) + 1
    const end = begin + Number.parseInt(chunks.toString('latin1', at, begin), 16)
    bodies.push(chunks.subarray(begin, end))
    at = end + 2
  }
  return Buffer.concat(bodies)
}

const PING = Buffer.from(chunkOf(SSE_PING))

export const CHUNKS: Framing = {
  recode: null,
  ping: PING,
  comeBack: retryFrame,
  end: (socket) => {
    socket.write(LAST_CHUNK)
    socket.destroySoon()
  },
}

/** For readers without chunks: the body ends with the connection. */
export const BARE: Framing = { ...CHUNKS, recode: withoutChunks, end: (socket) => socket.destroySoon() }

/**
 * Allocates outside of Node's pool, whose small buffers are pieces of shared blocks of 8 KiB: the feed remembers 10,000
 * events, and would keep 80 MB for the 5 MB of their frames.
 */
export function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/** Jitter keeps readers that were dropped together from coming back together (decision M2). */
export const retryMs = (): number => Math.round(RETRY_MIN_MS + Math.random() * (RETRY_MAX_MS - RETRY_MIN_MS))
