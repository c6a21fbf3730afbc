import type { QuoteRequest } from '@rfqctl/protocol/domain/request'
import type { MakerFeed } from '../../../core/ports/live.ts'
import { decodeRequest } from '../../store/codec.ts'
import { answerOf, type Connection } from './connection.ts'

/** An open request with the id under which it was announced. */
type Opened = { id: number; request: QuoteRequest }

/** The open requests, as far as this node has heard of them, and all of them. */
export type OpenRequests = {
  list: () => Promise<readonly Opened[]>
  /** What an open request says; null for one that this node has not heard of, or that it has heard the end of. */
  known: (requestId: string) => QuoteRequest | null
  /** How many of them this node has heard of. */
  countKnown: () => number
}

/**
 * Lists the open requests in one question to Redis, however many there are. What a request says never changes and comes with
 * its announcement, so that only what this node has not heard is read: else each maker that connects would cost a read
 * for each open request, and a thousand makers that come back together would take Redis down.
 */
export function createOpenRequests({
  connection,
  prefix,
  feed,
}: {
  connection: Connection
  prefix: string
  feed: Pick<MakerFeed, 'listen'>
}): OpenRequests {
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
    // What ended while this node heard nothing; what was opened since the question is still to come in the next answer.
    for (const [requestId, { id }] of known) if (id <= newest && !stillOpen.has(requestId)) known.delete(requestId)
    const found = await Promise.all(
      open.map(({ requestId, id }) => {
        const announced = known.get(requestId)
        return announced?.id === id ? { id, request: announced.request } : read(requestId, id)
      }),
    )
    return found.filter((opened) => opened !== null)
  }

  return { list, known: (requestId) => known.get(requestId)?.request ?? null, countKnown: () => known.size }
}
