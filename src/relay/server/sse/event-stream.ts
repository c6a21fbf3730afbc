import type { Socket } from 'node:net'
import { createStallWatch } from '../plugins/unread-answers.ts'
import type { Framing } from './frame.ts'

/** Frames are shared buffers: nothing is copied or encoded for a single reader. */
export type EventStream = ReturnType<typeof createEventStream>

export type StreamConnection = { socket: Socket; framing: Framing }

/** `closed` by the relay or the reader; `slow` when the reader was dropped. */
export type StreamEnd = 'closed' | 'slow'

const BATCH_BYTES = 64 * 1024

/** Live events that a reader may leave unread (decision M2). */
const MAX_QUEUED_BYTES = 1024 * 1024

/**
 * Starts with `opening`, read only as fast as the reader drains it, while live frames queue up behind. Writes straight
 * to the socket, past the HTTP layer or the WebSocket library.
 */
export function createEventStream(parts: {
  connection: StreamConnection
  opening: Iterator<Buffer>
  onEnd: (why: StreamEnd) => void
}) {
  const { opening, onEnd } = parts
  const { socket, framing } = parts.connection
  const { recode } = framing
  let source: Iterator<Buffer> | null = opening
  let queue: Buffer[] = []
  let queuedBytes = 0
  /** The newest superseding frame, sent behind all of the queue once the reader has taken earlier frames. */
  let newest: Buffer | null = null
  const isStalled = createStallWatch(socket)
  let writing = false
  let ending = false
  let gone = false
  let why: StreamEnd = 'closed'

  function write(batch: readonly Buffer[]): void {
    writing = true
    socket.cork()
    batch.forEach((frame, i) => {
      const bytes = recode === null ? frame : recode(frame)
      if (i < batch.length - 1) socket.write(bytes)
      else socket.write(bytes, written)
    })
    socket.uncork()
  }

  function written(fault?: Error | null): void {
    writing = false
    if (fault == null) pump()
  }

  function pump(): void {
    const batch = nextBatch()
    if (batch.length > 0) write(batch)
    else if (ending && !gone) framing.end(socket, abandon)
  }

  function nextBatch(): Buffer[] {
    const batch: Buffer[] = []
    let bytes = 0
    const take = (frame: Buffer) => {
      batch.push(frame)
      bytes += frame.length
    }
    while (source !== null && bytes < BATCH_BYTES) {
      const next = source.next()
      if (next.done) source = null
      else take(next.value)
    }
    const openingBytes = bytes
    while (source === null && queue.length > 0 && bytes < BATCH_BYTES) take(queue.shift() as Buffer)
    queuedBytes -= bytes - openingBytes
    if (source === null && queue.length === 0 && newest !== null) {
      batch.push(newest)
      newest = null
    }
    return batch
  }

  function enqueue(frame: Buffer): void {
    if (newest !== null) queue.push(newest)
    queue.push(frame)
    queuedBytes += frame.length + (newest?.length ?? 0)
    newest = null
    if (queuedBytes > MAX_QUEUED_BYTES) drop()
  }

  function drop(): void {
    why = 'slow'
    gone = true
    queue = []
    socket.destroy()
  }

  function abandon(): void {
    gone = true
    queue = []
    source = null
    newest = null
    finish()
  }

  function finish(): void {
    gone = true
    socket.removeListener('close', finish)
    onEnd(why)
  }

  function send(frame: Buffer): void {
    if (ending || gone) return
    if (writing) enqueue(frame)
    // A write that the system takes at once needs no callback: nearly every frame is one, and there are thousands of
    // readers.
    else if (recode === null && socket.writableLength === 0) socket.write(frame)
    else write([frame])
  }

  function end(): void {
    ending = true
    if (!writing) pump()
  }

  socket.on('close', finish)
  pump()

  return {
    socket,
    /** Whether a frame may go straight to the socket: all earlier ones are written, and the reader takes it unchanged. */
    isIdle: (): boolean => recode === null && !writing && !ending && !gone && socket.writableLength === 0,
    /** Sends a live frame after all earlier ones. A reader that leaves too much unread is dropped (decision M2). */
    send,
    /** Sends a frame that supersedes earlier ones: of several that wait for the reader, only the newest is sent. */
    sendNewest: (frame: Buffer): void => {
      if (ending || gone) return
      if (writing) newest = frame
      else write([frame])
    },
    /** Sends a ping unless something else is on its way. */
    keepAlive: (): void => {
      if (framing.ping !== null && !writing && !ending && !gone) write([framing.ping])
    },
    /** Drops a reader that has drained nothing for too long; called from time to time with Unix milliseconds. */
    checkProgress: (now: number): void => {
      if (isStalled(now)) drop()
    },
    /** Sends the queue, then ends. */
    end,
    /** Sends the queue and the time to come back, then ends. */
    sendAway: (): void => {
      send(framing.comeBack())
      end()
    },
    /** Leaves the connection to others at once, without sending the queue. */
    abandon: (): void => {
      if (!gone) abandon()
    },
  }
}
