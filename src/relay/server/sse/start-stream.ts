import type { OutgoingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StreamConnection } from './event-stream.ts'
import { BARE, CHUNKS } from './frame.ts'

/** Idle time before the system probes the other end. */
const PROBE_AFTER_MS = 10_000

const HEAD = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  connection: 'close',
}

/** Answers a HEAD like the GET; called once the GET can no longer be refused. */
export function answeredHead(request: FastifyRequest, reply: FastifyReply): boolean {
  if (request.method !== 'HEAD') return false
  reply.headers(HEAD).send()
  return true
}

/**
 * Sends the head of an event stream and hands over its connection (decision M2). The body is chunked, so that a cut
 * differs from a clean end; in HTTP/1.0, which old proxies speak, it ends with the connection. Refuses with
 * `invalid_request` while an earlier answer on the same connection is still to come.
 */
export function startEventStream(reply: FastifyReply): StreamConnection {
  const { raw } = reply
  const socket = ownSocketOf(reply)
  reply.hijack()
  if (socket.destroyed) throw new Error('the reader is gone')
  const takesChunks = reply.request.raw.httpVersion === '1.1'
  if (!takesChunks) raw.removeHeader('transfer-encoding')
  raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...HEAD })
  raw.flushHeaders()
  socket.setKeepAlive(true, PROBE_AFTER_MS)
  return { socket, framing: takesChunks ? CHUNKS : BARE }
}

/** Refuses a stream, or a call that waits, while an earlier answer on its connection is still to come. */
export function ownSocketOf({ raw: { socket } }: FastifyReply): Socket {
  if (socket === null)
    throw new RfqError('invalid_request', { detail: 'A stream, or a call that waits, needs a connection of its own.' })
  return socket
}
