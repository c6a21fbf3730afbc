import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { writeRefusal } from '../failures.ts'
import { hasTooManyHeaders, tooManyHeaders } from '../header-count.ts'

/** Whether a request asks for a WebSocket, by a method that may. */
export const asksForWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'

/**
 * Serves a request as if it had not asked for another protocol: `curl --http2` and the HTTP client of Java ask for h2c
 * with the first request on a connection, whatever its method. Node has taken the connection away by then, body unread;
 * it is given back with the head as it came but for the one header.
 * @see RFC 9110, section 7.8
 */
export function ignoreUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
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
