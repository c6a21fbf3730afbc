import type { Socket } from 'node:net'

/** How long a reader may drain nothing, in milliseconds. */
const MAX_STALL_MS = 30_000

/** Looks at a connection from time to time, at Unix milliseconds, and says whether its reader has stood still too long. */
export type StallWatch = (now: number) => boolean

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
