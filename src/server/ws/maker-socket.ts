import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import { type ErrorCode, RfqError } from '../../domain/errors.ts'
import type { Stop } from '../../relay/ports/runtime.ts'
import { decodeMakerCommand, type MakerCommand, type Subscription } from '../../wire/maker-commands.ts'
import { encodeConnected, encodePong, encodePostTrade, type PostTradeMessage } from '../../wire/maker-messages.ts'
import type { RouteContext } from '../route-context.ts'
import { createOutbox } from './frame.ts'
import { type CallLine, createCallLine } from './maker-calls.ts'
import { createRequestFeed, type FeedStart, type RequestFeed } from './request-feed.ts'

/** How a socket came in: its key in header or query, if any, and whether this relay needs none (decision M5). */
export type MakerCall = { apiKey: string | null; address: string; isOpen: boolean }

/** How long an open relay waits for an auth message before it takes the maker as anonymous, in milliseconds (decision M5). */
const ANONYMOUS_AFTER_MS = 250

/** What a maker may leave unread before it is dropped; its messages are few and small. */
const MAX_UNREAD_BYTES = 1024 * 1024

/** How long a socket that was refused may take to close, in milliseconds. */
const CLOSE_MS = 1_000

/** How a socket is closed for a refusal (protocol socket-2). */
const CLOSE_CODES: Readonly<Partial<Record<ErrorCode, number>>> = {
  invalid_api_key: 4001,
  maker_blocked: 4001,
  too_many_connections: 4029,
}
const INTERNAL_ERROR = 1011

/** Messages beyond the specification are only for those that ask for them (decision X5). */
const ASKED_FOR: Readonly<Partial<Record<PostTradeMessage['kind'], Subscription>>> = {
  order_ended: 'orders',
  order_defunded: 'orders',
  missed: 'standing',
  suspended: 'standing',
  reinstated: 'standing',
}

/**
 * A maker's socket: authenticates once, by header, query or first message, then carries what the maker is told and calls. What is
 * no message of the protocol is ignored.
 */
export function serveMakerSocket(
  context: RouteContext,
  { socket, connection }: { socket: WebSocket; connection: Socket },
  { apiKey, address, isOpen }: MakerCall,
): void {
  const { relay, clock, log, settings, sockets } = context
  let phase: 'waiting' | 'authenticating' | 'connected' = 'waiting'
  const leaving: Stop[] = []
  /** Pings that came behind the auth message: they are answered once its maker is connected. */
  let earlyPings = 0
  const subscriptions = new Set<Subscription>()
  /** What holds the maker back, which its channel tells once: who asks for it later hears it then. */
  let suspension: PostTradeMessage | null = null
  let line: CallLine | null = null
  let requests: RequestFeed | null = null
  /** Where requests are to begin, asked for before the maker is connected. */
  let earlyRequests: FeedStart | null = null

  const waitMs = isOpen ? ANONYMOUS_AFTER_MS : settings.wsAuthTimeoutMs
  const stopWaiting = clock.schedule(clock.now() + waitMs, () => void authenticate(null))

  const { send, answer, flush } = createOutbox({ hold: context.hold, write })

  function write(frames: Buffer): void {
    if (socket.readyState !== WebSocket.OPEN) return
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate()
    else connection.write(frames)
  }

  async function authenticate(sent: string | null): Promise<void> {
    if (phase !== 'waiting') return
    phase = 'authenticating'
    stopWaiting()
    try {
      const maker = await relay.authenticateMaker(sent)
      const { makerId } = maker
      if (socket.readyState !== WebSocket.OPEN) return
      leaving.push(context.limits.take({ apiKey: sent, address }))
      leaving.push(relay.watchMaker(maker, cutOff))
      phase = 'connected'
      line = createCallLine({ ...context, meter: context.operations.meter, makerId, send: answer })
      send(encodeConnected(makerId, relay.now()))
      for (; earlyPings > 0; earlyPings -= 1) send(encodePong(relay.now()))
      const stop = await relay.openMakerChannel({
        makerId,
        connectionId: randomUUID(),
        onMessage: tell,
      })
      leaving.push(stop)
      if (socket.readyState !== WebSocket.OPEN) return leave()
      requests = createRequestFeed({ context, makerId, connection })
      if (earlyRequests !== null) requests.begin(earlyRequests)
    } catch (fault) {
      refuse(fault)
    }
  }

  function tell(message: PostTradeMessage): void {
    const asked = ASKED_FOR[message.kind]
    const isUnheard = asked !== undefined && !subscriptions.has(asked)
    if (message.kind === 'suspended') suspension = isUnheard ? message : null
    if (message.kind === 'reinstated') suspension = null
    if (!isUnheard) send(encodePostTrade(message, subscriptions.has('inventory')))
  }

  function subscribe(command: Extract<MakerCommand, { kind: 'subscribe' }>): void {
    if (command.to === 'requests') {
      if (requests === null) earlyRequests = command
      else requests.begin(command)
      return
    }
    subscriptions.add(command.to)
    if (command.to === 'standing' && suspension !== null) tell(suspension)
  }

  function unsubscribe(): void {
    earlyRequests = null
    requests?.end()
  }

  function obey(command: MakerCommand | null): void {
    if (command?.kind === 'auth') void authenticate(command.apiKey)
    if (command?.kind === 'subscribe') subscribe(command)
    if (command?.kind === 'unsubscribe') unsubscribe()
    if (command?.kind === 'calls') line?.take(command.calls)
    if (command?.kind !== 'ping') return
    if (phase === 'connected') send(encodePong(relay.now()))
    if (phase === 'authenticating') earlyPings += 1
  }

  function leave(): void {
    line?.stop()
    line = null
    requests?.stop()
    for (const stop of leaving.splice(0)) stop()
  }

  /** The key was revoked or the maker blocked: the maker has left at once, however long its socket takes to close. */
  function cutOff(code: ErrorCode): void {
    leave()
    refuse(new RfqError(code))
  }

  function refuse(fault: unknown): void {
    flush()
    requests?.stop()
    const code = fault instanceof RfqError ? fault.code : 'internal_error'
    const closeCode = CLOSE_CODES[code] ?? INTERNAL_ERROR
    if (closeCode === INTERNAL_ERROR) log.error('maker_socket_failed', { code, fault })
    socket.close(closeCode, code)
    // The library would wait half a minute for a peer that does not answer.
    leaving.push(clock.schedule(clock.now() + CLOSE_MS, () => socket.terminate()))
  }

  sockets.add(socket, flush)
  socket.on('message', (data) => {
    // What comes behind the close of a key that was revoked is not its maker's any more.
    if (socket.readyState !== WebSocket.OPEN) return
    // Nothing that a maker says may end more than its own socket.
    try {
      obey(decodeMakerCommand(data.toString()))
    } catch (fault) {
      refuse(fault)
    }
  })
  // A broken frame or one that is too large: the library has closed the socket with the right code.
  socket.on('error', () => requests?.stop())
  socket.on('close', () => {
    stopWaiting()
    leave()
  })
  if (apiKey !== null) void authenticate(apiKey)
}
