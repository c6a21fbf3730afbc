import type { QuoteRequest } from '../../domain/request.ts'
import type { MakerEvent } from '../../relay/ports/live.ts'
import type { Clock, Stop } from '../../relay/ports/runtime.ts'
import type { Relay } from '../../relay/relay.ts'
import { quoteRequestExpiredFrame, quoteRequestFrame } from '../../wire/maker-stream.ts'
import { encodeSseFrame, type SseFrame } from '../../wire/sse.ts'
import type { EventStream } from './event-stream.ts'
import { batchPerTick, createFanOut } from './fan-out.ts'
import { chunkOf } from './frame.ts'

/** A stream's subscription to the hub. Until it follows, what happens is kept for it. */
export type HubSubscription = {
  /** Sends what comes, and came meanwhile, after the event of this id. */
  follow: (position: number, stream: EventStream) => void
  leave: Stop
}

/** Fans the maker feed out to all streams of this process. */
export type MakerHub = {
  subscribe: () => HubSubscription
  /** The frame of an event, made once. */
  frameOf: (event: MakerEvent) => Buffer
  /** The frame of an open request, the same in every snapshot and as its event. */
  requestFrameOf: (id: number, request: QuoteRequest) => Buffer
  stop: Stop
}

/**
 * A hub over the relay's feed. What happens in a tick of the event loop is told together, after its answers: with 5,000
 * streams it would keep the taker that opened a request, or the two of a trade, waiting for 30 ms.
 */
export function createMakerHub({
  relay,
  clock,
}: {
  relay: Pick<Relay, 'listenMakerFeed'>
  clock: Pick<Clock, 'afterTurn'>
}): MakerHub {
  const frames = new WeakMap<QuoteRequest | MakerEvent, { id: number; frame: Buffer }>()
  const following = batchPerTick(createFanOut(), clock)
  const waiting = new Set<(id: number, frame: Buffer) => void>()
  let newest = Number.NEGATIVE_INFINITY

  /** Told again under another id when the live market was lost. */
  function cached(item: QuoteRequest | MakerEvent, id: number, frameOf: () => SseFrame): Buffer {
    const known = frames.get(item)
    if (known?.id === id) return known.frame
    const frame = ownBytes(chunkOf(encodeSseFrame(frameOf())))
    frames.set(item, { id, frame })
    return frame
  }

  const requestFrameOf = (id: number, request: QuoteRequest) =>
    cached(request, id, () => quoteRequestFrame(id, request))

  const frameOf = (event: MakerEvent) =>
    event.kind === 'quote_request'
      ? requestFrameOf(event.id, event.request)
      : cached(event, event.id, () => quoteRequestExpiredFrame(event.id, event.requestId))

  function fanOut(event: MakerEvent): void {
    const frame = frameOf(event)
    newest = event.id
    following.send(frame)
    for (const take of waiting) take(event.id, frame)
  }

  return {
    subscribe: () => {
      let early: (readonly [id: number, frame: Buffer])[] = []
      let take = (id: number, frame: Buffer) => void early.push([id, frame])
      const wait = (id: number, frame: Buffer) => take(id, frame)
      let leave: Stop = () => void waiting.delete(wait)
      waiting.add(wait)
      return {
        follow: (position, stream) => {
          const joinFanOut = () => {
            waiting.delete(wait)
            leave = following.add(stream)
          }
          // The opening may have told of events that are still on their way here, from another node.
          take = (id, frame) => {
            if (id <= position) return
            stream.send(frame)
            joinFanOut()
          }
          for (const [id, frame] of early) if (id > position) stream.send(frame)
          early = []
          if (newest >= position) joinFanOut()
        },
        leave: () => leave(),
      }
    },
    frameOf,
    requestFrameOf,
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
