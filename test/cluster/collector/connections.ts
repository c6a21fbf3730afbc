import type { Moment, Observation, OrderSent } from '../../invariants/observation.ts'
import type { MakerSocket, SocketMessage } from '../../kit/socket.ts'
import type { SseEvent, SseStream } from '../../kit/sse.ts'

/** Where a connection goes to, and when it was begun, Unix milliseconds. `isSafe`: nothing was done to that node so far. */
export type Opening = { begunAt: number; node: { isSafe: boolean } }

/** All streams and sockets that makers and takers have opened. */
export type Connections = {
  socket: (makerId: string, socket: MakerSocket, opening: Opening) => void
  /** `makerId` null: as the stream says. */
  maker: (makerId: string | null, stream: SseStream, opening: Opening & { headers: Record<string, string> }) => void
  taker: (requestId: string, stream: SseStream) => void
  /** What Redis knew of who is connected may be gone, until it is told again. */
  lost: () => void
  /** How many makers had a stream at least and at most, all the time between the two moments, Unix milliseconds. */
  makersBetween: (from: number, to: number) => readonly [least: number, most: number]
  /** Since when a maker was surely gone, and back: with `any` by each channel that it lacked, with `all` by both. */
  absences: (makerId: string, channels: 'any' | 'all') => Observation[]
  /** When protections have tripped, Unix milliseconds, as their makers were told. */
  trips: () => { makerId: string; at: number }[]
  /** Whether a maker may have had a socket at any time between the two moments, Unix milliseconds. */
  hadSocket: (makerId: string, from: number, to: number) => boolean
  /** Everything that has come so far, with what takers who still watch are shown now. */
  observations: (now: Moment) => Observation[]
}

/** How long it may take until a node has told that a maker has come, in milliseconds. */
const TOLD_MS = 2_000

/** A node that died counts as long as this, and one that was not heard says it again within this (fault I10). */
const FORGOTTEN_MS = 36_000

/** How far two nodes may disagree on the database's time, in milliseconds: half a round trip each, on a busy machine. */
const CLOCKS_MS = 500

/** A connection of a maker; Unix milliseconds. */
type Connection = Opening & { endedAt: number }

type MakerStream = Connection & {
  makerId: () => string
  stream: SseStream
  after: number | null
  openedAt: number
}

type Socket = Connection & { makerId: string; socket: MakerSocket }

