import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { Place } from '../plugins/turn-budget.ts'

/** What comes in on a socket. */
export type FramesIn = {
  /** Lets nothing more in until it goes on. */
  hold: () => void
  goOn: () => void
  /** Counts what the present frame asks for beyond itself as so many frames. */
  weigh: (frames: number) => void
}

type Parts = {
  socket: WebSocket
  connection: Socket
  /** By which budget the next frame is let in, and as whose it waits. */
  place: () => Place
  /** Hears of each frame before it is let in; of one that comes in pieces of each. */
  onFrame: () => void
}

/** Frames of one socket that are let in before other sockets have their turn. */
const MOST_AT_ONCE = 16

const NOTHING = Buffer.alloc(0)

/**
 * Lets in what comes on a socket frame by frame, as far as the budget of the turn goes; beyond it the socket is paused, and what
 * comes stays in the kernel. The library of WebSockets would take, and answer, all that has arrived in the same turn: what it
 * reads from the connection it is handed here. Control frames and fragments are frames, too.
 */
export function letFramesIn({ socket, connection, place, onFrame }: Parts): FramesIn {
  const [readByLibrary] = connection.listeners('data') as [(bytes: Buffer) => void]
  const frames = createFrames()
  let letIn = 0
  let isHeld = false
  /** Whether frames are let in at this moment, or wait for their turn. */
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
    if (!socket.isPaused) socket.pause()
    const { turns, client } = place()
    turns.later(client(), take)
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
    if (!isHeld) goOn()
  })
  // After a broken frame the library reads no more.
  socket.on('error', () => {
    isOver = true
  })
  // What is unread when the connection is gone the library would take at once.
  connection.prependListener('close', () => {
    isOver = true
    connection.read()
  })

  return {
    hold: () => {
      isHeld = true
      socket.pause()
    },
    goOn,
    weigh: (more) => {
      letIn += more
    },
  }
}

/**
 * Divides bytes into frames. One of which not all has come is handed on in pieces: whoever reads it knows how long it may be.
 * @see RFC 6455, section 5.2
 */
export function createFrames(): { add: (bytes: Buffer) => void; next: () => Buffer | null } {
  let bytes: Buffer = NOTHING
  /** What is still to come of a frame whose beginning was handed on. */
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
  }
}

/** How long the frame is that begins here, with its head; null as long as not enough of that has come. */
function lengthOf(bytes: Buffer): number | null {
  if (bytes.length < 2) return null
  const second = bytes.readUInt8(1)
  const headBytes = 2 + (second & 0x80 ? 4 : 0)
  const short = second & 0x7f
  if (short < 126) return headBytes + short
  if (bytes.length < (short === 126 ? 4 : 10)) return null
  return short === 126 ? headBytes + 2 + bytes.readUInt16BE(2) : headBytes + 8 + Number(bytes.readBigUInt64BE(2))
}
