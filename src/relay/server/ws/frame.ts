import { requestsText } from '@rfqctl/protocol/wire/maker-stream'
import type { SseFrame } from '@rfqctl/protocol/wire/sse'
import type { Hold } from '../sse/fan-out.ts'
import { type Framing, retryMs } from '../sse/frame.ts'

/**
 * Requests are written past the library of WebSockets, as events are past the HTTP layer: one buffer to all readers. Each is a
 * whole frame, so that the library's own go in between.
 * @see RFC 6455, section 5.2
 */

/** The first byte of a text that is one frame. */
const WHOLE_TEXT = 0x81

/** The longest text whose length is one byte; of longer ones two or eight follow. */
const MAX_SHORT = 125
const MAX_MEDIUM = 0xffff

/** A text as the frame of a message, in memory of its own. */
const textFrame = (text: string): Buffer => textFrames([text])

/** Texts as the frames of messages, in one piece. */
function textFrames(texts: readonly string[]): Buffer {
  let bytes = 0
  for (const text of texts) {
    const length = Buffer.byteLength(text)
    bytes += headBytes(length) + length
  }
  const frames = Buffer.allocUnsafeSlow(bytes)
  let at = 0
  for (const text of texts) {
    const length = Buffer.byteLength(text)
    at = writeHead(frames, at, length)
    at += frames.write(text, at)
  }
  return frames
}

const headBytes = (length: number): number => (length <= MAX_SHORT ? 2 : length <= MAX_MEDIUM ? 4 : 10)

/** Writes the head of a frame and returns where its text begins. */
function writeHead(frames: Buffer, at: number, length: number): number {
  frames[at] = WHOLE_TEXT
  if (length <= MAX_SHORT) return frames.writeUInt8(length, at + 1)
  frames[at + 1] = length <= MAX_MEDIUM ? 126 : 127
  return length <= MAX_MEDIUM ? frames.writeUInt16BE(length, at + 2) : frames.writeBigUInt64BE(BigInt(length), at + 2)
}

/** Characters of answers that are held at most. */
const MAX_UNSENT = 64 * 1024

/** What is said on one socket. It arrives in the order in which it was said. */
type Outbox = {
  /** Leaves at once. */
  send: (message: object) => void
  /** Leaves with what else is answered soon, and before it is too much: a write to the system costs more than a quote does. */
  answer: (message: object) => void
  /** Lets go what has not left. */
  flush: () => void
}

/** Messages as frames; `write` is given those that leave together. */
export function createOutbox({ hold, write }: { hold: Hold; write: (frames: Buffer) => void }): Outbox {
  let unsent: string[] = []
  let unsentLength = 0

  function put(message: object): void {
    const text = JSON.stringify(message)
    unsent.push(text)
    unsentLength += text.length
  }

  function flush(): void {
    if (unsent.length === 0) return
    const texts = unsent
    unsent = []
    unsentLength = 0
    write(textFrames(texts))
  }

  return {
    send: (message) => {
      put(message)
      flush()
    },
    answer: (message) => {
      put(message)
      if (unsentLength >= MAX_UNSENT) flush()
      else hold(flush)
    },
    flush,
  }
}

/** An event of the maker stream as a message. */
export const encodeMessage = ({ event, id, data }: SseFrame): Buffer =>
  textFrame(requestsText({ event, id, data: JSON.stringify(data) }))

/** The same of a frame that was encoded for streams: what it tells is not encoded again. */
export function messageOfChunk(chunk: Buffer): Buffer {
  const { id, event, data = '' } = LINES.exec(chunk.toString())?.groups ?? {}
  return textFrame(requestsText({ event: event ?? '', id: Number(id), data }))
}
const LINES = /^id: (?<id>\d+)\nevent: (?<event>\w+)\ndata: (?<data>[^\n]*)/m

/** Frames that are messages on a maker's socket, which pings by itself and goes on when the requests end. */
export const MESSAGES: Framing = {
  recode: null,
  ping: null,
  comeBack: () => encodeMessage({ event: 'ended', data: { retryMs: retryMs() } }),
  end: (_, over) => over(),
}
