import { setTimeout as pause } from 'node:timers/promises'
import { accountOf } from '../../src/client/from-text.ts'
import type { Suspension } from '../../src/domain/maker-record.ts'
import { orderDigest } from '../../src/domain/order.ts'
import { contracts, type Hex, type Usd6, usd6 } from '../../src/domain/units.ts'
import { encodeConfirm } from '../../src/wire/confirm.ts'
import { decodeMakerMessage, type SignatureRequest } from '../../src/wire/maker-messages.ts'
import { decodeSuspension } from '../../src/wire/maker-record.ts'
import { encodeSubmitQuote } from '../../src/wire/submit-quote.ts'
import type { ObservationOf } from '../../test/invariants/observation.ts'
import type { Collector } from './collector.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { type Answer, encodeRequest, openHttpConnection, textField } from './http-connection.ts'
import type { SuspendedTime } from './records.ts'
import { openSse, type SseFrame } from './sse-client.ts'
import { openWebSocket } from './websocket-client.ts'

/** A maker of the crowd: its key and its toy wallet. */
export type SoakMaker = { makerId: string; apiKey: string; privateKey: Hex }

/** A maker from its connecting to its end: a stream, a socket and a connection for its calls. */
export type MakerSession = {
  /** Opens its stream and its socket, and resolves when both are open. */
  open: () => Promise<void>
  call: (method: 'POST' | 'PUT', path: string, body: unknown) => Promise<Answer>
  /** It is suspended from then until then, Unix milliseconds: its live quotes are withdrawn. */
  suspend: (time: SuspendedTime) => void
  /** Its live quotes are withdrawn from that time on, Unix milliseconds; `mayStand`: perhaps. */
  takeQuotesOut: (at: number, mayStand?: true) => void
  /** A trip is over: quotes from now on stand. */
  resumeQuoting: () => void
  /** Ends it at once: its connections break off, and what it was about to do is not done. */
  kill: () => void
}

/** What a maker does not forget when it is killed. */
export type MakerMemory = {
  asked: number
  missedLast: boolean
  /** Requests that it quoted, oldest first. */
  quoted: Set<string>
  /** Until when it was told last to be suspended, Unix milliseconds. */
  suspendedUntil: number
}

/** How a session goes; what is absent is not done. */
export type SessionOptions = {
  /** Of each node of the relay. */
  pools: readonly ConnectionPool[]
  collector: Collector
  /** Ends with the soak. */
  signal: AbortSignal
  memory: MakerMemory
  /** Whether it is its turn to quote on a request. */
  isTurn: (requestId: string) => boolean
  /** What the collector calls its stream and its socket. */
  name: string
  /** The id after which its stream goes on; null: from a snapshot. */
  after: number | null
  /** Whether it ends with the soak only, so that its silence tells. */
  isLasting: boolean
  /** How long makers have to sign, milliseconds; null: not known. */
  confirmationMs: number | null
  /** Whether what it is asked may be over when it answers, because it was away. */
  mayBeLate: boolean
  /** One order in so many it sends back unsigned; null: it signs all of them, and in time. */
  declinesOneIn: number | null
  /** It is asked to sign; false: it does not come to that. */
  onAsked?: () => boolean
  /** Its protections have tripped, at that time, Unix milliseconds `needsReset`: they do not end by themselves. */
  onTrip?: (trip: { at: number; needsReset: boolean }) => void
  /** It is told that it is suspended; `wasRefused`: in the answer to a quote. Absent: that is a failure. */
  onSuspended?: (suspension: Pick<Suspension, 'until' | 'because'>, wasRefused: boolean) => void
  onStreamId?: (id: number) => void
}

/** What is asked for is far less. */
const SIZE = contracts(1_000n)

/** Prices in micro-dollars: from 5 cents on, below the max payoff of every fixture. */
const LOWEST = 50_000
const RANGE = 50_000

/** The share of orders that are signed too late: few, because each holds its commit up for as long as a deadline is. */
const LATE = 0.001

/** How much too late, milliseconds. */
const LATE_BY_MS = 500

/** All nodes know of a maker that has been connected for so long, milliseconds. */
const KNOWN_AFTER_MS = 500

/** How much longer than it lasts a suspension may be told, milliseconds. */
const SUSPENSION_ENDS_MS = 500

/** Requests that may still be open. */
const QUOTED_REMEMBERED = 1_000

