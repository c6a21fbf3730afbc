import { randomUUID } from 'node:crypto'
import type { MakerEvent, RequestKind } from '../../src/relay/core/ports/live.ts'
import type { Acceptance } from '../../src/relay/core/ports/store.ts'
import type { FeedOpening } from '../../src/relay/core/relay.ts'
import { hearsOf, kindOf } from '../../src/relay/core/request-kind.ts'
import { authenticate, HEARS_PACKAGES, HEARS_TWO_SIDED, type MakerName } from './makers.ts'
import type { World } from './world.ts'

/** A maker's socket: the orders that came over it. */
export type ModelSocket = { accepted: Acceptance[]; stop: () => void }

/** A maker's stream, as its reader sees it. */
export type ModelStream = {
  /** One connection of a maker, for the collector. */
  name: string
  /** Every id that came over this connection, a snapshot's too. */
  ids: number[]
  /** The id after which it should have heard everything, and what it has heard since. */
  from: number
  since: number[]
  /** What the reader takes for open. */
  open: Set<string>
  isLive: boolean
  stop: () => void
}

/** Connects a maker's socket, as the server does: its key first, then the pending orders, then what comes. */
export function connectSocket(world: World, maker: MakerName): void {
  if (world.sockets.has(maker)) return
  const accepted: Acceptance[] = []
  const leaving: (() => void)[] = []
  let left = false
  const stop = () => {
    left = true
    for (const leave of leaving.splice(0)) leave()
    if (world.sockets.get(maker) === socket) world.sockets.delete(maker)
  }
  const socket: ModelSocket = { accepted, stop }
  world.sockets.set(maker, socket)
  const opening = async () => {
    const identity = await authenticate(world, maker)
    if (left) return
    leaving.push(world.relay.watchMaker(identity, stop))
    const leave = await world.relay.openMakerChannel({
      makerId: maker,
      connectionId: randomUUID(),
      onMessage: (message) => {
        world.heard(maker, 'socket', message)
        if (message.kind === 'accepted') accepted.push(message.acceptance)
      },
    })
    leaving.push(leave)
    if (left) leave()
  }
  world.start(opening().catch(giveUp(stop)))
}

/**
 * Connects a maker's stream, as the server does: it listens first, reads where to start, then lets go what came
 * meanwhile (decision M1). `lastEventId` is what the reader last saw, if it says so.
 */
export function connectStream(world: World, maker: MakerName, { resumes }: { resumes: boolean }): void {
  if (world.streams.has(maker)) return
  const former = resumes ? world.readers.get(maker) : undefined
  world.watches += 1
  const name = `stream ${world.watches} of ${maker}`
  const stream: ModelStream = { name, ids: [], from: 0, since: [], open: new Set(), isLive: false, stop: () => {} }
  const packages = HEARS_PACKAGES.includes(maker)
  const hears = { packages, twoSided: HEARS_TWO_SIDED.includes(maker) }
  const hear = (event: MakerEvent) => {
    if (hearsOf(hears, kindOfEvent(event))) world.heard(maker, 'stream', event)
    take(world, stream, event)
  }
  const leaving: (() => void)[] = []
  let left = false
  stream.stop = () => {
    left = true
    for (const leave of leaving.splice(0)) leave()
    if (world.streams.get(maker) === stream) world.streams.delete(maker)
  }
  world.streams.set(maker, stream)
  const opening = async () => {
    const { key } = await authenticate(world, maker)
    if (left) return
    const early: MakerEvent[] = []
    let deliver = (event: MakerEvent) => void early.push(event)
    leaving.push(world.relay.listenMakerFeed((event) => deliver(event)))
    const feed = await world.relay.openMakerFeed(former?.ids.at(-1) ?? null)
    if (left) return
    const leaveStream = await world.relay.joinMakerStream(maker, { connectionId: randomUUID(), hears })
    if (left) return leaveStream()
    leaving.push(leaveStream)
    leaving.push(world.relay.watchMaker({ makerId: maker, key }, stream.stop))
    if (left) return stream.stop()
    start(world, stream, { feed, former })
    deliver = (event) => {
      if (event.id > feed.position) hear(event)
    }
    early.forEach(deliver)
    stream.isLive = true
    world.readers.set(maker, stream)
  }
  world.start(opening().catch(giveUp(stream.stop)))
}

function start(
  world: World,
  stream: ModelStream,
  { feed, former }: { feed: FeedOpening; former: ModelStream | undefined },
): void {
  const { observe, moment } = world.collector
  const { name } = stream
  const isReplay = feed.kind === 'replay'
  const after = isReplay ? (former?.ids.at(-1) ?? 0) : null
  observe({ kind: 'maker_stream_opened', stream: name, after, isLasting: false })
  if (isReplay) {
    stream.from = after ?? 0
    stream.ids.push(stream.from)
    stream.open = new Set(former?.open)
    for (const event of feed.events) take(world, stream, event)
    return
  }
  const about = { kind: 'maker_event', stream: name, requestId: null, moment: moment() } as const
  observe({ ...about, event: 'snapshot_begin', id: null })
  for (const { id, request } of feed.requests) take(world, stream, { id, kind: 'quote_request', request })
  observe({ ...about, event: 'snapshot_complete', id: feed.position })
  if (feed.position > (stream.ids.at(-1) ?? 0)) stream.ids.push(feed.position)
  stream.from = feed.position
  stream.since = []
}

function take({ collector }: World, stream: ModelStream, event: MakerEvent): void {
  collector.fed(stream.name, event)
  stream.ids.push(event.id)
  stream.since.push(event.id)
  if (event.kind === 'quote_request') stream.open.add(event.request.requestId)
  else stream.open.delete(event.requestId)
}

const kindOfEvent = (event: MakerEvent): RequestKind =>
  event.kind === 'quote_request'
    ? kindOf(event.request)
    : { packages: event.ofPackage === true, twoSided: event.twoSided === true }

const giveUp =
  (stop: () => void) =>
  (fault: unknown): never => {
    stop()
    throw fault
  }
