import { afterAll, expect } from 'vitest'
import { WebSocket } from 'ws'
import { describeApi } from '../../../src/relay/server/openapi/describe.ts'
import { createJudge } from './judge.ts'
import { createSseTap } from './sse-tap.ts'

const DOCUMENTS = await describeApi()

/**
 * Judges by the documents all that the tests of a file get from relays with `fetch` or the `ws` client, and fails the
 * file for what is not as documented. It only looks on: bodies and messages arrive as they would, at the reader's pace.
 * What the documents have no route for is not a relay's, or not there.
 */
export function watchWire(): void {
  const judge = createJudge(DOCUMENTS)
  const complaints: string[] = []
  const reading = new Set<Promise<unknown>>()
  const { fetch } = globalThis
  const { emit } = WebSocket.prototype

  globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init)
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET')
    const path = `${pathname}${search}`
    if (!judge.knows(method, path)) return response
    const { status } = response
    const contentType = response.headers.get('content-type')
    const isStream = contentType?.startsWith('text/event-stream') ?? false
    if (isStream && response.body !== null) {
      const tap = createSseTap((event) => complaints.push(...judge.event(path, event)))
      Object.defineProperty(response, 'body', { value: response.body.pipeThrough(tap) })
    }
    const read = isStream ? Promise.resolve('') : response.clone().text()
    const judged = read.then(
      (text) => complaints.push(...judge.answer({ method, path, status, contentType, text })),
      () => 'its reader left before the end',
    )
    reading.add(judged)
    return response
  }

  WebSocket.prototype.emit = function (this: WebSocket, name: string | symbol, ...args: unknown[]) {
    // Sockets of a server in this process have no address.
    const isClient = typeof this.url === 'string'
    if (name === 'message' && isClient) {
      complaints.push(...judge.message(new URL(this.url).pathname, JSON.parse(String(args[0]))))
    }
    return emit.call(this, name, ...args)
  }

  afterAll(async () => {
    globalThis.fetch = fetch
    WebSocket.prototype.emit = emit
    await Promise.all(reading)
    expect(complaints, 'what came over the wire is not as documented').toEqual([])
  })
}
