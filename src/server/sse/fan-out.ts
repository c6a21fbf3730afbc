import type { Socket } from 'node:net'
import type { Clock, Stop } from '../../relay/ports/runtime.ts'
import type { EventStream } from './event-stream.ts'

/** Streams that all get the same frames. */
export type FanOut = {
  add: (stream: EventStream) => Stop
  send: (frame: Buffer) => void
}

/** A stream and its place among those that keep up; -1 while it does not. */
type Member = { stream: EventStream; place: number }

/**
 * Writes a frame to many streams, starting at another one each time, so that no one is always first (decision M2).
 *
 * The sockets of the streams that keep up stand side by side and are written to at once. With 5,000 streams every further
 * object on the way to a socket is memory that no cache holds: a subscription, a function and its variables were a quarter of what
 * a broadcast takes outside the system call.
 */
export function createFanOut(): FanOut {
  const members: Member[] = []
  const sockets: Socket[] = []
  const behind = new Set<Member>()
  let first = 0

  function keepUp(member: Member): void {
    behind.delete(member)
    member.place = members.push(member) - 1
    sockets.push(member.stream.socket)
  }

  /** The last one takes the place of the one that leaves. */
  function takeOut(member: Member): void {
    const last = members.pop() as Member
    const socket = sockets.pop() as Socket
    if (last !== member) {
      members[member.place] = last
      sockets[member.place] = socket
      last.place = member.place
    }
    member.place = -1
  }

  /** Writes to the sockets from one place to another; whose former frames are still on their way falls behind. */
  function write(frame: Buffer, from: number, to: number, slow: Member[]): void {
    for (let i = from; i < to; i += 1) {
      const socket = sockets[i] as Socket
      // What the system takes at once needs no callback and no queue.
      if (socket.writableLength === 0 && socket.writable) socket.write(frame)
      else slow.push(members[i] as Member)
    }
  }

  return {
    add: (stream) => {
      const member = { stream, place: -1 }
      behind.add(member)
      return () => {
        if (!behind.delete(member) && member.place >= 0) takeOut(member)
      }
    },
    send: (frame) => {
      const slow = [...behind]
      const { length } = sockets
      first = first + 1 < length ? first + 1 : 0
      write(frame, first, length, slow)
      write(frame, 0, first, slow)
      for (const member of slow) {
        if (member.place < 0 && member.stream.isIdle()) keepUp(member)
        else if (member.place >= 0) {
          takeOut(member)
          behind.add(member)
        }
        member.stream.send(frame)
      }
    },
  }
}

/**
 * A fan-out whose frames of one tick of the event loop are written together, after it. A busy relay opens several requests
 * in a tick: a write to each maker for each of them was 4 to 9 % of what a round of ten makers costs.
 */
export function batchPerTick(fanOut: FanOut, { afterTurn }: Pick<Clock, 'afterTurn'>): FanOut {
  let frames: Buffer[] = []

  function flush(): void {
    const [first, ...others] = frames
    frames = []
    if (first !== undefined) fanOut.send(others.length === 0 ? first : Buffer.concat([first, ...others]))
  }

  return {
    // Who comes in the middle of a tick has been told already of what is still to be written.
    add: (stream) => {
      flush()
      return fanOut.add(stream)
    },
    send: (frame) => {
      if (frames.push(frame) === 1) afterTurn(flush)
    },
  }
}

/** Values of which only the newest counts. */
export type Newest<Value> = {
  push: (value: Value) => void
  /** Forgets what has not been passed on. */
  stop: () => void
}

/** How long a value may be held while there is more to do, in milliseconds. */
const MAX_FOLD_MS = 20

/**
 * Folds values of many sources, for one process. A value is passed on as soon as a turn of the event loop brings no other one,
 * of whatever source: one that comes alone waits for nothing. A process that is busy passes on only the newest of each source,
 * every 20 ms: a frame for each quote would be a third of what it can do.
 */
export function createFold({
  afterTurn,
  now,
}: Pick<Clock, 'afterTurn' | 'now'>): <Value>(pass: (value: Value) => void) => Newest<Value> {
  /** What passes on each value that is held. */
  let held = new Set<() => void>()
  let heldSince = 0
  let isQuiet = true

  function endTurn(): void {
    if (!isQuiet && now() - heldSince < MAX_FOLD_MS) {
      isQuiet = true
      afterTurn(endTurn)
      return
    }
    const due = held
    held = new Set()
    for (const pass of due) pass()
  }

  return <Value>(pass: (value: Value) => void): Newest<Value> => {
    let newest: { value: Value } | null = null
    const passNewest = () => {
      const passed = newest
      newest = null
      if (passed !== null) pass(passed.value)
    }
    return {
      push: (value) => {
        if (held.size === 0) {
          heldSince = now()
          afterTurn(endTurn)
        }
        isQuiet = false
        newest = { value }
        held.add(passNewest)
      },
      stop: () => {
        newest = null
      },
    }
  }
}
