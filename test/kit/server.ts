import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, type Server as WebServer } from 'node:http'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type ListenOptions,
  type Server,
  type Socket,
} from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished } from 'vitest'

/** A server that listens. `close` breaks its connections, too. */
export type Listening = { url: string; port: number; close: () => Promise<void> }

/** A request with its body; `url` begins with its path. */
export type Received = Pick<IncomingMessage, 'headers' | 'socket'> & {
  method: string
  url: string
  query: URLSearchParams
  body: string
}

/** How a server answers. One that throws has its connection broken, and fails the test that it ends with. */
export type Play = (response: ServerResponse, request: Received) => unknown

/** A server, the last of what it was asked, oldest first, and why plays of its have thrown. */
export type HttpServer = Listening & { requests: Received[]; faults: unknown[]; server: WebServer }

/** A server that stands before a busy node keeps no more. */
const MOST_REQUESTS = 10_000

/** Lets a server listen, by default on a free port of the loopback. */
export async function listen(server: Server, place: ListenOptions = { port: 0 }): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  server.listen(place.path === undefined ? { host: '127.0.0.1', ...place } : place)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: async () => {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** An HTTP server that its caller closes. */
export async function openHttpServer(play: Play, place?: ListenOptions): Promise<HttpServer> {
  const requests: Received[] = []
  const faults: unknown[] = []
  const server = createServer(async (incoming, response) => {
    response.on('error', () => {})
    try {
      const { method = '', url = '/', headers, socket } = incoming
      const body = await text(incoming)
      const request = { method, url, query: new URL(url, 'http://server').searchParams, headers, socket, body }
      if (requests.push(request) > MOST_REQUESTS) requests.shift()
      await play(response, request)
    } catch (fault) {
      // A client that has left is no fault of the play.
      if (!incoming.destroyed || incoming.complete) faults.push(fault)
      response.destroy()
    }
  })
  return { ...(await listen(server, place)), requests, faults, server }
}

/** An HTTP server that ends with its test. */
export async function httpServer(play: Play): Promise<HttpServer> {
  const opened = closeWithTest(await openHttpServer(play))
  onTestFinished(() => expect(opened.faults).toEqual([]))
  return opened
}

/** A server of bare TCP, or of a socket at a `path`, that ends with its test. */
export const tcpServer = async (greet: (socket: Socket) => unknown, place?: ListenOptions): Promise<Listening> =>
  closeWithTest(await listen(createTcpServer(greet), place))

function closeWithTest<Opened extends Listening>(server: Opened): Opened {
  onTestFinished(server.close)
  return server
}
