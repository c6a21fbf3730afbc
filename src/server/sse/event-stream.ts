import type { Socket } from 'node:net'
import type { Clock } from '../../relay/ports.ts'

/** One event stream to one reader. Frames are shared buffers: nothing is copied or encoded for a single reader. */
export type EventStream = {
  /** Sends a live frame behind everything before it. A reader that leaves too much unread is dropped (ruling M2). */
  send: (frame: Buffer) => void
  /** Sends a frame only if nothing else is on its way. */
  keepAlive: (frame: Buffer) => void
  /** Drops the reader if it has not drained a byte for too long. */
  checkProgress: () => void
  /** Sends what is queued, then closes. */
  end: () => void
}

/** Why a stream ended: the relay or the reader closed it, or the reader was too slow. */
export type StreamEnd = 'closed' | 'slow'

/** What is written at once; a reader that drains one of these in time makes progress. */
const BATCH_BYTES = 64 * 1024

/** Live events that a reader may leave unread (ruling M2). */
const MAX_QUEUED_BYTES = 1024 * 1024

/** How long a reader may drain nothing, in milliseconds (ruling M2). */
const MAX_STALL_MS = 30_000

/**
 * A stream that starts with `opening`, taken only as fast as the reader drains it, while live frames queue up behind.
 * Written past the HTTP layer, straight to the socket: the head has said that the body ends with the connection.
 */
export function createEventStream({
  socket,
  clock,
  opening,
  onEnd,
}: {
  socket: Socket
  clock: Clock
  opening: Iterator<Buffer>
  onEnd: (why: StreamEnd) => void
}): EventStream {
  let source: Iterator<Buffer> | null = opening
  let queue: Buffer[] = []
  let queuedBytes = 0
  let writingSince: number | null = null
  let ending = false
  let why: StreamEnd = 'closed'

  function write(batch: readonly Buffer[]): void {
    writingSince = clock.now()
    socket.cork()
    batch.forEach((frame, i) => {
      if (i < batch.length - 1) socket.write(frame)
      else socket.write(frame, written)
    })
    socket.uncork()
  }

  function written(fault?: Error | null): void {
    writingSince = null
    if (fault == null) pump()
  }

  function pump(): void {
    const batch = nextBatch()
    if (batch.length > 0) write(batch)
    else if (ending) socket.destroySoon()
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
    return batch
  }

  function drop(): void {
    why = 'slow'
    queue = []
    socket.destroy()
  }

  socket.once('close', () => onEnd(why))
  pump()

  return {
    send: (frame) => {
      if (ending || socket.destroyed) return
      if (writingSince === null) {
        writingSince = clock.now()
        socket.write(frame, written)
        return
      }
      queue.push(frame)
      queuedBytes += frame.length
      if (queuedBytes > MAX_QUEUED_BYTES) drop()
    },
    keepAlive: (frame) => {
      if (writingSince === null && !ending) write([frame])
    },
    checkProgress: () => {
      if (writingSince !== null && clock.now() - writingSince >= MAX_STALL_MS) drop()
    },
    end: () => {
      ending = true
      if (writingSince === null) pump()
    },
  }
}
