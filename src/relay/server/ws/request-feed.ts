import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { RequestKind } from '../../core/ports/live.ts'
import type { Stop } from '../../core/ports/runtime.ts'
import type { RouteContext } from '../route-context.ts'
import type { EventStream } from '../sse/event-stream.ts'
import { MESSAGES } from './frame.ts'

/** Without `lastEventId` the feed begins with a snapshot. */
export type FeedStart = { lastEventId: number | null; hears: RequestKind }

export type RequestFeed = ReturnType<typeof createRequestFeed>

/** Least time between two feeds on a socket: a snapshot costs more than the message that asks for it. */
const BEGIN_EVERY_MS = 1_000

type Parts = {
  context: Pick<RouteContext, 'relay' | 'makerHub' | 'feedPace' | 'streams' | 'clock' | 'log'>
  makerId: string
  address: string
  connection: Socket
}

/** Has the hub, the bounds and the count of makers of a stream. Subscribes first, like a stream. */
export function createRequestFeed(parts: Parts) {
  const { makerId, address, connection } = parts
  const { relay, makerHub, feedPace, streams, clock, log } = parts.context
  let phase: 'off' | 'waiting' | 'opening' | 'ending' | 'on' | 'stopped' = 'off'
  let stream: EventStream | null = null
  let notBefore = 0
  let stopWaiting: Stop = () => {}
  /** Asked for while the previous feed was ending. */
  let next: FeedStart | null = null

  async function open({ lastEventId, hears }: FeedStart): Promise<void> {
    const hearing = { way: 'socket', hears } as const
    phase = 'opening'
    notBefore = clock.now() + BEGIN_EVERY_MS
    const subscription = makerHub.subscribe(makerId, hearing)
    let leaveFeed: Stop = () => {}
    const onEnd = () => {
      leaveFeed()
      subscription.leave()
      stream = null
      if (phase === 'stopped') return
      phase = 'off'
      const asked = next
      next = null
      if (asked !== null) begin(asked)
    }
    try {
      const opening = await relay.openMakerFeed(lastEventId)
      leaveFeed = await relay.joinMakerStream(makerId, { connectionId: randomUUID(), hears })
      if (phase !== 'opening') return onEnd()
      phase = 'on'
      stream = streams.open({
        channel: 'maker_stream',
        connection: { socket: connection, framing: MESSAGES },
        opening: makerHub.framesOf(hearing, opening, { makerId, now: relay.now() }),
        onEnd,
      })
      subscription.follow(opening.position, stream)
    } catch (fault) {
      if (!(fault instanceof RfqError)) log.error('maker_requests_failed', { fault })
      if (phase === 'opening') connection.write(MESSAGES.comeBack())
      onEnd()
    }
  }

  /** Begins after an event, or with a snapshot (decision M1). A feed that has begun continues as it is. */
  function begin(from: FeedStart): void {
    if (phase === 'ending') next = from
    if (phase !== 'off') return
    phase = 'waiting'
    if (clock.now() >= notBefore) pace(from)
    else stopWaiting = clock.schedule(notBefore, () => pace(from))
  }

  function pace(from: FeedStart): void {
    const events = makerHub.countFrom(from.lastEventId)
    stopWaiting = feedPace(relay.openMode ? address : makerId, events, () => void open(from))
  }

  return {
    begin,
    end: (): void => {
      next = null
      stopWaiting()
      if (phase === 'waiting') phase = 'off'
      if (phase === 'opening' || phase === 'on') phase = 'ending'
      stream?.end()
    },
    /** Writes nothing more: the socket is closed, or about to be. */
    stop: (): void => {
      phase = 'stopped'
      next = null
      stopWaiting()
      stream?.abandon()
    },
  }
}
