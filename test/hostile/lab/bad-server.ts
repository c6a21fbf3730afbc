import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keep } from '../../kit/keep.ts'

/** How a server answers one request. */
export type Play = (response: ServerResponse, request: IncomingMessage) => void

/** A server that a relay asks, and that answers as it is told to. */
export type BadServer = {
  url: string
  /** How many requests have come. */
  asked: () => number
  /** Answers so from now on; null: as the server behind it does. */
  play: (how: Play | null) => void
}

/** Starts one; without a server behind it, it answers `{}`. */
export async function startBadServer(behind?: string): Promise<BadServer> {
  let how: Play | null = null
  let count = 0
  async function passOn(response: ServerResponse, request: IncomingMessage): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (behind === undefined) return void response.end('{}')
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(behind, { method: 'POST', headers, body: Buffer.concat(chunks) })
    response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()))
  }
  const server = createServer((request, response) => {
    count += 1
    response.on('error', () => {})
    if (how !== null) how(response, request)
    else passOn(response, request).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  keep(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked: () => count,
    play: (next) => {
      how = next
    },
  }
}
