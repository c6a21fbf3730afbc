import type { Stop } from '../../relay/ports/clock.ts'
import type { MakerEvent } from '../../relay/ports/maker-feed.ts'
import type { Relay } from '../../relay/relay.ts'
import { quoteRequestExpiredFrame, quoteRequestFrame } from '../../wire/maker-stream.ts'
import { encodeSseFrame } from '../../wire/sse.ts'

/** Hears each maker event with its frame, which is the same buffer for everyone. */
export type HubListener = (id: number, frame: Buffer) => void

/** Fans the maker feed out to all streams of this process. */
export type MakerHub = {
  join: (listener: HubListener) => Stop
  /** The frame of an event, made once. */
  frameOf: (event: MakerEvent) => Buffer
  stop: Stop
}

/** A hub over the relay's feed. Each event starts at another stream, so that no maker is always first (ruling M2). */
export function createMakerHub(relay: Pick<Relay, 'listenMakerFeed'>): MakerHub {
  const frames = new WeakMap<MakerEvent, Buffer>()
  const seats: { listener: HubListener; index: number }[] = []
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
    for (let i = first; i < count; i += 1) seats[i]?.listener(event.id, frame)
    for (let i = 0; i < first; i += 1) seats[i]?.listener(event.id, frame)
  }

  function leave(seat: { index: number }): void {
    const last = seats.pop()
    if (last === undefined || last === seat) return
    last.index = seat.index
    seats[seat.index] = last
  }

  return {
    join: (listener) => {
      const seat = { listener, index: seats.length }
      seats.push(seat)
      let left = false
      return () => {
        if (!left) leave(seat)
        left = true
      }
    },
    frameOf,
    stop: relay.listenMakerFeed(fanOut),
  }
}

const encodeEvent = (event: MakerEvent): string =>
  encodeSseFrame(
    event.kind === 'quote_request'
      ? quoteRequestFrame(event.id, event.request)
      : quoteRequestExpiredFrame(event.id, event.requestId),
  )
