import type { IncomingMessage, ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { openHttpServer, type Received } from '../kit/server.ts'

export type Call = {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: unknown
  answer: (status: number, body: unknown, headers?: Record<string, string>) => void
  /** Starts an event stream; what it returns writes raw text to it. */
  stream: () => { write: (text: string) => void; end: () => void; closed: Promise<void> }
  cut: () => void
}

/** A server on a real port that does what a test tells it, call by call, and closes with the test. */
export type FakeServer = {
  url: string
  calls: Call[]
  /** The next call, in order of arrival, whether it came already or not. */
  nextCall: () => Promise<Call>
  /** The next socket that connects, with the messages it sent so far and later. */
  nextSocket: () => Promise<{ socket: WebSocket; url: string; messages: string[] }>
  close: () => Promise<void>
}

/** Listens on a free port of the loopback, or on `port`; who asks for a socket where it takes none has made a call. */
export async function startFakeServer({
  port = 0,
  takesSockets = true,
}: {
  port?: number
  takesSockets?: boolean
} = {}): Promise<FakeServer> {
  const calls = createMailbox<Call>()
  const sockets = createMailbox<{ socket: WebSocket; url: string; messages: string[] }>()
  const { url, server, close } = await openHttpServer((response, request) => calls.put(callOf(request, response)), {
    port,
  })
  onTestFinished(close)
  const socketServer = new WebSocketServer(takesSockets ? { server } : { noServer: true })
  socketServer.on('connection', (socket, request) => {
    const messages: string[] = []
    socket.on('message', (data) => messages.push(String(data)))
    sockets.put({ socket, url: request.url ?? '', messages })
  })
  return { url, calls: calls.all, nextCall: calls.take, nextSocket: sockets.take, close }
}

function callOf({ method, url, headers, socket, body }: Received, response: ServerResponse): Call {
  return {
    method,
    path: url,
    headers,
    body: body === '' ? undefined : JSON.parse(body),
    answer: (status, answer, headers = {}) => {
      const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
    },
    stream: () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      const closed = new Promise<void>((resolve) => response.once('close', () => resolve()))
      return { write: (text) => void response.write(text), end: () => void response.end(), closed }
    },
    cut: () => socket.destroy(),
  }
}

function createMailbox<Item>() {
  const all: Item[] = []
  const waiting: ((item: Item) => void)[] = []
  let taken = 0
  return {
    all,
    put: (item: Item) => {
      all.push(item)
      const take = waiting.shift()
      if (take === undefined) return
      taken += 1
      take(item)
    },
    take: (): Promise<Item> => {
      const item = all[taken]
      if (item === undefined) return new Promise((resolve) => waiting.push(resolve))
      taken += 1
      return Promise.resolve(item)
    },
  }
}
