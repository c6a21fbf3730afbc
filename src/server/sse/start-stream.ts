import type { OutgoingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'

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
 * connection, so that one buffer is right for every reader and every version of HTTP.
 */
export function startEventStream(reply: FastifyReply): Socket {
  reply.hijack()
  const { raw } = reply
  const { socket } = raw
  if (socket === null || socket.destroyed) throw new Error('the reader has gone')
  raw.removeHeader('transfer-encoding')
  raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...HEAD })
  raw.flushHeaders()
  socket.setKeepAlive(true, PROBE_AFTER_MS)
  return socket
}
