import type { QuoteRequest } from '@rfqctl/protocol/domain/request'
import type { MakerFeed } from '../../../core/ports/live.ts'
import { decodeRequest } from '../../store/codec.ts'
import { answerOf } from './connection.ts'
import type { RedisParts } from './subscriptions.ts'

/** `id` is the event that announced the request. */
type Opened = { id: number; request: QuoteRequest }

export type OpenRequests = ReturnType<typeof createOpenRequests>

/**
 * Lists the open requests in one query to Redis, however many there are. A request never changes and arrives with its
 * announcement, so only those that this node has not received are read: otherwise each connecting maker would cost a
 * read for each open request, and a thousand makers that reconnect together would take Redis down.
 */
export function createOpenRequests(parts: RedisParts & { feed: Pick<MakerFeed, 'listen'> }) {
  const { connection, prefix, feed } = parts
  const known = new Map<string, Opened>()

  feed.listen((event) => {
    if (event.kind === 'quote_request') known.set(event.request.requestId, event)
    else known.delete(event.requestId)
  })

  async function read(requestId: string, id: number): Promise<Opened | null> {
    const reply = connection.sendCommand<string | null>(['HGET', `${prefix}request:${requestId}`, 'body'])
    const body = await answerOf(reply)
    if (body === null) return null
    const opened = { id, request: decodeRequest(JSON.parse(body)) }
    known.set(requestId, opened)
    return opened
  }

  async function list(): Promise<readonly Opened[]> {
    const listed = await answerOf(
      connection.sendCommand<string[]>(['ZRANGE', `${prefix}open`, '0', '-1', 'WITHSCORES']),
    )
    const open = Array.from({ length: listed.length / 2 }, (_, i) => ({
      requestId: listed[2 * i] as string,
      id: Number(listed[2 * i + 1]),
    }))
    const stillOpen = new Set(open.map(({ requestId }) => requestId))
    const newest = open.at(-1)?.id ?? 0
    // Drops what ended while this node received nothing; requests opened since the query are in the next answer.
    for (const [requestId, { id }] of known) if (id <= newest && !stillOpen.has(requestId)) known.delete(requestId)
    const found = await Promise.all(
      open.map(({ requestId, id }) => {
        const announced = known.get(requestId)
        return announced?.id === id ? { id, request: announced.request } : read(requestId, id)
      }),
    )
    return found.filter((opened) => opened !== null)
  }

  return {
    list,
    /** Null for a request whose opening this node has not received, or whose end it has. */
    known: (requestId: string): QuoteRequest | null => known.get(requestId)?.request ?? null,
    countKnown: () => known.size,
  }
}
