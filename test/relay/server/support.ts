import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { RelaySettings } from '../../../src/relay/core/ports/ports.ts'
import type { WebPages } from '../../../src/relay/server/pages/files.ts'
import type { SandboxChain } from '../../../src/relay/server/pages/sandbox-chain.ts'
import type { Turns } from '../../../src/relay/server/plugins/turn-budget.ts'
import type { ServerSettings } from '../../../src/relay/server/route-context.ts'
import { createServer, type Server } from '../../../src/relay/server/server.ts'
import { createSseParser, type SseBlock } from '../../kit/sse-parser.ts'
import { assertAnswerDocumented, assertEventDocumented, assertMessageDocumented } from '../../support/api/documented.ts'
import { createFakeIds } from '../../support/fake-ids.ts'
import { createTestRelay, type TestRelay } from '../../support/test-relay.ts'

/** The real server on a free port, over the real relay on memory adapters and a fake clock. */
export type TestServer = TestRelay & {
  server: Server
  url: string
  wsUrl: string
  port: number
  call: (method: string, path: string, input?: CallInput) => Promise<Answer>
  /** With a body, a POST. */
  stream: (path: string, headers?: Record<string, string>, body?: unknown) => Promise<TestStream>
  socket: (path?: string, options?: SocketOptions) => TestSocket
}

type SocketOptions = { origin?: string; headers?: Record<string, string> }

type CallInput = { body?: unknown; text?: string; headers?: Record<string, string> }

export type Answer = {
  status: number
  headers: IncomingMessage['headers']
  body: Record<string, unknown>
  text: string
}

export const SERVER_SETTINGS: ServerSettings = {
  software: '1.2.3',
  wsAuthTimeoutMs: 3_000,
  maxStreamsPerKey: 16,
  maxStreamsPerAddress: null,
  trustProxy: false,
  corsOrigins: '*',
  requestRate: null,
  faucetShare: null,
  maxConnections: null,
  maxConnectionsPerAddress: null,
  keepAliveMs: 10_000,
  settlementApiKey: null,
  operatorToken: null,
  relayerUrl: null,
  formerSettlementAddresses: [],
  partnerFee: null,
  explorerUrl: null,
}

export const ADA = { 'x-api-key': 'key-of-ada' }
export const BOB = { 'x-api-key': 'key-of-bob' }

const { digest } = createFakeIds()

/** Two makers with keys, as an operator would configure them. */
export const KEYS: Partial<RelaySettings> = {
  staticKeys: [
    { digest: digest(ADA['x-api-key']), makerId: 'ada' },
    { digest: digest(BOB['x-api-key']), makerId: 'bob' },
  ],
}

/** No keys and no store: anybody may quote (decision M5). */
export const OPEN_MODE: Partial<RelaySettings> = { openMode: true }

/** Starts a server that ends with its test. */
export async function startServer(
  options: {
    relay?: Partial<RelaySettings>
    server?: Partial<ServerSettings>
    turns?: Turns
    web?: WebPages
    sandbox?: SandboxChain
    fixture?: Parameters<typeof createTestRelay>[0]
  } = {},
): Promise<TestServer> {
  const fixture = createTestRelay({ ...options.fixture, settings: options.relay ?? KEYS })
  const { turns } = options
  const settings = { ...SERVER_SETTINGS, ...options.server }
  const parts = {
    web: options.web ?? null,
    sandbox: options.sandbox ?? null,
    ...(turns === undefined ? {} : { turns }),
  }
  const server = createServer({ ...fixture, settings, ...parts })
  const { url, wsUrl } = await server.listen({ host: '127.0.0.1', port: 0 })
  const clients = new Set<{ destroy: () => void }>()
  onTestFinished(async () => {
    for (const client of clients) client.destroy()
    await server.close()
  })
  const keep = <Client extends { destroy: () => void }>(client: Client): Client => {
    clients.add(client)
    return client
  }
  return {
    ...fixture,
    server,
    url,
    wsUrl,
    port: Number(new URL(url).port),
    call: (method, path, input) => call(`${url}${path}`, method, input),
    stream: async (path, headers = {}, body) => keep(await openStream(`${url}${path}`, headers, body)),
    socket: (path = '/maker/v1/ws', settings = {}) => keep(openSocket(`${wsUrl}${path}`, settings)),
  }
}