/** No connection yet. `confirmationMs`: how long makers have to sign. */
export function createConnections({ confirmationMs }: { confirmationMs: number }): Connections {
  const sockets: Socket[] = []
  const makers: MakerStream[] = []
  const takers: { requestId: string; stream: SseStream; isOver: boolean }[] = []
  let lostAt = Number.NEGATIVE_INFINITY
  /** When a message was first looked at. */
  const seen = new WeakMap<SocketMessage, Moment>()

  const ofSocket = ({ makerId, socket }: Socket, index: number, now: Moment): Observation[] => {
    const name = `socket ${index} of ${makerId}`
    return [
      { kind: 'socket_opened', socket: name, makerId, isLasting: false },
      ...socket.messages.all().flatMap((message) => {
        const moment = seen.get(message) ?? now
        seen.set(message, moment)
        return messageOf(message, { makerId, socket: name, confirmationMs, moment })
      }),
    ]
  }

  /** Until when nodes may take a connection for open. */
  const countsUntil = ({ endedAt, node }: Connection): number =>
    node.isSafe && Math.abs(endedAt - lostAt) > FORGOTTEN_MS ? endedAt : endedAt + FORGOTTEN_MS

  const ofMaker = ({ makerId, stream, after }: MakerStream, index: number, moment: Moment): Observation[] => {
    const name = `stream ${index} of ${makerId()}`
    return [
      { kind: 'maker_stream_opened', stream: name, after, isLasting: false },
      ...stream.events
        .all()
        .map((event): Observation => ({ kind: 'maker_event', stream: name, ...eventOf(event), moment })),
    ]
  }

  const ofTaker = (
    { requestId, stream, isOver }: (typeof takers)[number],
    index: number,
    moment: Moment,
  ): Observation[] => {
    const name = `stream ${index} of the taker of ${requestId}`
    const events = stream.events.all()
    const told = events.map(
      ({ event }): Observation => ({ kind: 'taker_event', stream: name, event, requestId, moment }),
    )
    const last = events.at(-1)?.data
    if (isOver || last?.status !== 'open') return told
    const quoteId = (last.bestQuote as { quote_id?: string } | null | undefined)?.quote_id ?? null
    const quoteCount = typeof last.quoteCount === 'number' ? last.quoteCount : null
    return [
      ...told,
      { kind: 'quote_shown', requestId, by: 'stream', asked: moment, answered: moment, quoteId, quoteCount },
    ]
  }

  return {
    socket: (makerId, socket, opening) => {
      const entry: Socket = { ...opening, makerId, socket, endedAt: Number.POSITIVE_INFINITY }
      sockets.push(entry)
      void socket.closed.then(() => {
        entry.endedAt = Date.now()
      })
    },
    maker: (makerId, stream, { headers, ...opening }) => {
      const lastId = headers['last-event-id']
      const entry: MakerStream = {
        ...opening,
        makerId: () => makerId ?? String(stream.events.all().find(({ event }) => event === 'connected')?.data.makerId),
        stream,
        after: lastId === undefined ? null : Number(lastId),
        openedAt: Date.now(),
        endedAt: Number.POSITIVE_INFINITY,
      }
      makers.push(entry)
      void stream.ended.then(() => {
        entry.endedAt = Date.now()
      })
    },
    taker: (requestId, stream) => {
      const entry = { requestId, stream, isOver: false }
      takers.push(entry)
      void stream.ended.then(() => {
        entry.isOver = true
      })
    },
    hadSocket: (makerId, from, to) =>
      sockets.some((socket) => socket.makerId === makerId && socket.begunAt <= to && socket.endedAt >= from),
    lost: () => {
      lostAt = Date.now()
    },
    makersBetween: (from, to) => {
      const isSure = from - lostAt > FORGOTTEN_MS
      const sure = makers.filter(({ openedAt, endedAt }) => isSure && openedAt + TOLD_MS < from && endedAt > to)
      const possible = makers.filter(({ endedAt }) => endedAt + FORGOTTEN_MS > from)
      const count = (streams: readonly MakerStream[]) => new Set(streams.map(({ makerId }) => makerId())).size
      return [count(sure), count(possible)]
    },
    absences: (makerId, channels) => {
      const own = {
        stream: makers.filter((stream) => stream.makerId() === makerId),
        socket: sockets.filter((socket) => socket.makerId === makerId),
      }
      const isOpen = (connections: readonly Connection[], at: number) =>
        connections.some((one) => one.begunAt <= at && at < countsUntil(one))
      const kindOf = (isThere: boolean) => (isThere ? 'maker_back' : 'maker_gone')
      const all = [...own.stream, ...own.socket]
      const turns = all.flatMap((one) => [one.begunAt, countsUntil(one)])
      return [...new Set(turns)]
        .filter(Number.isFinite)
        .sort((a, b) => a - b)
        .flatMap((at): Observation[] => {
          const moment = { at, order: 0 }
          if (channels === 'all') return [{ kind: kindOf(isOpen(all, at)), makerId, moment }]
          const [stream, socket] = [isOpen(own.stream, at), isOpen(own.socket, at)]
          return [
            { kind: kindOf(stream), makerId, channel: 'stream', moment },
            { kind: kindOf(socket), makerId, channel: 'socket', moment },
          ]
        })
    },
    trips: () =>
      sockets.flatMap(({ makerId, socket }) =>
        socket.messages
          .all()
          .filter(({ type }) => type === 'protection:tripped')
          .map(({ trip }) => ({ makerId, at: Date.parse((trip as { at: string }).at) })),
      ),
    observations: (now) => [
      ...sockets.flatMap((socket, index) => ofSocket(socket, index, now)),
      ...makers.flatMap((stream, index) => ofMaker(stream, index, now)),
      ...takers.flatMap((stream, index) => ofTaker(stream, index, now)),
    ],
  }
}

function messageOf(
  { type, confirmationDeadline, ...message }: SocketMessage,
  {
    makerId,
    socket,
    confirmationMs,
    moment,
  }: { makerId: string; socket: string; confirmationMs: number; moment: Moment },
): Observation[] {
  const names = { requestId: String(message.requestId), makerId, quoteId: String(message.quoteId) }
  if (type === 'quote:confirmed' || type === 'quote:rejected') {
    const outcome = type === 'quote:confirmed' ? 'confirmed' : 'rejected'
    return [{ kind: 'quote_ended', ...names, socket, outcome }]
  }
  const [, state] = /^order:(filled|cancelled|expired)$/.exec(type) ?? []
  if (state !== undefined) {
    const transactionHash = state === 'expired' ? null : String(message.transactionHash)
    return [{ kind: 'order_ended', ...names, socket, state, transactionHash, moment }]
  }
  if (type !== 'quote:accepted') return []
  const deadline = Date.parse(String(confirmationDeadline))
  // When it was asked is known from its deadline; by its order it is before all that is compared with it.
  const asked = { at: deadline - confirmationMs + CLOCKS_MS, order: 0 }
  return [{ kind: 'order_sent', ...names, order: message.order as OrderSent['order'], deadline, asked }]
}

const eventOf = ({ event, id, data }: SseEvent) => ({
  event,
  id: id === null ? null : Number(id),
  requestId: typeof data.requestId === 'string' ? data.requestId : null,
})
