import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type WebSocket, WebSocketServer } from 'ws'
import { writeRefusal } from '../failures.ts'
import { hasTooManyHeaders, tooManyHeaders } from '../headers.ts'

export type Upgrade = (
  request: FastifyRequest,
  reply: FastifyReply,
  onSocket: (socket: WebSocket, connection: Socket) => void,
) => void

/** Bytes of a message with as many quotes as it may carry. */
const MAX_MESSAGE_BYTES = 24 * 1024

/** Fragments per message, and packets per fragment: each takes far more memory than its bytes. */
const MAX_FRAGMENTS = 256

/**
 * Sends upgrade requests through the same routes and hooks as all others, so that they get the same refusals; a request
 * for any other protocol is an ordinary one. Compression is off: it would cost memory for each socket.
 */
export function acceptUpgrades(app: FastifyInstance): Upgrade {
  const heads = new WeakMap<IncomingMessage, Buffer>()
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: MAX_FRAGMENTS,
    clientTracking: false,
  })
  server.on('wsClientError', (fault, socket) =>
    writeRefusal(socket, new RfqError('invalid_request', { detail: fault.message })),
  )
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Node has removed its own listener, and adds it again when the socket is given back.
    const giveUp = () => socket.destroy()
    socket.on('error', giveUp)
    const response = new ServerResponse(request)
    if (!isAssigned(response, socket as Socket)) return socket.destroy()
    if (!asksForWebSocket(request)) {
      response.detachSocket(socket as Socket)
      socket.removeListener('error', giveUp)
      return ignoreUpgrade(app.server, request, socket, head)
    }
    heads.set(request, head)
    response.shouldKeepAlive = false
    response.on('finish', () => (socket as Socket).destroySoon())
    app.routing(request, response)
  })

  return (request, reply, onSocket) => {
    const head = heads.get(request.raw)
    if (head === undefined) {
      throw new RfqError('invalid_request', { detail: 'This path accepts only WebSocket connections.' })
    }
    const { socket } = request.raw
    reply.hijack()
    reply.raw.detachSocket(socket)
    server.handleUpgrade(request.raw, socket, head, (webSocket) => onSocket(webSocket, socket))
  }
}

/** False while an earlier request on the connection waits for its answer. */
function isAssigned(response: ServerResponse, socket: Socket): boolean {
  try {
    response.assignSocket(socket)
    return true
  } catch {
    return false
  }
}

/** Only a GET may ask for a WebSocket. */
const asksForWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'

/**
 * Serves a request as if it had not asked for another protocol: `curl --http2` and the HTTP client of Java ask for h2c
 * with the first request on a connection, whatever its method. Node has detached the connection by then, body unread,
 * so it is given back with its head as it came but for the one header.
 * @see RFC 9110, section 7.8
 */
function ignoreUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  if (hasTooManyHeaders(request)) {
    socket.on('error', () => socket.destroy())
    writeRefusal(socket, tooManyHeaders())
    return
  }
  socket.unshift(Buffer.concat([encodeHead(request), head]))
  server.emit('connection', socket)
}

/** Node reads headers as Latin-1. */
function encodeHead({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}
