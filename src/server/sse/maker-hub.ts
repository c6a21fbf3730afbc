import type { Stop } from '../../relay/ports/clock.ts'
import type { MakerEvent } from '../../relay/ports/maker-feed.ts'
import type { Relay } from '../../relay/relay.ts'
import { quoteRequestExpiredFrame, quoteRequestFrame } from '../../wire/maker-stream.ts'
import { encodeSseFrame } from '../../wire/sse.ts'

/** Takes the frame of an event, which is the same buffer for everyone. */
type Send = (frame: Buffer) => void

/** A stream's place in the hub. Until it follows, what happens is kept for it. */
export type HubSeat = {
  /** Sends what comes, and came meanwhile, after the event of this id. */
  follow: (position: number, send: Send) => void
  leave: Stop
}

/** Fans the maker feed out to all streams of this process. */
export type MakerHub = {
  join: () => HubSeat
  /** The frame of an event, made once. */
  frameOf: (event: MakerEvent) => Buffer
  stop: Stop
}

/** A hub over the relay's feed. Each event starts at another stream, so that no maker is always first (ruling M2). */
export function createMakerHub(relay: Pick<Relay, 'listenMakerFeed'>): MakerHub {
  const frames = new WeakMap<MakerEvent, Buffer>()
  const seats: Seat[] = []
  let first = 0

  function frameOf(event: MakerEvent): Buffer {
    const made = frames.get(event) ?? Buffer.from(encodeEvent(event))
    frames.set(event, made)
    return made
  }

  function fanOut(event: MakerEvent): void {
    const count = seats.length
    if (count === 0) return
    const frame = frameOf(event)
    first = (first + 1) % count
    for (let i = first; i < count; i += 1) pass(seats[i], event.id, frame)
    for (let i = 0; i < first; i += 1) pass(seats[i], event.id, frame)
  }

  function leave(seat: Seat): void {
    if (seat.index < 0) return
    const last = seats.pop() as Seat
    last.index = seat.index
    if (last !== seat) seats[seat.index] = last
    seat.index = -1
  }

  return {
    join: () => {
      let early: (readonly [id: number, frame: Buffer])[] = []
      const seat: Seat = {
        index: seats.length,
        position: Number.NEGATIVE_INFINITY,
        send: (frame, id) => void early.push([id, frame]),
      }
      seats.push(seat)
      return {
        follow: (position, send) => {
          seat.position = position
          seat.send = send
          for (const [id, frame] of early) if (id > position) send(frame)
          early = []
        },
        leave: () => leave(seat),
      }
    },
    frameOf,
    stop: relay.listenMakerFeed(fanOut),
  }
}

/**
 * Flat, and called without a closure between: each step on the way to a socket is memory that no cache holds when there are
 * 5,000 streams, and three of them were 17 % of a broadcast.
 */
type Seat = { index: number; position: number; send: (frame: Buffer, id: number) => void }

function pass(seat: Seat | undefined, id: number, frame: Buffer): void {
  if (seat !== undefined && id > seat.position) seat.send(frame, id)
}

const encodeEvent = (event: MakerEvent): string =>
  encodeSseFrame(
    event.kind === 'quote_request'
      ? quoteRequestFrame(event.id, event.request)
      : quoteRequestExpiredFrame(event.id, event.requestId),
  )
