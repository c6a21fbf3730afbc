import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Operations, OperatorNews, OperatorOpening, Standing } from '../../relay/operations.ts'
import type { Stop } from '../../relay/ports/runtime.ts'
import {
  happenedFrame,
  healthFrame,
  makerStandingFrame,
  operatorConnectedFrame,
  operatorSnapshotEndFrame,
  operatorSnapshotFrame,
  requestStandingFrame,
  seriesProgressFrame,
} from '../../wire/operator-stream.ts'
import type { SseFrame } from '../../wire/sse.ts'
import { clientAddressOf } from '../client-address.ts'
import { lastEventIdOf } from '../headers.ts'
import type { RouteContext } from '../route-context.ts'
import { encodeFrame, withRetry } from './frame.ts'
import { answeredHead, startEventStream } from './start-stream.ts'

/** Hears each frame, the same buffer for everyone; `id` is null for a standing, which has no place in the audit log. */
export type OperatorListener = (id: number | null, frame: Buffer) => void

/** Fans the operator's feed out to all its streams of this process. */
export type OperatorHub = { subscribe: (listener: OperatorListener) => Stop }

/** A hub that looks at the feed while someone listens, and encodes each frame once. */
export function createOperatorHub({ feed }: Pick<Operations, 'feed'>): OperatorHub {
  const listeners = new Set<OperatorListener>()
  let leaveFeed = () => {}

  function fanOut(news: OperatorNews): void {
    for (const { id = null, ...frame } of framesOf(news)) {
      const buffer = encodeFrame(id === null ? frame : { ...frame, id })
      for (const listener of listeners) listener(id, buffer)
    }
  }

  return {
    subscribe: (onFrame) => {
      const listener: OperatorListener = (id, frame) => onFrame(id, frame)
      listeners.add(listener)
      if (listeners.size === 1) leaveFeed = feed.listen(fanOut)
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) leaveFeed()
      }
    },
  }
}

/**
 * An operator's stream: how things stand, then what happens. Listens first, like a maker's stream, so that nothing falls
 * between the two; a slow reader is dropped like any other (decisions O1, M2).
 */
export async function serveOperatorStream(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { relay, operations, operatorHub, streams, limits } = context
  if (answeredHead(request, reply)) return
  const release = limits.take({ apiKey: null, address: clientAddressOf(request) })
  const early: Parameters<OperatorListener>[] = []
  let deliver: OperatorListener = (id, frame) => void early.push([id, frame])
  const leaveHub = operatorHub.subscribe((id, frame) => deliver(id, frame))
  try {
    const opening = await operations.feed.open(lastEventIdOf(request))
    const { chainId } = relay.environment
    const connected = operatorConnectedFrame({ serverTime: relay.now(), mode: relay.mode, chainId })
    const stream = streams.open({
      channel: 'operator_stream',
      connection: startEventStream(reply),
      opening: openingBuffers(opening, connected),
      onEnd: () => {
        leaveHub()
        release()
      },
    })
    deliver = (id, frame) => {
      if (id === null || id > opening.position) stream.send(frame)
    }
    for (const [id, frame] of early.splice(0)) deliver(id, frame)
  } catch (fault) {
    leaveHub()
    release()
    throw fault
  }
}

function* openingBuffers(opening: OperatorOpening, connected: SseFrame): Iterator<Buffer> {
  yield encodeFrame(withRetry(connected))
  for (const frame of openingFrames(opening)) yield encodeFrame(frame)
}

/** Made one by one as the reader takes them: a snapshot of many requests holds no one up. */
function* openingFrames(opening: OperatorOpening): Generator<SseFrame, void> {
  if (opening.kind === 'replay') {
    for (const event of opening.missed) yield happenedFrame(event)
    yield* standingFrames(opening.standing)
    return
  }
  yield operatorSnapshotFrame(opening.openRequests)
  // The audit log comes first: what it tells of an open request is corrected by how the request stands.
  for (const event of opening.recent) yield happenedFrame(event)
  for (const standing of opening.requests) yield requestStandingFrame(standing)
  yield* standingFrames(opening.standing)
  yield operatorSnapshotEndFrame(opening.position)
}

function* standingFrames({ makers, series, health }: Standing): Generator<SseFrame, void> {
  for (const standing of makers ?? []) yield makerStandingFrame(standing)
  for (const progress of series ?? []) yield seriesProgressFrame(progress)
  yield healthFrame(health)
}

function framesOf(news: OperatorNews): SseFrame[] {
  switch (news.kind) {
    case 'happened':
      return news.events.map(happenedFrame)
    case 'makers':
      return news.makers.map(makerStandingFrame)
    case 'series':
      return news.series.map(seriesProgressFrame)
    case 'health':
      return [healthFrame(news.health)]
  }
}
