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
import { onTestFinished } from 'vitest'

/** A server that listens. `close` breaks its connections, too. */
export type Listening = { url: string; port: number; close: () => Promise<void> }

/** A request with its body; `url` begins with its path. */
export type Received = Pick<IncomingMessage, 'headers' | 'socket'> & {
  method: string
  url: string
  query: URLSearchParams
  body: string
}

/** How a server answers. One that throws has its connection broken. */
export type Play = (response: ServerResponse, request: Received) => unknown

/** A server and what it was asked, oldest first. */
export type HttpServer = Listening & { requests: Received[]; server: WebServer }

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
  const server = createServer(async (incoming, response) => {
    response.on('error', () => {})
    try {
      const { method = '', url = '/', headers, socket } = incoming
      const body = await text(incoming)
      const request = { method, url, query: new URL(url, 'http://server').searchParams, headers, socket, body }
      requests.push(request)
      await play(response, request)
    } catch {
      response.destroy()
    }
  })
  return { ...(await listen(server, place)), requests, server }
}

/** An HTTP server that ends with its test. */
export const httpServer = async (play: Play): Promise<HttpServer> => closeWithTest(await openHttpServer(play))

/** A server of bare TCP, or of a socket at a `path`, that ends with its test. */
export const tcpServer = async (greet: (socket: Socket) => unknown, place?: ListenOptions): Promise<Listening> =>
  closeWithTest(await listen(createTcpServer(greet), place))

function closeWithTest<Opened extends Listening>(server: Opened): Opened {
  onTestFinished(server.close)
  return server
}
