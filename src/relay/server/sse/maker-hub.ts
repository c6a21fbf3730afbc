import { type Audience, isHeardBy } from '@rfqctl/protocol/domain/audience'
import type { QuoteRequest } from '@rfqctl/protocol/domain/request'
import * as wire from '@rfqctl/protocol/wire/maker-stream'
import { encodeSseFrame, type SseFrame } from '@rfqctl/protocol/wire/sse'
import type { MakerEvent, RequestKind } from '../../core/ports/live.ts'
import type { Stop } from '../../core/ports/runtime.ts'
import type { FeedOpening, Relay } from '../../core/relay.ts'
import { hearsOf, kindOf } from '../../core/request-kind.ts'
import { encodeMessage, messageOfChunk } from '../ws/frame.ts'
import type { EventStream } from './event-stream.ts'
import { batchFrames, createFanOut, type Hold } from './fan-out.ts'
import { chunkOf, encodeFrame, ownBytes, withRetry } from './frame.ts'

/** `way` is events of a stream or messages on a socket; `hears` adds requests that not every maker is sent (decisions K4, 0135). */
export type Hearing = { way: 'stream' | 'socket'; hears: RequestKind }
type Way = Hearing['way']

/** Events before `follow` are kept for the stream. */
export type HubSubscription = {
  /** Sends events after this id, including those that came meanwhile. */
  follow: (position: number, stream: EventStream) => void
  leave: Stop
}

export type MakerHub = ReturnType<typeof createMakerHub>

/** Events that the feed's log keeps. */
const MAX_REPLAYED = 10_000

/** `socket` is encoded on first use. */
type Encoded = { id: number; stream: Buffer; socket: Buffer | null }

/**
 * Sends the events of a turn of the event loop together, after its answers: with 5,000 streams, the taker that opened a
 * request, or both sides of a trade, would otherwise wait for 30 ms.
 */
export function createMakerHub(parts: { relay: Pick<Relay, 'listenMakerFeed' | 'countOpen'>; hold: Hold }) {
  const { relay, hold } = parts
  const known = new WeakMap<QuoteRequest | MakerEvent, Encoded>()
  const groups = (['stream', 'socket'] as const).flatMap((way) =>
    KINDS.map((hears) => ({ way, hears, hearers: createHearers(hold) })),
  )
  let newest = Number.NEGATIVE_INFINITY

  /** An item gets another id when the live market was lost. */
  function cached(way: Way, item: QuoteRequest | MakerEvent, { id, encode }: { id: number; encode: () => SseFrame }) {
    let encoded = known.get(item)
    if (encoded?.id !== id) {
      encoded = { id, stream: ownBytes(chunkOf(encodeSseFrame(encode()))), socket: null }
      known.set(item, encoded)
    }
    if (way === 'stream') return encoded.stream
    encoded.socket ??= messageOfChunk(encoded.stream)
    return encoded.socket
  }

  const requestFrameOf = (way: Way, id: number, request: QuoteRequest) =>
    cached(way, request, { id, encode: () => wire.quoteRequestFrame(id, request) })

  const frameOf = (way: Way, event: MakerEvent) =>
    event.kind === 'quote_request'
      ? requestFrameOf(way, event.id, event.request)
      : cached(way, event, { id: event.id, encode: () => wire.quoteRequestExpiredFrame(event.id, event.requestId) })

  function fanOut(event: MakerEvent): void {
    newest = event.id
    const aim = aimOf(event)
    for (const { way, hears, hearers } of groups) {
      if (hearsOf(hears, aim.kind) && hearers.areAny()) hearers.tell(event.id, frameOf(way, event), aim.audience)
    }
  }

  return {
    subscribe: (makerId: string, hearing: Hearing): HubSubscription => {
      const { packages, twoSided } = hearing.hears
      const found = groups.find(
        ({ way, hears }) => way === hearing.way && hears.packages === packages && hears.twoSided === twoSided,
      )
      return (found as (typeof groups)[number]).hearers.join(makerId, () => newest)
    },
    /** The opening of a feed, made as the reader takes it. An event's frame is made once for each way, also live. */
    framesOf: function* (
      { way, hears }: Hearing,
      opening: FeedOpening,
      { makerId, now }: { makerId: string; now: number },
    ): Generator<Buffer, void> {
      const isMeant = ({ kind, audience }: Aim) => hearsOf(hears, kind) && isHeardBy(audience, makerId)
      const encode = way === 'stream' ? encodeFrame : encodeMessage
      const connected = wire.streamConnectedFrame(makerId, now)
      yield encode(way === 'stream' ? withRetry(connected) : connected)
      if (opening.kind === 'replay') {
        for (const event of opening.events) if (isMeant(aimOf(event))) yield frameOf(way, event)
        return
      }
      yield encode(wire.SNAPSHOT_BEGIN_FRAME)
      for (const { id, request } of opening.requests) {
        if (isMeant(aimOfRequest(request))) yield requestFrameOf(way, id, request)
      }
      yield encode(wire.snapshotCompleteFrame(opening.position))
    },
    /** Number of events in an opening: a replay after this id, or a snapshot. */
    countFrom: (lastEventId: number | null): number => {
      const missed = lastEventId === null ? Number.NaN : newest - lastEventId
      return 1 + (missed >= 0 && missed <= MAX_REPLAYED ? missed : relay.countOpen())
    },
    stop: relay.listenMakerFeed(fanOut),
  }
}

