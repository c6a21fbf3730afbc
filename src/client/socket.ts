import { encodeAuth, encodeSubscribe } from '../wire/maker-commands.ts'
import { type LinkedAbort, onAbort } from './abort.ts'
import { type OnConnectionState, reconnecting, type Timing } from './connection.ts'
import { RelayError, RelayUnreachableError } from './errors.ts'
import { createQueue } from './queue.ts'

/** A JSON message of a relay's socket. */
export type SocketMessage = { type: string } & Record<string, unknown>

/** The close code of a missing or invalid key, and of a blocked maker. */
const UNAUTHORIZED = 4001

/** The close reason of a maker that the operator has shut out. */
const BLOCKED = 'maker_blocked'

/** Far more than any message of the protocol; a larger one closes the connection. */
const MAX_MESSAGE_BYTES = 256 * 1024

/**
 * The messages of the maker socket over as many connections as it takes. The key goes in the first message, never in the
 * address. Pings are answered by the WebSocket library; a connection silent for too long is dropped.
 * Ends only by a refused key (rejects with `invalid_api_key`, or `maker_blocked`), or by the signal (rejects with its reason).
 */
export function followSocket({
  url,
  apiKey,
  signal,
  timing,
  onConnectionState,
}: {
  url: string
  apiKey: string | null
  signal: AbortSignal | undefined
  timing: Timing
  onConnectionState?: OnConnectionState | undefined
}): AsyncGenerator<SocketMessage, never> {
  const { clock, watchdogMs } = timing

  async function* connect(connection: LinkedAbort): AsyncGenerator<SocketMessage, never> {
    // Loaded here, so that a browser that imports the client for its taker loads nothing of Node.
    const { WebSocket } = await import('ws')
    connection.signal.throwIfAborted()
    const messages = createQueue<SocketMessage>()
    const lost = (reason: string, cause?: unknown) => messages.end(new RelayUnreachableError(url, { reason, cause }))
    const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: MAX_MESSAGE_BYTES })
    let stopWatchdog = () => {}
    const restartWatchdog = () => {
      stopWatchdog()
      stopWatchdog = clock.schedule(clock.now() + watchdogMs, () => lost(`silent for ${watchdogMs} ms`))
    }
    restartWatchdog()
    socket.on('open', () => {
      onConnectionState?.({ kind: 'open' })
      if (apiKey !== null) socket.send(JSON.stringify(encodeAuth(apiKey)))
      for (const to of ['orders', 'standing'] as const) socket.send(JSON.stringify(encodeSubscribe(to)))
    })
    socket.on('ping', restartWatchdog)
    socket.on('message', (data) => {
      restartWatchdog()
      const message = parseMessage(String(data))
      if (message !== null) messages.push(message)
    })
    socket.on('error', (error) => lost(error.message, error))
    socket.on('close', (code, reason) => {
      if (code !== UNAUTHORIZED) lost(`the socket closed with ${code}`)
      else if (String(reason) === BLOCKED) messages.end(new RelayError({ code: BLOCKED, status: 403 }))
      else messages.end(new RelayError({ code: 'invalid_api_key', status: 401 }))
    })
    onAbort(connection.signal, () => lost('the client closed it'))
    try {
      yield* messages.read()
      throw new RelayUnreachableError(url, { reason: 'the socket ended' })
    } finally {
      stopWatchdog()
      socket.terminate()
    }
  }

  return reconnecting({ connect, signal, timing, onConnectionState })
}

/** Binary frames may carry the same JSON; what is no message of ours is passed over. */
function parseMessage(text: string): SocketMessage | null {
  try {
    const value: unknown = JSON.parse(text)
    const isMessage = typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
    return isMessage ? (value as SocketMessage) : null
  } catch {
    return null
  }
}
