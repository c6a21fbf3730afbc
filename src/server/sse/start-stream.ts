import type { OutgoingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import { RfqError } from '../../domain/errors.ts'

/** After how many idle milliseconds the system asks whether the other end is still there. */
const PROBE_AFTER_MS = 10_000

const HEAD = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  connection: 'close',
}

/**
 * Sends the head of an event stream and hands over its socket (ruling M2). The body is not chunked and ends with the
 * connection, so that one buffer is right for every reader and every version of HTTP. Refuses with `invalid_request` who
 * asks while an earlier answer on the same connection is still to come.
 */
export function startEventStream(reply: FastifyReply): Socket {
  const { raw } = reply
  const { socket } = raw
  if (socket === null) throw new RfqError('invalid_request', { detail: 'A stream needs a connection of its own.' })
  reply.hijack()
  if (socket.destroyed) throw new Error('the reader has gone')
  raw.removeHeader('transfer-encoding')
  raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...HEAD })
  raw.flushHeaders()
  socket.setKeepAlive(true, PROBE_AFTER_MS)
  return socket
}