/** Every combination of what a stream may ask for. */
const KINDS: readonly RequestKind[] = [true, false].flatMap((packages) =>
  [true, false].map((twoSided) => ({ packages, twoSided })),
)

/** Makers that a request is for: those that asked for its kind, and are in its audience. */
type Aim = { kind: RequestKind; audience: Audience | undefined }

const aimOfRequest = (request: QuoteRequest): Aim => ({ kind: kindOf(request), audience: request.audience })

const aimOf = (event: MakerEvent): Aim =>
  event.kind === 'quote_request'
    ? aimOfRequest(event.request)
    : { kind: { packages: event.ofPackage === true, twoSided: event.twoSided === true }, audience: event.audience }

/** Readers of one kind: `waiting` until their opening is on its way. */
function createHearers(hold: Hold) {
  const following = batchFrames(createFanOut(), hold)
  const waiting = new Map<(id: number, frame: Buffer) => void, string>()
  let subscriptions = 0

  return {
    areAny: () => subscriptions > 0,
    tell: (id: number, frame: Buffer, audience: Audience | undefined): void => {
      const isMeant = (makerId: string) => isHeardBy(audience, makerId)
      following.send(frame, audience === undefined ? undefined : isMeant)
      for (const [take, makerId] of waiting) if (isMeant(makerId)) take(id, frame)
    },
    join: (makerId: string, newest: () => number): HubSubscription => {
      let early: (readonly [id: number, frame: Buffer])[] = []
      let take = (id: number, frame: Buffer) => void early.push([id, frame])
      const wait = (id: number, frame: Buffer) => take(id, frame)
      let leave: Stop = () => void waiting.delete(wait)
      let hasLeft = false
      waiting.set(wait, makerId)
      subscriptions += 1
      return {
        follow: (position, stream) => {
          const joinFanOut = () => {
            waiting.delete(wait)
            leave = following.add(stream, makerId)
          }
          // The opening may cover events of another node that have not arrived here yet.
          take = (id, frame) => {
            if (id <= position) return
            stream.send(frame)
            joinFanOut()
          }
          for (const [id, frame] of early) if (id > position) stream.send(frame)
          early = []
          if (newest() >= position) joinFanOut()
        },
        leave: () => {
          leave()
          if (!hasLeft) subscriptions -= 1
          hasLeft = true
        },
      }
    },
  }
}
