import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FeedOpening } from '../../relay/relay.ts'
import { SNAPSHOT_BEGIN_FRAME, snapshotCompleteFrame, streamConnectedFrame } from '../../wire/maker-stream.ts'
import { clientAddressOf } from '../client-address.ts'
import { lastEventIdOf } from '../headers.ts'
import { makerOf } from '../plugins/maker-auth.ts'
import type { RouteContext } from '../route-context.ts'
import { encodeFrame, withRetry } from './frame.ts'
import type { MakerHub } from './maker-hub.ts'
import { answeredHead, startEventStream } from './start-stream.ts'

/**
 * A maker's stream: listens first, then reads where to start, then lets go what came meanwhile, so that no event falls
 * between the two. Until the head is sent every refusal is a JSON answer.
 */
export async function serveMakerStream(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { relay, makerHub, streams, limits } = context
  const maker = makerOf(request)
  const { makerId, apiKey } = maker
  if (answeredHead(request, reply)) return
  const release = limits.take({ apiKey, address: clientAddressOf(request) })
  const subscription = makerHub.subscribe()
  let leaveFeed = () => {}
  let stopWatching = () => {}
  try {
    const opening = await relay.openMakerFeed(lastEventIdOf(request))
    const connection = startEventStream(reply)
    leaveFeed = relay.joinMakerStream(makerId, randomUUID())
    const stream = streams.open({
      channel: 'maker_stream',
      connection,
      opening: openingFrames(makerHub, opening, encodeFrame(withRetry(streamConnectedFrame(makerId, relay.now())))),
      onEnd: () => {
        stopWatching()
        leaveFeed()
        subscription.leave()
        release()
      },
    })
    stopWatching = relay.watchMaker(maker, () => connection.socket.destroy())
    subscription.follow(opening.position, stream)
  } catch (fault) {
    leaveFeed()
    subscription.leave()
    release()
    throw fault
  }
}

function* openingFrames(hub: MakerHub, opening: FeedOpening, connected: Buffer): Iterator<Buffer> {
  yield connected
  if (opening.kind === 'replay') {
    for (const event of opening.events) yield hub.frameOf(event)
    return
  }
  yield encodeFrame(SNAPSHOT_BEGIN_FRAME)
  for (const { id, request } of opening.requests) yield hub.requestFrameOf(id, request)
  yield encodeFrame(snapshotCompleteFrame(opening.position))
}
