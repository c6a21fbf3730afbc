import { type LinkedAbort, onAbort } from '@rfqctl/lib/abort'
import { decodeFailure } from '@rfqctl/protocol/wire/envelope'
import { encodeAuth, encodeSubscribe, encodeUnsubscribe } from '@rfqctl/protocol/wire/maker-commands'
import type { Timing } from './connection.ts'
import { RelayError, RelayUnreachableError, UNEXPECTED_ANSWER } from './errors.ts'
import { createQueue, type Queue } from './queue.ts'

/** A JSON message of a relay's socket. */
export type SocketMessage = { type: string } & Record<string, unknown>

/** An event of the maker stream as a socket carries it. */
export type SocketEvent = { event: string; data: unknown; id: string | undefined }

/** Event after which requests start, and whether those of packages and of both sides are included. */
export type RequestsStart = { lastEventId: string | undefined; packages: boolean; twoSided: boolean }

/** One connection of a maker's socket, until it is lost. */
export type SocketLink = {
  /**
   * Features that the relay offers on it beyond version 3; empty where it names none. Rejects when the socket is lost before it has
   * connected.
   */
  offers: Promise<ReadonlySet<string>>
  /** All messages but requests and answers, from the first on. */
  messages: () => AsyncGenerator<SocketMessage, void>
  /**
   * Requests after an id; null where they are read already. Rejects when the relay ends them, the socket is lost, or the signal aborts.
   */
  requests: (from: RequestsStart, signal: AbortSignal) => AsyncGenerator<SocketEvent, void> | null
  /** Makes a call and reads its answer; null where it can take no call now. Rejects like a call over HTTP. */
  call: (type: string, fields: object) => Promise<SocketMessage> | null
  /** Closes it; everything that waits for it fails as if it was lost. */
  close: () => void
}

/** The close code of a missing or invalid key, and of a blocked maker. */
const UNAUTHORIZED = 4001

/** The close reason of a maker that the operator has shut out. */
const BLOCKED = 'maker_blocked'

/** Far more than any message of the protocol; a larger one closes the connection. */
const MAX_MESSAGE_BYTES = 256 * 1024

/** Most calls under way; the relay refuses further ones. */
const MAX_CALLS = 256

/** A call that is not answered by then counts as lost. */
const CALL_TIMEOUT_MS = 15_000

/**
 * Opens a socket. The key goes in the first message, never in the address. Pings are answered by the WebSocket library; a
 * connection silent for too long is dropped. It ends by a refused key with `invalid_api_key` or `maker_blocked`, else as unreachable.
 */
