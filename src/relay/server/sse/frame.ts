import type { Socket } from 'node:net'
import { encodeSseFrame, SSE_PING, type SseFrame } from '@rfqctl/protocol/wire/sse'

/** How frames are put on a connection. */
export type Framing = {
  /** A frame as its reader takes it; null where every reader takes it as it is. */
  recode: ((frame: Buffer) => Buffer) | null
  /** What keeps the connection alive; null where others do. */
  ping: Buffer | null
  /** Says when to come back. */
  comeBack: () => Buffer
  /** What follows the last frame; calls `over` where the connection goes on without the stream. */
  end: (socket: Socket, over: () => void) => void
}

/**
 * Frames are written past the HTTP layer, one buffer to all readers. Each is a whole chunk of the body, so that a stream that
 * breaks off is told from one that ends: only then comes the last chunk.
 * @see RFC 9112, section 7.1
 */

/** What ends the body of a stream. */
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/** The bounds of the delay before a client comes back, in milliseconds. */
const RETRY_MIN_MS = 1_000
const RETRY_MAX_MS = 3_000

/** A frame as the buffer that is sent. */
export const encodeFrame = (frame: SseFrame): Buffer => encodeFrames([frame])

/** Frames as one buffer. */
export const encodeFrames = (frames: readonly SseFrame[]): Buffer =>
  Buffer.from(chunkOf(frames.map(encodeSseFrame).join('')))

/** Text as a chunk. */
export const chunkOf = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

/** The first frame of a stream, which says when to come back. */
export const withRetry = (frame: SseFrame): SseFrame => ({ ...frame, retry: retryMs() })

/** Says when to come back and is no event: the block that it begins never ends. */
const retryFrame = (): Buffer => Buffer.from(chunkOf(`retry: ${retryMs()}\n`))

/** What chunks hold, for a reader that does not know them: HTTP/1.0 has none. */
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

/** Frames that are chunks of the body of an answer. */
export const CHUNKS: Framing = {
  recode: null,
  ping: PING,
  comeBack: retryFrame,
  end: (socket) => {
    socket.write(LAST_CHUNK)
    socket.destroySoon()
  },
}

/** The same for a reader that does not know chunks: its body ends with the connection. */
export const BARE: Framing = { ...CHUNKS, recode: withoutChunks, end: (socket) => socket.destroySoon() }

/**
 * Text in memory of its own. A small buffer of Node's is a piece of 8 KiB that it shares with what comes and goes beside it:
 * the feed remembers 10,000 events, and would keep 80 MB for the 5 MB of their frames.
 */
export function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/** With jitter, so that readers dropped together do not come back together (decision M2). */
export const retryMs = (): number => Math.round(RETRY_MIN_MS + Math.random() * (RETRY_MAX_MS - RETRY_MIN_MS))
