import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { decodeMakerStreamQuery } from '@rfqctl/protocol/wire/maker-stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientAddressOf } from '../client-address.ts'
import { lastEventIdOf } from '../headers.ts'
import { makerOf } from '../plugins/maker-auth.ts'
import type { RouteContext } from '../route-context.ts'
import { answeredHead, startEventStream } from './start-stream.ts'

/**
 * Subscribes, then reads its position, then releases the events that came meanwhile, so that none is lost in between.
 * Until the head is sent, every refusal is a JSON answer.
 */
export async function serveMakerStream(context: RouteContext, request: FastifyRequest, reply: FastifyReply) {
  const { relay, makerHub, streams, limits } = context
  const maker = makerOf(request)
  const { makerId, apiKey } = maker
  if (answeredHead(request, reply)) return
  const hearing = { way: 'stream', hears: decodeMakerStreamQuery(request.query) } as const
  const address = clientAddressOf(request)
  const release = limits.take({ apiKey, address })
  const lastEventId = lastEventIdOf(request)
  const paced = { maker: relay.openMode ? address : makerId, events: makerHub.countFrom(lastEventId) }
  if (!(await hasTurn(context, paced, request.raw.socket))) {
    release()
    reply.hijack()
    return
  }
  const subscription = makerHub.subscribe(makerId, hearing)
  let leaveFeed = () => {}
  let stopWatching = () => {}
  try {
    const opening = await relay.openMakerFeed(lastEventId)
    leaveFeed = await relay.joinMakerStream(makerId, { connectionId: randomUUID(), hears: hearing.hears })
    const connection = startEventStream(reply)
    const stream = streams.open({
      channel: 'maker_stream',
      connection,
      opening: makerHub.framesOf(hearing, opening, { makerId, now: relay.now() }),
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

/** False when the reader left before its turn. */
function hasTurn(
  { feedPace }: Pick<RouteContext, 'feedPace'>,
  { maker, events }: { maker: string; events: number },
  socket: Socket,
): Promise<boolean> {
  return new Promise((resolve) => {
    const leave = () => {
      stop()
      resolve(false)
    }
    socket.once('close', leave)
    const stop = feedPace(maker, events, () => {
      socket.removeListener('close', leave)
      resolve(!socket.destroyed)
    })
  })
}
