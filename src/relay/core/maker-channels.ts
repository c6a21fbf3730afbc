import type { QuoteRequest } from '@rfqctl/protocol/domain/request'
import { FifoMap } from 'toad-cache'
import type { Context } from './context.ts'
import type { MakerEvent, MakerMessage, RequestKind } from './ports/live.ts'
import type { Stop } from './ports/runtime.ts'
import type { Acceptance } from './ports/store.ts'
import { inTrace } from './ports/tracer.ts'
import { channelsOf } from './request-kind.ts'

/** Makers connected to this process only. */
export type MakerChannels = ReturnType<typeof createMakerChannels>

/** `onOpen` runs once the connection counts on all nodes, before the first message. */
export type MakerConnection = {
  makerId: string
  connectionId: string
  onOpen?: () => void
  onMessage: (message: MakerMessage) => void
}

type Deliver = (message: MakerMessage) => void

export function createMakerChannels(
  context: Pick<Context, 'bus' | 'clock' | 'presence' | 'store' | 'protections' | 'records' | 'takeover' | 'tracer'>,
) {
  const { bus, clock, presence, store, protections, records, takeover } = context
  const channels = new Map<string, Set<Deliver>>()

  /** Leaves out overdue orders: a signature after the deadline would be a right that no one asked for. */
  const pending = async (filter?: { makerId: string }) =>
    (await store.acceptances.pending(filter)).filter(({ deadline }) => clock.now() < deadline)

  return {
    /**
     * Sends an order that waits for its signature first, with its original deadline, so that a maker that reconnects
     * can still sign (decision C5).
     */
    open: async ({ makerId, connectionId, onOpen, onMessage }: MakerConnection): Promise<Stop> => {
      await protections.beforeJoin(makerId)
      /** Messages that arrive before `onOpen`. */
      let early: MakerMessage[] | null = []
      const pass = (message: MakerMessage) => {
        onMessage(message)
        if (message.kind !== 'accepted') return
        records.told(message.acceptance)
        noteTold(context, message.acceptance)
      }
      const deliver = once((message) => (early === null ? pass(message) : early.push(message)), {
        isAlone: takeover === null,
      })
      const ofMaker = channels.get(makerId) ?? new Set()
      channels.set(makerId, ofMaker.add(deliver))
      const unsubscribe = bus.subscribe('maker', makerId, deliver)
      const leave = await presence.join('socket', makerId, connectionId)
      const stop = () => {
        leave()
        unsubscribe()
        ofMaker.delete(deliver)
        if (ofMaker.size === 0 && channels.get(makerId) === ofMaker) channels.delete(makerId)
      }
      onOpen?.()
      for (const message of early) pass(message)
      early = null
      try {
        for (const acceptance of await pending({ makerId })) deliver({ kind: 'accepted', acceptance })
        const tripped = protections.tripOf(makerId)
        if (tripped !== null) deliver({ kind: 'protection_tripped', ...tripped })
        const suspension = records.suspensionOf(makerId)
        if (suspension !== null) deliver({ kind: 'suspended', until: suspension.until, because: suspension.because })
      } catch (fault) {
        stop()
        throw fault
      }
      return stop
    },

    /** Delivers pending orders again: a message from another node may be lost. */
    redeliver: async (): Promise<void> => {
      if (channels.size === 0) return
      for (const acceptance of await pending()) {
        for (const deliver of channels.get(acceptance.makerId) ?? []) deliver({ kind: 'accepted', acceptance })
      }
    },
  }
}

/** Traces the moment at which this node wrote to the maker's socket; it has no duration. */
function noteTold(context: Pick<Context, 'tracer'>, { traceparent, ...acceptance }: Acceptance): void {
  const { requestId, makerId, quoteId, acceptanceId } = acceptance
  const facts = { requestId, makerId, quoteId, acceptanceId }
  void inTrace(context, 'tell', { traceparent, facts }, async () => {})
}

/**
 * Remembered per connection to drop duplicates: an order may come again until its deadline, an end for some seconds
 * after its node has died, at hundreds a second.
 */
const ORDERS_REMEMBERED = 1_000
const ENDS_REMEMBERED = 4_000

/** Drops duplicates: several nodes may send the same order or end. `isAlone`: no other node announces ends. */
function once(onMessage: Deliver, { isAlone }: { isAlone: boolean }): Deliver {
  const isNewOrder = createFilter(ORDERS_REMEMBERED)
  const isNewEnd = createFilter(ENDS_REMEMBERED)
  const isNewOrderEnd = createFilter(ENDS_REMEMBERED)
  const isNew = (message: MakerMessage): boolean => {
    if (message.kind === 'accepted') return isNewOrder(message.acceptance.acceptanceId)
    if (message.kind === 'protection_tripped') return isNewEnd(`trip ${message.version}`)
    if (message.kind === 'suspended') return isNewEnd(`suspended ${message.until}`)
    if (message.kind === 'reinstated') return isNewEnd(`reinstated ${message.at}`)
    // The same quote may be asked for and missed again.
    if (message.kind === 'missed') return true
    if (isAlone && (message.kind === 'rejected' || message.kind === 'confirmed')) return true
    if (message.kind === 'order_defunded') return isNewOrderEnd(`defunded ${message.requestId}`)
    return (message.kind === 'order_ended' ? isNewOrderEnd : isNewEnd)(message.requestId)
  }
  return (message) => {
    if (isNew(message)) onMessage(message)
  }
}

/** True for a name that is not among the last `limit`. */
function createFilter(limit: number): (name: string) => boolean {
  const known = new FifoMap<true>(limit)
  return (name) => {
    if (known.get(name) === true) return false
    known.set(name, true)
    return true
  }
}

/**
 * Counts the stream until it stops, also for the kinds of requests that it asked for. Quotes to be withdrawn for an absence go
 * before the stream counts, and no event is sent before it does.
 */
export async function joinStream(
  { protections, presence }: Pick<Context, 'presence' | 'protections'>,
  makerId: string,
  { connectionId, hears }: { connectionId: string; hears: RequestKind },
): Promise<Stop> {
  await protections.beforeJoin(makerId)
  const channels = ['stream', ...channelsOf(hears)] as const
  const stops = await Promise.all(channels.map((channel) => presence.join(channel, makerId, connectionId)))
  return () => {
    for (const stop of stops.toReversed()) stop()
  }
}

/** Complete up to the id `position`: a snapshot covers all before its newest request. Live events follow. */
export type FeedOpening =
  | { kind: 'replay'; events: readonly MakerEvent[]; position: number }
  | { kind: 'snapshot'; requests: readonly { id: number; request: QuoteRequest }[]; position: number }

/**
 * Replays the events after `lastEventId` if the log still has them, else sends all open requests (decision M1). The
 * caller must be listening to the feed already, and skip live events up to `position`.
 */
export async function openMakerFeed({ book, clock, feed }: Context, lastEventId: number | null): Promise<FeedOpening> {
  const events = lastEventId === null ? null : await feed.since(lastEventId)
  if (events !== null) return { kind: 'replay', events, position: events.at(-1)?.id ?? (lastEventId as number) }
  // The position is read first: a request opened in between is sent twice under one id rather than never.
  const position = await feed.position()
  const opened = await book.openRequests()
  // An expired request takes no quote, though it may still be open: a maker may still sign, or a relay has just
  // started.
  const requests = opened.filter(({ request }) => clock.now() < request.expiresAt)
  return { kind: 'snapshot', requests, position: Math.max(position, opened.at(-1)?.id ?? position) }
}