export async function openSocket(input: {
  url: string
  apiKey: string | null
  connection: LinkedAbort
  timing: Timing
  onOpen: () => void
}): Promise<SocketLink> {
  const { url, apiKey, connection, onOpen } = input
  const { clock, watchdogMs } = input.timing
  // Loaded here, so that a browser that imports the client for its taker loads nothing of Node.
  const { WebSocket } = await import('ws')
  connection.signal.throwIfAborted()
  const messages = createQueue<SocketMessage>()
  const calls = new Map<string, Answer<SocketMessage>>()
  const offered = createAnswer<ReadonlySet<string>>()
  let offers: ReadonlySet<string> = new Set()
  let requests: { queue: Queue<SocketEvent>; hasBegun: boolean } | null = null
  let lastRef = 0
  let fault: Error | null = null

  const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: MAX_MESSAGE_BYTES })
  const send = (message: object) => socket.send(JSON.stringify(message))

  function end(error: Error): void {
    if (fault !== null) return
    fault = error
    stopWatchdog()
    release()
    offered.reject(error)
    messages.end(error)
    requests?.queue.end(error)
    for (const { reject } of calls.values()) reject(error)
    socket.terminate()
  }
  const lost = (reason: string, cause?: unknown) => end(new RelayUnreachableError(url, { reason, cause }))

  let stopWatchdog = () => {}
  const restartWatchdog = () => {
    stopWatchdog()
    stopWatchdog = clock.schedule(clock.now() + watchdogMs, () => lost(`silent for ${watchdogMs} ms`))
  }
  const release = onAbort(connection.signal, () => lost('the client closed it'))

  function take(message: SocketMessage): void {
    const { type, ref } = message
    if (type === 'connected') {
      offers = new Set(Array.isArray(message.offers) ? message.offers.map(String) : [])
      offered.resolve(offers)
    }
    if (type === 'requests') takeEvent(message)
    else if (isTaken(type) || type === 'quote:error') calls.get(String(ref))?.resolve(message)
    else messages.push(message)
  }

  /** Ignores requests that are still in transit for an earlier reader. */
  function takeEvent({ event, data, id }: SocketMessage): void {
    if (requests === null) return
    requests.hasBegun ||= event === 'connected' || event === 'ended'
    if (!requests.hasBegun) return
    if (event === 'ended') requests.queue.end(requestsEnded(url, data))
    else requests.queue.push({ event: String(event), data, id: id === undefined ? undefined : String(id) })
  }

  async function* readRequests(from: RequestsStart, signal: AbortSignal): AsyncGenerator<SocketEvent, void> {
    const own = { queue: createQueue<SocketEvent>(), hasBegun: false }
    requests = own
    const closed = new RelayUnreachableError(url, { reason: 'the client closed it' })
    const unlink = onAbort(signal, () => own.queue.end(closed))
    send(encodeSubscribe('requests', from))
    try {
      yield* own.queue.read()
    } finally {
      unlink()
      requests = null
      if (fault === null) send(encodeUnsubscribe())
    }
  }

  restartWatchdog()
  socket.on('open', () => {
    onOpen()
    if (apiKey !== null) send(encodeAuth(apiKey))
    for (const to of ['orders', 'standing'] as const) send(encodeSubscribe(to))
  })
  socket.on('ping', restartWatchdog)
  socket.on('message', (data) => {
    restartWatchdog()
    const message = parseMessage(String(data))
    if (message !== null) take(message)
  })
  socket.on('unexpected-response', (_, { statusCode }) => {
    // Without a socket, requests and calls use HTTP.
    offered.resolve(offers)
    lost(`the socket was refused with ${statusCode}`)
  })
  socket.on('error', (error) => lost(error.message, error))
  socket.on('close', (code, reason) => {
    if (code !== UNAUTHORIZED) lost(`the socket closed with ${code}`)
    else if (String(reason) === BLOCKED) end(new RelayError({ code: BLOCKED, status: 403 }))
    else end(new RelayError({ code: 'invalid_api_key', status: 401 }))
  })

  return {
    offers: offered.promise,
    messages: messages.read,
    requests: (from, signal) => (requests === null && fault === null ? readRequests(from, signal) : null),
    call: (type, fields) => {
      if (fault !== null || !offers.has(type === 'levels' ? 'levels' : 'calls') || calls.size >= MAX_CALLS) return null
      lastRef += 1
      const ref = String(lastRef)
      const answer = createAnswer<SocketMessage>()
      calls.set(ref, answer)
      const giveUp = () =>
        answer.reject(new RelayUnreachableError(url, { reason: `no answer within ${CALL_TIMEOUT_MS} ms` }))
      const stopTimer = clock.schedule(clock.now() + CALL_TIMEOUT_MS, giveUp)
      send({ type, ref, ...fields })
      return answer.promise.then(answerOf).finally(() => {
        stopTimer()
        calls.delete(ref)
      })
    },
    close: () => lost('the client closed it'),
  }
}

type Answer<Value> = {
  promise: Promise<Value>
  resolve: (value: Value) => void
  reject: (error: Error) => void
}

/** An answer that is still to come, or a fault that no one may be waiting for. */
function createAnswer<Value>(): Answer<Value> {
  let resolve: Answer<Value>['resolve'] = () => {}
  let reject: Answer<Value>['reject'] = () => {}
  const promise = new Promise<Value>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}

const isTaken = (type: unknown): boolean => type === 'quote:ok' || type === 'levels:ok'

/** Answer of a successful call, in the form of HTTP; throws a refusal. */
function answerOf({ type, ref: _, ...fields }: SocketMessage): SocketMessage {
  if (isTaken(type)) return { type, ...fields, success: true }
  const { status, ...failure } = fields
  const known = decodeFailure({ ...failure, success: false })
  throw new RelayError({ ...(known ?? { code: UNEXPECTED_ANSWER }), status: typeof status === 'number' ? status : 500 })
}

function requestsEnded(url: string, data: unknown): RelayUnreachableError {
  const retryMs = typeof data === 'object' && data !== null && 'retryMs' in data ? data.retryMs : null
  const retryAfterMs = typeof retryMs === 'number' ? retryMs : null
  return new RelayUnreachableError(url, { reason: 'the relay ended the requests', retryAfterMs })
}

/** Binary frames may carry the same JSON; other messages are skipped. */
function parseMessage(text: string): SocketMessage | null {
  try {
    const value: unknown = JSON.parse(text)
    const isMessage = typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
    return isMessage ? (value as SocketMessage) : null
  } catch {
    return null
  }
}
