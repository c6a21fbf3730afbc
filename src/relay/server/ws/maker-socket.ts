import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { type ErrorCode, RfqError } from '@rfqctl/protocol/domain/errors'
import {
  countCalls,
  decodeMakerCommand,
  type MakerCalls,
  type MakerCommand,
  type Subscription,
} from '@rfqctl/protocol/wire/maker-commands'
import {
  encodeConnected,
  encodePong,
  encodePostTrade,
  type PostTradeMessage,
} from '@rfqctl/protocol/wire/maker-messages'
import { WebSocket } from 'ws'
import type { Stop } from '../../core/ports/runtime.ts'
import { UNKNOWN_KEY_COST } from '../plugins/maker-auth.ts'
import { createBucket } from '../plugins/request-rates.ts'
import type { Place } from '../plugins/turn-budget.ts'
import type { RouteContext } from '../route-context.ts'
import { createOutbox } from './frame.ts'
import { letFramesIn } from './frames-in.ts'
import { type CallLine, createCallLine } from './maker-calls.ts'
import { createRequestFeed, type FeedStart, type RequestFeed } from './request-feed.ts'

/** How a socket came in, and its key in header or query, if any. */
export type MakerCall = { apiKey: string | null; address: string }

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
  too_many_requests: 1008,
}
const INTERNAL_ERROR = 1011

/**
 * What may come before the auth message, which the specification has first: pings and subscriptions of clients that do not wait, and
 * one message that means nothing, which counts for as many as it takes that the second one is too much.
 */
const MOST_EARLY = 16
const STRAY = MOST_EARLY / 2

/** Frames that a socket may send in a second, and at once after a rest; each quote counts, and a ping as much as one (decision X7). */
const FRAME_RATE = { perS: 10_000, burst: 20_000 }

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
  { apiKey, address }: MakerCall,
): void {
  const { relay, clock, log, settings, sockets, turns } = context
  let phase: 'waiting' | 'authenticating' | 'connected' = 'waiting'
  const leaving: Stop[] = []
  /** What came before the auth message. */
  let early = 0
  let place: Place = { turns: turns.strangers, client: () => address }
  const subscriptions = new Set<Subscription>()
  /** What holds the maker back, which its channel tells once: who asks for it later hears it then. */
  let suspension: PostTradeMessage | null = null
  let line: CallLine | null = null
  let requests: RequestFeed | null = null
  /** Where requests are to begin, asked for before the maker is connected. */
  let earlyRequests: FeedStart | null = null

  const waitMs = relay.openMode ? ANONYMOUS_AFTER_MS : settings.wsAuthTimeoutMs
  const stopWaiting = clock.schedule(clock.now() + waitMs, () => void authenticate(null))

  const { send, answer, flush } = createOutbox({ hold: context.hold, write })

  function write(frames: Buffer): void {
    if (socket.readyState !== WebSocket.OPEN) return
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate()
    else connection.write(frames)
  }

  const takeFrames = createBucket(FRAME_RATE, clock)
  const framesIn = letFramesIn({ socket, connection, place: () => place, onFrame: () => charge(1) })

  function charge(frames: number): void {
    if (takeFrames(frames) > 0 && socket.readyState === WebSocket.OPEN) refuse(new RfqError('too_many_requests'))
  }

  /** What comes behind the auth message stays in the kernel until its maker is connected. */
  async function authenticate(sent: string | null): Promise<void> {
    if (phase !== 'waiting') return
    phase = 'authenticating'
    stopWaiting()
    framesIn.hold()
    try {
      const maker = await relay.authenticateMaker(sent, () => context.charge(address, UNKNOWN_KEY_COST))
      const { makerId } = maker
      if (socket.readyState !== WebSocket.OPEN) return
      leaving.push(context.limits.take({ apiKey: sent, address }))
      leaving.push(relay.watchMaker(maker, cutOff))
      phase = 'connected'
      place = { turns: turns.known, client: () => makerId }
      line = createCallLine({ ...context, meter: context.operations.meter, makerId, send: answer })
      // Only then: who quotes at once must count on every node.
      const stop = await relay.openMakerChannel({
        makerId,
        connectionId: randomUUID(),
        onOpen: () => send(encodeConnected(makerId, relay.now())),
        onMessage: tell,
      })
      leaving.push(stop)
      if (socket.readyState !== WebSocket.OPEN) return leave()
      requests = createRequestFeed({ context, makerId, address, connection })
      if (earlyRequests !== null) requests.begin(earlyRequests)
    } catch (fault) {
      refuse(fault)
    } finally {
      framesIn.goOn()
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
    else if (phase === 'waiting') countEarly(command)
    if (command?.kind === 'subscribe') subscribe(command)
    if (command?.kind === 'unsubscribe') unsubscribe()
    if (command?.kind === 'calls') takeCalls(command.calls)
    if (command?.kind === 'ping' && phase === 'connected') send(encodePong(relay.now()))
  }

  /** Who goes on without a key has none. */
  function countEarly(command: MakerCommand | null): void {
    early += command === null || command.kind === 'calls' ? STRAY : 1
    if (early >= MOST_EARLY) void authenticate(null)
  }

  function takeCalls(calls: MakerCalls): void {
    const more = countCalls(calls) - 1
    framesIn.weigh(more)
    if (more > 0) charge(more)
    line?.take(calls)
  }

  function leave(): void {
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
