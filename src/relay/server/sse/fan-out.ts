import type { Socket } from 'node:net'
import type { Clock, Stop } from '../../core/ports/runtime.ts'
import type { EventStream } from './event-stream.ts'

export type FanOut = {
  /** A reader, by its name. */
  add: (stream: EventStream, name: string) => Stop
  /** Sends to all, or to those whose names are meant. */
  send: (frame: Buffer, isMeant?: (name: string) => boolean) => void
}

/** `place` is its index among the streams that keep up; -1 while it does not. */
type Member = { stream: EventStream; name: string; place: number }

/**
 * Starts each frame at another stream, so that no one is always first (decision M2).
 *
 * The sockets of the streams that keep up are in one array and written to at once. With 5,000 streams every further
 * object on the way to a socket is memory that no cache holds: a subscription, a function and its variables were a
 * quarter of a broadcast's cost outside the system call.
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

  /** Writes to a range of sockets; those whose earlier frames are still on their way go to `slow`. */
  function write(frame: Buffer, from: number, to: number, slow: Member[]): void {
    for (let i = from; i < to; i += 1) {
      const socket = sockets[i] as Socket
      // A write that the system takes at once needs no callback and no queue.
      if (socket.writableLength === 0 && socket.writable) socket.write(frame)
      else slow.push(members[i] as Member)
    }
  }

  function fallBehind(member: Member): void {
    takeOut(member)
    behind.add(member)
  }

  function sendToSome(frame: Buffer, isMeant: (name: string) => boolean): void {
    for (const member of [...members, ...behind].filter(({ name }) => isMeant(name))) {
      // Its stream may queue the frame: the next one must not be written past it.
      if (member.place >= 0) fallBehind(member)
      member.stream.send(frame)
    }
  }

  return {
    add: (stream, name) => {
      const member = { stream, name, place: -1 }
      behind.add(member)
      return () => {
        if (!behind.delete(member) && member.place >= 0) takeOut(member)
      }
    },
    send: (frame, isMeant) => {
      if (isMeant !== undefined) {
        sendToSome(frame, isMeant)
        return
      }
      const slow = [...behind]
      const { length } = sockets
      first = first + 1 < length ? first + 1 : 0
      write(frame, first, length, slow)
      write(frame, 0, first, slow)
      for (const member of slow) {
        if (member.place < 0 && member.stream.isIdle()) keepUp(member)
        else if (member.place >= 0) fallBehind(member)
        member.stream.send(frame)
      }
    },
  }
}

/** Calls `pass` soon, and once however often it is held; what is `first` comes before the rest. */
export type Hold = (pass: () => void, order?: 'first') => void

/** Longest hold in a busy process. */
const MAX_HOLD_MS = 20

/**
 * Holds work that is cheaper together, for one process. It passes as soon as a turn of the event loop brings nothing
 * more to hold, from any source, so a single item does not wait. A busy process passes every 20 ms: a frame to its
 * taker and a write to its maker for each quote would each take a third of its capacity.
 */
export function createHold({ afterTurn, now }: Pick<Clock, 'afterTurn' | 'now'>): Hold {
  let first = new Set<() => void>()
  let held = new Set<() => void>()
  let heldSince = 0
  let isQuiet = true

  function endTurn(): void {
    if (!isQuiet && now() - heldSince < MAX_HOLD_MS) {
      isQuiet = true
      afterTurn(endTurn)
      return
    }
    const due = [first, held]
    first = new Set()
    held = new Set()
    for (const passes of due) for (const pass of passes) pass()
  }

  return (pass, order) => {
    if (first.size + held.size === 0) {
      heldSince = now()
      afterTurn(endTurn)
    }
    isQuiet = false
    if (order === 'first') first.add(pass)
    else held.add(pass)
  }
}

/**
 * Joins held frames into one write. A busy relay opens several requests in a turn of the event loop: a write to each
 * maker for each of them was a tenth of the cost of a round of ten makers.
 */
export function batchFrames(fanOut: FanOut, hold: Hold): FanOut {
  let frames: Buffer[] = []

  function flush(): void {
    const [first, ...others] = frames
    frames = []
    if (first !== undefined) fanOut.send(others.length === 0 ? first : Buffer.concat([first, ...others]))
  }

  return {
    // The opening of a new stream already covers the frames that are still unwritten.
    add: (stream, name) => {
      flush()
      return fanOut.add(stream, name)
    },
    send: (frame, isMeant) => {
      if (isMeant !== undefined) {
        flush()
        fanOut.send(frame, isMeant)
        return
      }
      frames.push(frame)
      // A socket that also has answers to write then writes both at once.
      hold(flush, 'first')
    },
  }
}

/** Only the newest value counts. */
export type Newest<Value> = { push: (value: Value) => void; stop: () => void }

export const createFold =
  (hold: Hold) =>
  <Value>(pass: (value: Value) => void) => {
    let newest: { value: Value } | null = null
    const passNewest = () => {
      const passed = newest
      newest = null
      if (passed !== null) pass(passed.value)
    }
    return {
      push: (value: Value): void => {
        newest = { value }
        hold(passNewest, 'first')
      },
      stop: (): void => {
        newest = null
      },
    }
  }
