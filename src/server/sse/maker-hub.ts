import type { Clock, Stop } from '../../relay/ports/clock.ts'
import type { MakerEvent } from '../../relay/ports/maker-feed.ts'
import type { Relay } from '../../relay/relay.ts'
import { quoteRequestExpiredFrame, quoteRequestFrame } from '../../wire/maker-stream.ts'
import { encodeSseFrame } from '../../wire/sse.ts'
import { byTurn } from './by-turn.ts'
import type { EventStream } from './event-stream.ts'
import { createFanOut } from './fan-out.ts'

/** A stream's place in the hub. Until it follows, what happens is kept for it. */
export type HubSeat = {
  /** Sends what comes, and came meanwhile, after the event of this id. */
  follow: (position: number, stream: EventStream) => void
  leave: Stop
}

/** Fans the maker feed out to all streams of this process. */
export type MakerHub = {
  join: () => HubSeat
  /** The frame of an event, made once. */
  frameOf: (event: MakerEvent) => Buffer
  stop: Stop
}

/**
 * A hub over the relay's feed. What happens in a turn of the event loop is told together, after its answers: with 5,000
 * streams it would keep the taker that opened a request, or the two of a trade, waiting for 30 ms.
 */
export function createMakerHub({
  relay,
  clock,
}: {
  relay: Pick<Relay, 'listenMakerFeed'>
  clock: Pick<Clock, 'afterTurn'>
}): MakerHub {
  const frames = new WeakMap<MakerEvent, Buffer>()
  const following = byTurn(createFanOut(), clock)
  const waiting = new Set<(id: number, frame: Buffer) => void>()
  let newest = Number.NEGATIVE_INFINITY

  function frameOf(event: MakerEvent): Buffer {
    const made = frames.get(event) ?? ownBytes(encodeEvent(event))
    frames.set(event, made)
    return made
  }

  function fanOut(event: MakerEvent): void {
    const frame = frameOf(event)
    newest = event.id
    following.send(frame)
    for (const take of waiting) take(event.id, frame)
  }

  return {
    join: () => {
      let early: (readonly [id: number, frame: Buffer])[] = []
      let take = (id: number, frame: Buffer) => void early.push([id, frame])
      const wait = (id: number, frame: Buffer) => take(id, frame)
      let leave: Stop = () => void waiting.delete(wait)
      waiting.add(wait)
      return {
        follow: (position, stream) => {
          const goOn = () => {
            waiting.delete(wait)
            leave = following.add(stream)
          }
          // The opening may have told of events that are still on their way here, from another node.
          take = (id, frame) => {
            if (id <= position) return
            stream.send(frame)
            goOn()
          }
          for (const [id, frame] of early) if (id > position) stream.send(frame)
          early = []
          if (newest >= position) goOn()
        },
        leave: () => leave(),
      }
    },
    frameOf,
    stop: relay.listenMakerFeed(fanOut),
  }
}

/**
 * Text in memory of its own. A small buffer of Node's is a piece of 8 KiB that it shares with what comes and goes beside it:
 * the feed remembers 10,000 events, and would keep 80 MB for the 5 MB of their frames.
 */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

const encodeEvent = (event: MakerEvent): string =>
  encodeSseFrame(
    event.kind === 'quote_request'
      ? quoteRequestFrame(event.id, event.request)
      : quoteRequestExpiredFrame(event.id, event.requestId),
  )