/** A session that has not connected yet. It takes the nodes in turn: the first for its calls, the next for its stream. */
export function createMakerSession(
  { makerId, apiKey, privateKey }: SoakMaker,
  { pools, collector, signal, memory, isTurn, name, ...options }: SessionOptions,
): MakerSession {
  const account = accountOf(privateKey)
  const headers = { 'x-api-key': apiKey }
  const poolAt = (n: number) => pools[n % pools.length] as ConnectionPool
  const connection = openHttpConnection(poolAt(0))
  const { observe, moment } = collector
  /** Its quotes that may be live, by request. */
  const live = new Map<string, string>()
  /** Since its protections have tripped no quote stands that is answered late. */
  let isTripped = false
  let isOver = false
  /** Since when both are open, Unix milliseconds. */
  let openSince = Number.POSITIVE_INFINITY
  const isEnding = () => isOver || signal.aborted

  /** Goes on whatever happens to one call; what should not happen is noted. */
  async function attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!isEnding()) collector.failed(what, error)
    }
  }

  const call: MakerSession['call'] = (method, path, body) =>
    connection.call(encodeRequest(method, path, { headers, body }))
  const send = (path: string, body: unknown, onWritten?: () => void) =>
    connection.call(encodeRequest('POST', path, { headers, body }), onWritten)

  const withdrawn = (requestId: string, quoteId: string, at: number, mayStand?: true): void => {
    const sent = { ...moment(), at }
    observe({ kind: 'quote_withdrawn', requestId, quoteId, sent, ...(mayStand === undefined ? {} : { mayStand }) })
  }

  function takeQuotesOut(at: number, mayStand?: true): void {
    for (const [requestId, quoteId] of live) withdrawn(requestId, quoteId, at, mayStand)
  }

  const quote = (requestId: string, side: 'buy' | 'sell') =>
    attempt('a quote', async () => {
      const price = randomPrice()
      const submission = { maker: account.address, side, price, size: SIZE, expiresInMs: null }
      const seen: ObservationOf<'quote'> = {
        kind: 'quote',
        ...{ requestId, makerId, quoteId: null, wallet: account.address, price, size: SIZE },
        ...{ livesMs: null, countsFrom: null, isRefused: false, sent: moment(), answered: null },
      }
      const isAgain = memory.quoted.has(requestId)
      remember(requestId)
      const sending = send('/v1/mm/quotes', encodeSubmitQuote({ requestId, submission }))
      const { status, text } = await sending.catch((fault: unknown) => {
        // It is not known whether it was taken.
        if (isEnding()) observe(seen)
        throw fault
      })
      // A request that closed while the quote was on its way is nobody's fault.
      if (status === 404 || status === 409) return
      if (status === 403 && textField(text, 'code') === 'maker_suspended' && options.onSuspended !== undefined) {
        const suspension = decodeSuspension(JSON.parse(text))
        if (suspension.until + SUSPENSION_ENDS_MS < seen.sent.at) throw new Error(`answered by ${status}: ${text}`)
        return options.onSuspended(suspension, true)
      }
      if (status !== 200) throw new Error(`answered by ${status}: ${text}`)
      const quoteId = textField(text, 'quoteId')
      observe({ ...seen, quoteId, answered: moment() })
      if (isEnding()) return withdrawn(requestId, quoteId, Date.now(), true)
      live.set(requestId, quoteId)
      // What it has missed before it was killed it cannot know, nor what was on its way when its protections tripped or it was
      // suspended, nor whether it was taken for disconnected.
      const isKnown = options.isLasting || seen.sent.at > openSince + KNOWN_AFTER_MS
      const isSuspended = seen.sent.at < memory.suspendedUntil
      if (isTripped || isSuspended || isAgain || !isKnown) withdrawn(requestId, quoteId, Date.now(), true)
    })

  function remember(requestId: string): void {
    memory.quoted.add(requestId)
    const [oldest] = memory.quoted
    if (memory.quoted.size > QUOTED_REMEMBERED && oldest !== undefined) memory.quoted.delete(oldest)
  }

  const answer = ({ requestId, quoteId, order, domain, deadline }: SignatureRequest) =>
    attempt('an answer to an order', async () => {
      memory.asked += 1
      const path = `/v1/mm/quotes/${quoteId}`
      // Never twice in a row: the relay would rank this maker behind, and the best price would not be the best quote.
      const { declinesOneIn } = options
      const mayMiss = !memory.missedLast && declinesOneIn !== null
      memory.missedLast = false
      if (mayMiss && memory.asked % declinesOneIn === 0) {
        memory.missedLast = true
        const decline = { kind: 'declined' as const, requestId, makerId, quoteId, sent: moment(), status: 0 }
        observe({ kind: 'order_released', requestId, quoteId, moment: decline.sent })
        const answered = await send(`${path}/decline`, {}, () => observe(Object.assign(decline, { sent: moment() })))
        decline.status = answered.status
        return assertTaken(answered)
      }
      const signature = (await account.sign?.({ hash: orderDigest(order, domain) })) as Hex
      const isLate = mayMiss && Math.random() < LATE
      memory.missedLast = isLate
      // One that is late is found nowhere, and not taken (decision C8).
      if (isLate) await pause(deadline - Date.now() + LATE_BY_MS, undefined, { ref: false })
      if (isEnding()) return
      const names = { requestId, makerId, quoteId, signature: signature.slice(2) }
      const confirm = { kind: 'confirm' as const, ...names, sent: moment(), status: 0 }
      const sending = () => observe(Object.assign(confirm, { sent: moment() }))
      const answered = await send(`${path}/confirm`, encodeConfirm(signature), sending)
      confirm.status = answered.status
      if (!isLate) assertTaken(answered)
    })

  function assertTaken({ status, text }: Answer): void {
    if (status === 200 || (options.mayBeLate && (status === 404 || status === 409))) return
    throw new Error(`answered by ${status}: ${text}`)
  }

  function takeFrame({ event, id, data }: SseFrame): void {
    const isAboutRequest = event === 'quote_request' || event === 'quote_request_expired'
    if (!isAboutRequest && event !== 'snapshot_begin' && event !== 'snapshot_complete') return
    const requestId = isAboutRequest ? textField(data, 'requestId') : null
    const told = { stream: name, event, id: Number.isNaN(id) ? null : id, requestId, moment: moment() }
    observe({ kind: 'maker_event', ...told })
    if (told.id !== null) options.onStreamId?.(told.id)
    if (requestId === null) return
    if (event === 'quote_request_expired') live.delete(requestId)
    else if (isTurn(requestId)) void quote(requestId, data.includes('"side":"sell"') ? 'sell' : 'buy')
  }

  function takeMessage(text: string): void {
    const message = decodeMakerMessage(JSON.parse(text))
    if (message === null) return
    if (message.kind === 'confirmed' || message.kind === 'rejected') {
      const { requestId, quoteId, kind: outcome } = message
      live.delete(requestId)
      observe({ kind: 'quote_ended', requestId, makerId, socket: name, quoteId, outcome })
    }
    if (message.kind === 'order_ended') {
      const { requestId, quoteId, end } = message
      const transactionHash = end.state === 'expired' ? null : end.transactionHash
      const ended = { requestId, makerId, socket: name, quoteId, state: end.state, transactionHash, moment: moment() }
      observe({ kind: 'order_ended', ...ended })
    }
    if (message.kind === 'protection_tripped') {
      const { at, until } = message.trip
      isTripped = true
      takeQuotesOut(at)
      options.onTrip?.({ at, needsReset: until === null })
    }
    if (message.kind === 'suspended') options.onSuspended?.(message, false)
    if (message.kind !== 'accepted') return
    const { requestId, quoteId, order, deadline } = message.acceptance
    const amounts = { optionAmount: String(order.optionAmount), premiumAmount: String(order.premiumAmount) }
    const asked = moment()
    const { confirmationMs } = options
    const counted = confirmationMs === null ? {} : { counted: { ...asked, at: deadline - confirmationMs } }
    const sent = { kind: 'order_sent', requestId, makerId, quoteId, deadline, asked, ...counted } as const
    observe({ ...sent, order: { ...order, ...amounts } })
    if (options.onAsked?.() !== false) void answer(message.acceptance)
  }

  const lost = (what: string, reject: (fault: Error) => void) => (fault: Error) => {
    if (!isEnding()) collector.failed(what, fault)
    reject(fault)
  }

  const openStream = () =>
    new Promise<void>((resolve, reject) => {
      const resumed = options.after === null ? {} : { 'last-event-id': String(options.after) }
      openSse(poolAt(1), {
        path: '/v1/mm/quote-requests/stream',
        headers: { ...headers, ...resumed },
        onFrame: (frame) => {
          takeFrame(frame)
          if (frame.event === 'snapshot_complete' || (options.after !== null && frame.event === 'connected')) resolve()
        },
        onEnd: lost('a stream', reject),
      })
    })

  const openSocket = () =>
    new Promise<void>((resolve, reject) => {
      openWebSocket(poolAt(2), {
        apiKey,
        onMessage: (text) => {
          if (text.includes('"type":"connected"')) resolve()
          else takeMessage(text)
        },
        onEnd: lost('a socket', reject),
      })
    })

  return {
    open: async () => {
      const { after, isLasting } = options
      observe({ kind: 'maker_stream_opened', stream: name, after, isLasting })
      observe({ kind: 'socket_opened', socket: name, makerId, isLasting })
      await Promise.all([openStream(), openSocket()])
      openSince = Date.now()
    },
    call,
    takeQuotesOut,
    suspend: ({ from, until }) => {
      memory.suspendedUntil = until
      takeQuotesOut(from)
    },
    resumeQuoting: () => {
      isTripped = false
    },
    kill: () => {
      isOver = true
      for (const pool of pools) pool.closeAll()
    },
  }
}

const randomPrice = (): Usd6 => usd6(BigInt(LOWEST + Math.floor(Math.random() * RANGE)))
