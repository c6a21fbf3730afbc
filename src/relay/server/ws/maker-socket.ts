import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { type ErrorCode, RfqError } from '@rfqctl/protocol/domain/errors'
import * as commandWire from '@rfqctl/protocol/wire/maker-commands'
import * as messageWire from '@rfqctl/protocol/wire/maker-messages'
import { WebSocket } from 'ws'
import type { Stop } from '../../core/ports/runtime.ts'
import type { CountOf } from '../maker-calls.ts'
import { UNKNOWN_KEY_COST } from '../plugins/maker-auth.ts'
import { createBucket } from '../plugins/request-rates.ts'
import type { Place } from '../plugins/turn-budget.ts'
import type { RouteContext } from '../route-context.ts'
import { type CallLine, createCallLine } from './call-line.ts'
import { createOutbox } from './frame.ts'
import { letFramesIn } from './frames-in.ts'
import { createRequestFeed, type FeedStart, type RequestFeed } from './request-feed.ts'

/** `apiKey` is from the header or the query; null without one. */
export type MakerCall = { apiKey: string | null; address: string }

/** An open relay waits this long for an auth message, then treats the maker as anonymous (decision M5). */
const ANONYMOUS_AFTER_MS = 250

/** Bytes that a maker may leave unread before it is dropped; its messages are few and small. */
const MAX_UNREAD_BYTES = 1024 * 1024

/** Time that a refused socket has to close. */
const CLOSE_MS = 1_000

/** Close codes of refusals (protocol socket-2). */
const CLOSE_CODES: Readonly<Partial<Record<ErrorCode, number>>> = {
  invalid_api_key: 4001,
  maker_blocked: 4001,
  too_many_connections: 4029,
  too_many_requests: 1008,
}
const INTERNAL_ERROR = 1011

/**
 * Messages before the auth message, which the specification has first: pings and subscriptions of clients that do not
 * wait, and one message that means nothing, which weighs so much that a second one is too much.
 */
const MOST_EARLY = 16
const STRAY = MOST_EARLY / 2

/** Frames of a socket in a second, and at once after a rest; a quote counts as much as a ping (decision X7). */
const FRAME_RATE = { perS: 10_000, burst: 20_000 }

/** Messages beyond the specification go only to makers that ask for them (decision X5). */
const ASKED_FOR: Readonly<Partial<Record<messageWire.PostTradeMessage['kind'], commandWire.Subscription>>> = {
  order_ended: 'orders',
  order_defunded: 'orders',
  missed: 'standing',
  suspended: 'standing',
  reinstated: 'standing',
}

/** Authenticates once, by header, query or first message. Anything outside the protocol is ignored. */
export function serveMakerSocket(
  context: RouteContext & { countOf: CountOf },
  { socket, connection }: { socket: WebSocket; connection: Socket },
  { apiKey, address }: MakerCall,
): void {
  const { relay, clock, log, settings, sockets, turns } = context
  let phase: 'waiting' | 'authenticating' | 'connected' = 'waiting'
  const leaving: Stop[] = []
  /** Weight of the messages before the auth message. */
  let early = 0
  let place: Place = { turns: turns.strangers, client: () => address }
  const subscriptions = new Set<commandWire.Subscription>()
  /** The channel sends a suspension once: a maker that subscribes later gets it from here. */
  let suspension: messageWire.PostTradeMessage | null = null
  let line: CallLine | null = null
  let requests: RequestFeed | null = null
  /** Asked for before the maker is connected. */
  let earlyRequests: FeedStart | null = null

  const waitMs = relay.openMode ? ANONYMOUS_AFTER_MS : settings.wsAuthTimeoutMs
  const stopWaiting = clock.schedule(clock.now() + waitMs, () => void authenticate(null))

  const { send, answer, answerText, flush } = createOutbox({ hold: context.hold, connection, write })

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

  /** Frames after the auth message stay in the kernel until the maker is connected. */
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
      line = createCallLine({ ...context, makerId, send: answer })
      // `connected` is sent only then: a maker that quotes at once must count on every node.
      const stop = await relay.openMakerChannel({
        makerId,
        connectionId: randomUUID(),
        onOpen: () => send(messageWire.encodeConnected(makerId, relay.now())),
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

  function tell(message: messageWire.PostTradeMessage): void {
    const asked = ASKED_FOR[message.kind]
    const isUnheard = asked !== undefined && !subscriptions.has(asked)
    if (message.kind === 'suspended') suspension = isUnheard ? message : null
    if (message.kind === 'reinstated') suspension = null
    if (isUnheard) return
    // A loss is no news that a maker must act on, and the end of a request brings one to each of its makers.
    if (message.kind === 'rejected') answerText(messageWire.rejectedText(message))
    else send(messageWire.encodePostTrade(message, subscriptions.has('inventory')))
  }

  function subscribe(command: Extract<commandWire.MakerCommand, { kind: 'subscribe' }>): void {
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

  function obey(command: commandWire.MakerCommand | null): void {
    if (command?.kind === 'auth') void authenticate(command.apiKey)
    else if (phase === 'waiting') countEarly(command)
    if (command?.kind === 'subscribe') subscribe(command)
    if (command?.kind === 'unsubscribe') unsubscribe()
    if (command?.kind === 'calls') takeCalls(command.calls)
    if (command?.kind === 'ping' && phase === 'connected') send(messageWire.encodePong(relay.now()))
  }

  /** A client that continues without a key has none. */
  function countEarly(command: commandWire.MakerCommand | null): void {
    early += command === null || command.kind === 'calls' ? STRAY : 1
    if (early >= MOST_EARLY) void authenticate(null)
  }

  function takeCalls(calls: commandWire.MakerCalls): void {
    const more = commandWire.countCalls(calls) - 1
    framesIn.weigh(more)
    if (more > 0) charge(more)
    line?.take(calls)
  }

  function leave(): void {
    line = null
    requests?.stop()
    for (const stop of leaving.splice(0)) stop()
  }

  /** The key was revoked or the maker blocked: the maker leaves at once, however long its socket takes to close. */
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
    // Messages after the close of a revoked key are no longer its maker's.
    if (socket.readyState !== WebSocket.OPEN) return
    // A maker's message may end no socket but its own.
    try {
      obey(commandWire.decodeMakerCommand(data.toString()))
    } catch (fault) {
      refuse(fault)
    }
  })
  // After a broken or too large frame, the library has closed the socket with the right code.
  socket.on('error', () => requests?.stop())
  socket.on('close', () => {
    stopWaiting()
    leave()
  })
  if (apiKey !== null) void authenticate(apiKey)
}
