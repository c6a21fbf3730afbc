import type { Socket } from 'node:net'
import { requestsText } from '@rfqctl/protocol/wire/maker-stream'
import type { SseFrame } from '@rfqctl/protocol/wire/sse'
import type { Hold } from '../sse/fan-out.ts'
import { type Framing, retryMs } from '../sse/frame.ts'

/**
 * Requests are written past the WebSocket library, as events are past the HTTP layer: one buffer to all readers. Each
 * is a whole frame, so that the library's own frames may go in between.
 * @see RFC 6455, section 5.2
 */

/** First byte of a text in one frame. */
const WHOLE_TEXT = 0x81

/** Longest text with a length of one byte; for longer ones two or eight bytes follow. */
const MAX_SHORT = 125
const MAX_MEDIUM = 0xffff

/** Outside of the pool: the frames of requests are kept. */
const textFrame = (text: string): Buffer => textFrames([text], Buffer.allocUnsafeSlow)

/** One buffer, of Node's pool where it is small: it must be written soon, since it keeps its neighbours in memory. */
function textFrames(texts: readonly string[], allocate = Buffer.allocUnsafe): Buffer {
  let bytes = 0
  for (const text of texts) {
    const length = Buffer.byteLength(text)
    bytes += headBytes(length) + length
  }
  const frames = allocate(bytes)
  let at = 0
  for (const text of texts) {
    const length = Buffer.byteLength(text)
    at = writeHead(frames, at, length)
    at += frames.write(text, at)
  }
  return frames
}

const headBytes = (length: number): number => (length <= MAX_SHORT ? 2 : length <= MAX_MEDIUM ? 4 : 10)

function writeHead(frames: Buffer, at: number, length: number): number {
  frames[at] = WHOLE_TEXT
  if (length <= MAX_SHORT) return frames.writeUInt8(length, at + 1)
  frames[at + 1] = length <= MAX_MEDIUM ? 126 : 127
  return length <= MAX_MEDIUM ? frames.writeUInt16BE(length, at + 2) : frames.writeBigUInt64BE(BigInt(length), at + 2)
}

/** Most characters of held answers. */
const MAX_UNSENT = 64 * 1024

/** Messages arrive in the order in which they were sent. */
type Outbox = {
  /** Writes at once. */
  send: (message: object) => void
  /** Writes together with other answers, or sooner when too long: a write to the system costs more than a quote. */
  answer: (message: object) => void
  /** The same for what is JSON already. */
  answerText: (text: string) => void
  flush: () => void
}

/** `connection` stays corked while answers are held: what else is written to it leaves in one write with them. */
export function createOutbox(parts: {
  hold: Hold
  connection: Pick<Socket, 'cork' | 'uncork' | 'writableLength'>
  write: (frames: Buffer) => void
}): Outbox {
  const { hold, connection, write } = parts
  let unsent: string[] = []
  let unsentLength = 0
  let isCorked = false

  function put(text: string): void {
    unsent.push(text)
    unsentLength += text.length
  }

  function uncork(): void {
    if (isCorked) connection.uncork()
    isCorked = false
  }

  function flush(): void {
    if (unsent.length === 0) return
    const texts = unsent
    unsent = []
    unsentLength = 0
    // A single write is cheaper without the cork.
    if (connection.writableLength === 0) uncork()
    write(textFrames(texts))
    uncork()
  }

  function answerText(text: string): void {
    put(text)
    if (unsentLength >= MAX_UNSENT) flush()
    else {
      if (!isCorked) connection.cork()
      isCorked = true
      hold(flush)
    }
  }

  return {
    send: (message) => {
      put(JSON.stringify(message))
      flush()
    },
    answer: (message) => answerText(JSON.stringify(message)),
    answerText,
    flush,
  }
}

export const encodeMessage = ({ event, id, data }: SseFrame): Buffer =>
  textFrame(requestsText({ event, id, data: JSON.stringify(data) }))

/** Reuses the encoded data of a stream's frame. */
export function messageOfChunk(chunk: Buffer): Buffer {
  const { id, event, data = '' } = LINES.exec(chunk.toString())?.groups ?? {}
  return textFrame(requestsText({ event: event ?? '', id: Number(id), data }))
}
const LINES = /^id: (?<id>\d+)\nevent: (?<event>\w+)\ndata: (?<data>[^\n]*)/m

/** A maker's socket pings by itself, and stays open when the requests end. */
export const MESSAGES: Framing = {
  recode: null,
  ping: null,
  comeBack: () => encodeMessage({ event: 'ended', data: { retryMs: retryMs() } }),
  end: (_, over) => over(),
}
