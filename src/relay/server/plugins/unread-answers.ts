import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../core/ports/runtime.ts'
import { onConnection } from '../connections.ts'

/** Whether the reader has stalled too long; called from time to time with Unix milliseconds. */
export type StallWatch = (now: number) => boolean

/** A reader must drain something within this time. */
const MAX_STALL_MS = 30_000

const CHECK_INTERVAL_MS = 5_000

/** Answers that may wait behind an unread one, and their bytes; no honest client asks that far ahead. */
const MAX_WAITING = 64
const MAX_WAITING_BYTES = 256 * 1024

/**
 * Ends a connection whose answer drains nothing for half a minute, or on which too much is asked ahead: both make the
 * relay keep answers for a client that does not read.
 */
export function boundUnreadAnswers(app: FastifyInstance, clock: Clock) {
  const open = new Map<Socket, StallWatch>()
  const waiting = new WeakMap<Socket, ServerResponse[]>()

  onConnection(app.server, (socket) => {
    open.set(socket, createStallWatch(socket))
    socket.once('close', () => open.delete(socket))
  })

  function checkAll(): void {
    const now = clock.now()
    for (const [socket, isStalled] of open) if (isStalled(now)) socket.destroy()
    stopChecking = clock.schedule(now + CHECK_INTERVAL_MS, checkAll)
  }
  let stopChecking = clock.schedule(clock.now() + CHECK_INTERVAL_MS, checkAll)

  /** Answers that wait for their turn have no socket yet. */
  const waitingOn = (socket: Socket) => (waiting.get(socket) ?? []).filter((answer) => answer.socket === null)

  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = reply
    const { socket } = request.raw
    if (raw.socket === null && !socket.destroyed) {
      const answers = [...waitingOn(socket), raw]
      waiting.set(socket, answers)
      if (answers.length > MAX_WAITING) socket.destroy()
    }
    if (!socket.destroyed) done()
    // Requests that arrived together are all parsed, even once none can be answered.
    else reply.hijack()
  })
  app.addHook('onSend', (request, { raw }, payload, done) => {
    if (raw.socket === null) {
      const { socket } = request.raw
      const bytes = waitingOn(socket).reduce((sum, { writableLength }) => sum + writableLength, lengthOf(payload))
      if (bytes > MAX_WAITING_BYTES) socket.destroy()
    }
    done()
  })

  return {
    /** Stops watching a connection that someone else writes to from now on. */
    leave: (socket: Socket) => void open.delete(socket),
    stop: () => stopChecking(),
  }
}

/** Every byte that the system takes is progress. */
export function createStallWatch(socket: Socket): StallWatch {
  let seen = -1
  let seenAt = 0
  return (now) => {
    const drained = socket.bytesWritten - socket.writableLength - underWay(socket)
    if (socket.writableLength > 0 && drained === seen) return now - seenAt >= MAX_STALL_MS
    seen = drained
    seenAt = now
    return false
  }
}

/** Bytes of the last write that the system has not taken yet: Node counts a write only when it is done. */
function underWay(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } | null }
  return handle?.writeQueueSize ?? 0
}

const lengthOf = (payload: unknown): number =>
  typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
