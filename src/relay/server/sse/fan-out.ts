import type { Socket } from 'node:net'
import type { Clock, Stop } from '../../core/ports/runtime.ts'
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

/** Lets something happen soon; what is held already happens once. */
export type Hold = (pass: () => void) => void

/** How long anything is held while there is more to do, in milliseconds. */
const MAX_HOLD_MS = 20

/**
 * Holds what is cheaper together, for one process. It passes as soon as a turn of the event loop brings nothing else to hold, of
 * whatever source: what comes alone waits for nothing. In a process that is busy it passes every 20 ms: a frame to its taker for
 * each quote, and a write to its maker, would each be a third of what it can do.
 */
export function createHold({ afterTurn, now }: Pick<Clock, 'afterTurn' | 'now'>): Hold {
  let held = new Set<() => void>()
  let heldSince = 0
  let isQuiet = true

  function endTurn(): void {
    if (!isQuiet && now() - heldSince < MAX_HOLD_MS) {
      isQuiet = true
      afterTurn(endTurn)
      return
    }
    const due = held
    held = new Set()
    for (const pass of due) pass()
  }

  return (pass) => {
    if (held.size === 0) {
      heldSince = now()
      afterTurn(endTurn)
    }
    isQuiet = false
    held.add(pass)
  }
}

/**
 * A fan-out whose frames are held and written together. A busy relay opens several requests in a turn of the event loop: a write
 * to each maker for each of them was a tenth of what a round of ten makers costs.
 */
export function batchFrames(fanOut: FanOut, hold: Hold): FanOut {
  let frames: Buffer[] = []

  function flush(): void {
    const [first, ...others] = frames
    frames = []
    if (first !== undefined) fanOut.send(others.length === 0 ? first : Buffer.concat([first, ...others]))
  }

  return {
    // Who comes in between has been told already of what is still to be written.
    add: (stream) => {
      flush()
      return fanOut.add(stream)
    },
    send: (frame) => {
      frames.push(frame)
      hold(flush)
    },
  }
}

/** Values of which only the newest counts. */
export type Newest<Value> = {
  push: (value: Value) => void
  /** Forgets what has not been passed on. */
  stop: () => void
}

/** Folds values of many sources: of each only the newest is passed on, when what is held is. */
export const createFold =
  (hold: Hold) =>
  <Value>(pass: (value: Value) => void): Newest<Value> => {
    let newest: { value: Value } | null = null
    const passNewest = () => {
      const passed = newest
      newest = null
      if (passed !== null) pass(passed.value)
    }
    return {
      push: (value) => {
        newest = { value }
        hold(passNewest)
      },
      stop: () => {
        newest = null
      },
    }
  }
