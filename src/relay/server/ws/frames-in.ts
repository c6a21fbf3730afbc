import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { Place } from '../plugins/turn-budget.ts'

type Parts = {
  socket: WebSocket
  connection: Socket
  /** Budget of the next frame, and the client that it waits as. */
  place: () => Place
  /** Called for each frame before it is let in, and for each piece of one that comes in pieces. */
  onFrame: () => void
}

/** Frames of one socket that are let in before other sockets have their turn. */
const MOST_AT_ONCE = 16

/** Bytes of one socket that wait without a pause of it: to pause and resume one costs as much as to take a quote. */
const MOST_WAITING = 4 * 1024

const NOTHING = Buffer.alloc(0)

/**
 * Lets frames in one by one, within the budget of the turn; beyond it a few wait here, then the socket is paused, and further
 * bytes stay in the kernel. By itself the WebSocket library would take, and answer, all that has arrived in the same turn. Control
 * frames and fragments are frames, too.
 */
export function letFramesIn({ socket, connection, place, onFrame }: Parts) {
  const [readByLibrary] = connection.listeners('data') as [(bytes: Buffer) => void]
  const frames = createFrames()
  let letIn = 0
  let isHeld = false
  let isAtWork = false
  let isOver = false

  function take(): void {
    isAtWork = true
    const end = letIn + MOST_AT_ONCE
    while (!isHeld && !isOver) {
      if (letIn >= end) {
        wait()
        return
      }
      const bytes = frames.next()
      if (bytes === null) {
        if (socket.isPaused) socket.resume()
        break
      }
      letIn += 1
      onFrame()
      readByLibrary.call(connection, bytes)
    }
    isAtWork = false
  }

  function wait(): void {
    isAtWork = true
    pauseIfMany()
    const { turns, client } = place()
    turns.later(client(), take)
  }

  function pauseIfMany(): void {
    if (!socket.isPaused && frames.waitingBytes() > MOST_WAITING) socket.pause()
  }

  function takeAll(): void {
    for (let bytes = frames.next(); bytes !== null && !isHeld && !isOver; bytes = frames.next()) {
      onFrame()
      readByLibrary.call(connection, bytes)
    }
  }

  function goOn(): void {
    isHeld = false
    if (isAtWork || isOver) return
    if (place().turns.isSpent()) wait()
    else take()
  }

  connection.removeListener('data', readByLibrary)
  connection.on('data', (bytes: Buffer) => {
    if (isOver) return
    frames.add(bytes)
    if (isAtWork) pauseIfMany()
    else if (!isHeld) goOn()
  })
  // Frames before the end of the connection count, such as a signature. A paused one ends later.
  connection.prependListener('end', takeAll)
  // The library reads no more after a broken frame.
  socket.on('error', () => {
    isOver = true
  })
  // The library would take all unread bytes at once when the connection is gone.
  connection.prependListener('close', () => {
    isOver = true
    connection.read()
  })

  return {
    hold: (): void => {
      isHeld = true
      socket.pause()
    },
    goOn,
    /** Counts so many frames more for the present one. */
    weigh: (more: number): void => {
      letIn += more
    },
  }
}

/**
 * Divides bytes into frames. An incomplete frame is passed on in pieces: its reader knows how long it may be.
 * @see RFC 6455, section 5.2
 */
export function createFrames(): {
  add: (bytes: Buffer) => void
  next: () => Buffer | null
  waitingBytes: () => number
} {
  let bytes: Buffer = NOTHING
  /** Bytes to come of a frame whose beginning was passed on. */
  let missing = 0

  return {
    add: (more) => {
      bytes = bytes.length === 0 ? more : Buffer.concat([bytes, more])
    },
    next: () => {
      const length = missing > 0 ? missing : lengthOf(bytes)
      if (length === null || bytes.length === 0) return null
      const piece = bytes.subarray(0, length)
      missing = length - piece.length
      bytes = piece.length === bytes.length ? NOTHING : bytes.subarray(length)
      return piece
    },
    waitingBytes: () => bytes.length,
  }
}

/** Length of the first frame, with its head; null until enough of the head has come. */
function lengthOf(bytes: Buffer): number | null {
  if (bytes.length < 2) return null
  const second = bytes.readUInt8(1)
  const headBytes = 2 + (second & 0x80 ? 4 : 0)
  const short = second & 0x7f
  if (short < 126) return headBytes + short
  if (bytes.length < (short === 126 ? 4 : 10)) return null
  return short === 126 ? headBytes + 2 + bytes.readUInt16BE(2) : headBytes + 8 + Number(bytes.readBigUInt64BE(2))
}
