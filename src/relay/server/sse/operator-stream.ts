import * as wire from '@rfqctl/protocol/wire/operator-stream'
import type { SseFrame } from '@rfqctl/protocol/wire/sse'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Operations, OperatorNews, OperatorOpening, OperatorState } from '../../core/operations.ts'
import type { Stop } from '../../core/ports/runtime.ts'
import { clientAddressOf } from '../client-address.ts'
import { lastEventIdOf } from '../headers.ts'
import type { RouteContext } from '../route-context.ts'
import type { Hold } from './fan-out.ts'
import { encodeFrame, encodeFrames, withRetry } from './frame.ts'
import { answeredHead, startEventStream } from './start-stream.ts'

/** `whole` is all the news, encoded once for every reader. News without an id is a state, not in the audit log. */
type OperatorListener = (news: readonly SseFrame[], whole: Buffer) => void

export type OperatorHub = { subscribe: (listener: OperatorListener) => Stop }

/**
 * Listens to the feed only while someone watches. News is held, encoded once and written in one piece: a write to each
 * watcher for each quote would cost more than the quotes.
 */
export function createOperatorHub({ feed, hold }: Pick<Operations, 'feed'> & { hold: Hold }): OperatorHub {
  const listeners = new Set<OperatorListener>()
  let held: OperatorNews[] = []
  let leaveFeed = () => {}

  function pass(): void {
    const news = held.flatMap(framesOf)
    held = []
    if (news.length === 0 || listeners.size === 0) return
    const whole = encodeFrames(news)
    for (const listener of listeners) listener(news, whole)
  }

  function take(news: OperatorNews): void {
    held.push(news)
    hold(pass)
  }

  return {
    subscribe: (onNews) => {
      // A new watcher's state already covers the held news.
      pass()
      const listener: OperatorListener = (news, whole) => onNews(news, whole)
      listeners.add(listener)
      if (listeners.size === 1) leaveFeed = feed.listen(take)
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) leaveFeed()
      }
    },
  }
}

/**
 * Sends the state, then events. Subscribes first, like a maker's stream, so that nothing is lost in between; a slow
 * reader is dropped like any other (decisions O1, M2).
 */
export async function serveOperatorStream(context: RouteContext, request: FastifyRequest, reply: FastifyReply) {
  const { relay, operations, operatorHub, streams, limits } = context
  if (answeredHead(request, reply)) return
  const release = limits.take({ apiKey: null, address: clientAddressOf(request) })
  const early: Parameters<OperatorListener>[] = []
  let deliver: OperatorListener = (news, whole) => void early.push([news, whole])
  const leaveHub = operatorHub.subscribe((news, whole) => deliver(news, whole))
  try {
    const opening = await operations.feed.open(lastEventIdOf(request))
    const { chainId } = relay.environment
    const connected = wire.operatorConnectedFrame({ serverTime: relay.now(), mode: relay.mode, chainId })
    const stream = streams.open({
      channel: 'operator_stream',
      connection: startEventStream(reply),
      opening: openingBuffers(opening, connected),
      onEnd: () => {
        leaveHub()
        release()
      },
    })
    const isNew = ({ id }: SseFrame) => id === undefined || id > opening.position
    deliver = (news, whole) => {
      if (news.every(isNew)) return stream.send(whole)
      const unheard = news.filter(isNew)
      if (unheard.length > 0) stream.send(encodeFrames(unheard))
    }
    for (const [news, whole] of early.splice(0)) deliver(news, whole)
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

/** Made one by one as the reader takes them, so that a snapshot of many requests delays no one. */
function* openingFrames(opening: OperatorOpening): Generator<SseFrame, void> {
  if (opening.kind === 'replay') {
    for (const event of opening.missed) yield wire.happenedFrame(event)
    yield* stateFrames(opening.state)
    return
  }
  yield wire.operatorSnapshotFrame(opening.openRequests)
  // The audit log comes first, so that the state of an open request corrects it.
  for (const event of opening.recent) yield wire.happenedFrame(event)
  for (const state of opening.requests) yield wire.requestSnapshotFrame(state)
  yield* stateFrames(opening.state)
  yield wire.operatorSnapshotEndFrame(opening.position)
}

function* stateFrames({ makers, series, health, authority }: OperatorState): Generator<SseFrame, void> {
  for (const state of makers ?? []) yield wire.makerStandingFrame(state)
  for (const progress of series ?? []) yield wire.seriesProgressFrame(progress)
  yield wire.healthFrame(health)
  if (authority !== null) yield wire.authorityFrame(authority)
}

function framesOf(news: OperatorNews): SseFrame[] {
  switch (news.kind) {
    case 'happened':
      return news.events.map(wire.happenedFrame)
    case 'makers':
      return news.makers.map(wire.makerStandingFrame)
    case 'series':
      return news.series.map(wire.seriesProgressFrame)
    case 'health':
      return [wire.healthFrame(news.health)]
    case 'authority':
      return [wire.authorityFrame(news.authority)]
  }
}
