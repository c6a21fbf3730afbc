import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

type Play = (response: ServerResponse, request: IncomingMessage) => void

/** A public API on loopback, which plays what a test tells it: one play per request, the last one for all that follow. */
export type SourceServer = {
  url: string
  /** The queries that came, oldest first. */
  queries: URLSearchParams[]
  plays: Play[]
}

/** A source that ends with its test. */
export async function startSource(...plays: Play[]): Promise<SourceServer> {
  const queries: URLSearchParams[] = []
  const server = createServer((request, response) => {
    queries.push(new URL(request.url ?? '/', 'http://source').searchParams)
    response.on('error', () => {})
    const play = plays.length > 1 ? plays.shift() : plays[0]
    play?.(response, request)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`, queries, plays }
}

/** Answers with a JSON value. */
export const json =
  (value: unknown, status = 200): Play =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  }

/** Answers with text as it is. */
export const text =
  (body: string, status = 200, headers: Record<string, string> = {}): Play =>
  (response) => {
    response.writeHead(status, headers).end(body)
  }

/** Takes the request and never says a word. */
export const silence: Play = () => {}

/** Drops the connection without an answer. */
export const hangUp: Play = (_, request) => request.socket.destroy()

/** Sends the start of an answer and nothing more. */
export const stall: Play = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"history":[')
}

/** Sends the start of an answer and drops the connection. */
export const breakOff: Play = (response, request) => {
  response.writeHead(200, { 'content-length': '1000' }).write('{"history":[', () => request.socket.destroy())
}

/** Sends JSON that never ends, as fast as it is read. */
export const flood: Play = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const chunk = `${'1,'.repeat(32_768)}`
  const pump = () => {
    while (response.write(chunk)) {
      if (response.destroyed) return
    }
  }
  response.on('drain', pump)
  pump()
}