/** From here on no timer of a library fires: what still happens is the server's own doing. */
export function holdLibraryTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

async function call(url: string, method: string, input: CallInput = {}): Promise<Answer> {
  const sent = input.text ?? (input.body === undefined ? undefined : JSON.stringify(input.body))
  const headers = { ...(sent === undefined ? {} : { 'content-type': 'application/json' }), ...input.headers }
  const response = await respond(url, method, headers, sent)
  const text = await textOf(response)
  const status = response.statusCode ?? 0
  const contentType = response.headers['content-type'] ?? null
  // A HEAD is documented as the GET, whose body it has not.
  if (method !== 'HEAD') assertAnswerDocumented({ method, path: pathOf(url), status, contentType, text })
  const isJson = contentType?.startsWith('application/json') === true && text !== ''
  return { status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} }
}

function respond(
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: string,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, agent: false }, resolve)
    request.on('error', reject)
    request.end(body)
  })
}

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}

export type TestStream = {
  status: number
  headers: IncomingMessage['headers']
  /** The next frame; null when the stream has ended. */
  next: () => Promise<SseBlock | null>
  /** The next frame that is an event. */
  event: () => Promise<SseBlock | null>
  destroy: () => void
}

async function openStream(url: string, headers: Record<string, string>, body?: unknown): Promise<TestStream> {
  const response = await (body === undefined
    ? respond(url, 'GET', headers)
    : respond(url, 'POST', { 'content-type': 'application/json', ...headers }, JSON.stringify(body)))
  const frames = framesOf(response)
  const next = async () => {
    const frame = (await frames.next()).value ?? null
    const { event, id = null, data } = frame ?? {}
    if (event !== undefined) assertEventDocumented(pathOf(url), { event, id, data })
    return frame
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    next,
    event: async () => {
      let frame = await next()
      while (frame !== null && frame.event === undefined) frame = await next()
      return frame
    },
    destroy: () => response.destroy(),
  }
}

async function* framesOf(response: IncomingMessage): AsyncGenerator<SseBlock, null> {
  const parser = createSseParser()
  for await (const chunk of response.setEncoding('utf8')) yield* parser.push(chunk)
  yield* parser.end()
  return null
}

export type TestSocket = {
  socket: WebSocket
  opened: Promise<void>
  /** The next message; the close code when the socket closes instead. */
  next: () => Promise<Record<string, unknown> | number>
  send: (message: unknown) => void
  destroy: () => void
}

function openSocket(url: string, options: SocketOptions): TestSocket {
  const socket = new WebSocket(url, { ...options, perMessageDeflate: false })
  const queue: (Record<string, unknown> | number)[] = []
  const waiting: ((value: Record<string, unknown> | number) => void)[] = []
  const put = (value: Record<string, unknown> | number) => {
    const taker = waiting.shift()
    if (taker === undefined) queue.push(value)
    else taker(value)
  }
  socket.on('message', (data) => {
    const message = JSON.parse(data.toString())
    assertMessageDocumented(pathOf(url), message)
    put(message)
  })
  socket.on('close', (code) => put(code))
  const opened = once(socket, 'open').then(() => {})
  opened.catch(() => {})
  return {
    socket,
    opened,
    next: () => {
      const value = queue.shift()
      return value === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(value)
    },
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    destroy: () => socket.terminate(),
  }
}

/** Sends bytes as they are and resolves with all that comes back until the other end closes. */
export async function rawExchange(port: number, text: string): Promise<string> {
  const socket = rawSocket(port)
  socket.write(text)
  return textOf(socket)
}

/** A bare connection that ends with its test. */
export function rawSocket(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1' })
  onTestFinished(() => void socket.destroy())
  return socket
}

export const openBody = () => ({
  market: { conditionId: `0x${'11'.repeat(32)}`, yesTokenId: '123456789', question: 'Will it rain?' },
  option: { optionType: 'call', strikeBps: 4_500, expiryMs: (Date.UTC(2026, 0, 1) / 1_000 + 3_600) * 1_000 },
  trade: { side: 'buy', budgetUsd: 100 },
})
