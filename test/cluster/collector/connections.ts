import type { MakerSocket, SocketMessage } from '../../conformance/harness/socket.ts'
import type { SseEvent, SseStream } from '../../conformance/harness/sse.ts'
import type { Moment, Observation, OrderSent } from '../../invariants/observation.ts'

/** All streams and sockets that makers and takers have opened. */
export type Connections = {
  socket: (makerId: string, socket: MakerSocket) => void
  /** `makerId` null: as the stream says. */
  maker: (makerId: string | null, stream: SseStream, headers: Record<string, string>) => void
  taker: (requestId: string, stream: SseStream) => void
  /** What Redis knew of who is connected may be gone, until it is told again. */
  lost: () => void
  /** How many makers had a stream at least and at most, all the time between the two moments, Unix milliseconds. */
  makersBetween: (from: number, to: number) => readonly [least: number, most: number]
  /** Everything that has come so far, with what takers who still watch are shown now. */
  observations: (now: Moment) => Observation[]
}

/** How long it may take until a node has told that a maker has come, in milliseconds. */
const TOLD_MS = 2_000

/** A node that died counts as long as this, and one that was not heard says it again within this (fault I10). */
const FORGOTTEN_MS = 36_000

/** How far two nodes may disagree on the database's time, in milliseconds: half a round trip each, on a busy machine. */
const CLOCKS_MS = 500

type MakerStream = {
  makerId: () => string
  stream: SseStream
  after: number | null
  openedAt: number
  endedAt: number
}

/** No connection yet. `confirmationMs`: how long makers have to sign. */
export function createConnections({ confirmationMs }: { confirmationMs: number }): Connections {
  const sockets: { makerId: string; socket: MakerSocket }[] = []
  const makers: MakerStream[] = []
  const takers: { requestId: string; stream: SseStream; isOver: boolean }[] = []
  let lostAt = Number.NEGATIVE_INFINITY

  const ofSocket = ({ makerId, socket }: (typeof sockets)[number], index: number): Observation[] => {
    const name = `socket ${index} of ${makerId}`
    return [
      { kind: 'socket_opened', socket: name, makerId, isLasting: false },
      ...socket.messages.all().flatMap((message) => messageOf(message, { makerId, socket: name, confirmationMs })),
    ]
  }

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
    socket: (makerId, socket) => void sockets.push({ makerId, socket }),
    maker: (makerId, stream, headers) => {
      const lastId = headers['last-event-id']
      const entry: MakerStream = {
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
    observations: (now) => [
      ...sockets.flatMap(ofSocket),
      ...makers.flatMap((stream, index) => ofMaker(stream, index, now)),
      ...takers.flatMap((stream, index) => ofTaker(stream, index, now)),
    ],
  }
}

function messageOf(
  { type, confirmationDeadline, ...message }: SocketMessage,
  { makerId, socket, confirmationMs }: { makerId: string; socket: string; confirmationMs: number },
): Observation[] {
  const names = { requestId: String(message.requestId), makerId, quoteId: String(message.quoteId) }
  if (type === 'quote:confirmed' || type === 'quote:rejected') {
    const outcome = type === 'quote:confirmed' ? 'confirmed' : 'rejected'
    return [{ kind: 'quote_ended', ...names, socket, outcome }]
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
