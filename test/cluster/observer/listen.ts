import type { MakerSocket, SocketMessage } from '../../conformance/harness/socket.ts'
import type { SseEvent, SseStream } from '../../conformance/harness/sse.ts'
import type { History, MakerMessage, StreamEvent } from './history.ts'

/** All streams and sockets that makers and takers have opened. */
export type Listener = {
  socket: (makerId: string, socket: MakerSocket) => void
  /** `makerId` null: as the stream says. */
  maker: (makerId: string | null, stream: SseStream, headers: Record<string, string>) => void
  taker: (requestId: string, stream: SseStream) => void
  /** What Redis knew of who is connected may be gone, until it is told again. */
  lost: () => void
  /** How many makers had a stream at least and at most, all the time between the two moments. */
  makersBetween: (from: number, to: number) => readonly [least: number, most: number]
  /** Everything that has come so far. */
  heard: () => Pick<History, 'sockets' | 'makerStreams' | 'takerStreams'>
  /** What takers who still watch are shown now. */
  looks: (now: number) => History['looks']
}

/** How long it may take until a node has told that a maker has come, in milliseconds. */
const TOLD_MS = 2_000

/** A node that died counts as long as this, and one that was not heard says it again within this (fault I10). */
const FORGOTTEN_MS = 36_000

type MakerStream = {
  makerId: () => string
  stream: SseStream
  after: number | null
  openedAt: number
  endedAt: number
}

/** Nobody has connected yet. */
export function createListener(): Listener {
  const sockets: { makerId: string; socket: MakerSocket }[] = []
  const makers: MakerStream[] = []
  const takers: { requestId: string; stream: SseStream; isOver: boolean }[] = []
  let lostAt = Number.NEGATIVE_INFINITY

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
    heard: () => ({
      sockets: sockets.map(({ makerId, socket }) => ({
        makerId,
        messages: socket.messages.all().flatMap(messageOf),
      })),
      makerStreams: makers.map(({ makerId, stream, after }) => ({
        makerId: makerId(),
        events: stream.events.all().map(eventOf),
        after,
      })),
      takerStreams: takers.map(({ requestId, stream }) => ({ requestId, events: stream.events.all().map(eventOf) })),
    }),
    looks: (now) =>
      takers.flatMap(({ requestId, stream, isOver }) => {
        const last = stream.events.all().at(-1)
        if (isOver || last === undefined || last.data.status !== 'open') return []
        return [{ requestId, by: 'stream', askedAt: now, answeredAt: now, best: eventOf(last).best }]
      }),
  }
}

function messageOf(message: SocketMessage): MakerMessage[] {
  const { type, requestId, quoteId, order, domain, confirmationDeadline } = message
  const names = { requestId: String(requestId), quoteId: String(quoteId) }
  if (type === 'quote:confirmed' || type === 'quote:rejected') return [{ type, ...names }]
  if (type !== 'quote:accepted') return []
  const deadline = Date.parse(String(confirmationDeadline))
  return [{ type, ...names, deadline, ...({ order, domain } as Pick<Accepted, 'order' | 'domain'>) }]
}

type Accepted = Extract<MakerMessage, { type: 'quote:accepted' }>

const eventOf = ({ event, id, data }: SseEvent): StreamEvent => ({
  event,
  id: id === null ? null : Number(id),
  requestId: typeof data.requestId === 'string' ? data.requestId : null,
  best: (data.bestQuote as { quote_id?: string } | null | undefined)?.quote_id ?? null,
})
