import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Clock, Stop } from '../../core/ports/runtime.ts'
import { onConnection } from '../connections.ts'

/** Checks a connection from time to time, at Unix milliseconds: whether its reader has stood still too long. */
export type StallWatch = (now: number) => boolean

/** Ends connections whose answers no one reads. */
export type UnreadAnswers = {
  /** Leaves a connection to whoever writes to it from now on. */
  leave: (socket: Socket) => void
  stop: Stop
}

/** How long a reader may drain nothing, in milliseconds. */
const MAX_STALL_MS = 30_000

/** How often connections are checked, in milliseconds. */
const CHECK_INTERVAL_MS = 5_000

/** Answers that may wait behind one that is not read, and their bytes; asking ahead that far is no honest client's way. */
const MAX_WAITING = 64
const MAX_WAITING_BYTES = 256 * 1024

/**
 * Bounds what is kept for a client that does not read: a connection whose answer drains nothing for half a minute is ended,
 * and so is one on which too much was asked ahead.
 */
export function boundUnreadAnswers(app: FastifyInstance, clock: Clock): UnreadAnswers {
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

  /** The answers of a connection that wait for their turn: they have no socket yet. */
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
    // What was sent together is read to its end, also once no one can be answered any more.
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
    leave: (socket) => void open.delete(socket),
    stop: () => stopChecking(),
  }
}

/** A watch over what is written to a socket; every byte that the system takes is progress. */
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

/** What the system has not yet taken of the write that it was given last: Node tells of a write only when it is done. */
function underWay(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } | null }
  return handle?.writeQueueSize ?? 0
}

const lengthOf = (payload: unknown): number =>
  typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
