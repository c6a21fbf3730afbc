import { setTimeout as pause } from 'node:timers/promises'
import { accountOf } from '../../src/client/from-text.ts'
import type { Suspension } from '../../src/protocol/domain/maker-record.ts'
import { orderDigest } from '../../src/protocol/domain/order.ts'
import { contracts, type Hex, type Usd6, usd6 } from '../../src/protocol/domain/units.ts'
import { encodeConfirm } from '../../src/protocol/wire/confirm.ts'
import { decodeMakerMessage, type SignatureRequest } from '../../src/protocol/wire/maker-messages.ts'
import { decodeSuspension } from '../../src/protocol/wire/maker-record.ts'
import { encodeSubmitQuote } from '../../src/protocol/wire/submit-quote.ts'
import type { ObservationOf } from '../../test/invariants/observation.ts'
import type { Collector } from './collector.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { type AfterFirm, makeQuoteFirm, orderSeen } from './firm-quotes.ts'
import { type Answer, encodeRequest, openHttpConnection, textField } from './http-connection.ts'
import type { SuspendedTime } from './records.ts'
import { openSse, type SseFrame } from './sse-client.ts'
import { openWebSocket } from './websocket-client.ts'

/** A maker of the crowd: its key and its toy wallet. */
export type SoakMaker = { makerId: string; apiKey: string; privateKey: Hex }

/** A maker from its connecting to its end: a stream, a socket and a connection for its calls, or a socket for all of it. */
export type MakerSession = {
  /** Opens its stream and its socket, and resolves when both are open, or all is told on the one. */
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
  /** Whether one of its signatures is late: that counts at its deadline, among those that come before, and no other is missed meanwhile. */
  isSigningLate: boolean
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
  /** Whether it hears requests and answers on its socket, and has no stream. */
  isOnSocket: boolean
  /** Whether it ends with the soak only, so that its silence tells. */
  isLasting: boolean
  /** How long makers have to sign, milliseconds; null: not known. */
  confirmationMs: number | null
  /** Whether what it is asked may be over when it answers, because it was away. */
  mayBeLate: boolean
  /** One order in so many it sends back unsigned; null: it signs all of them, and in time. */
  declinesOneIn: number | null
  /** It makes quotes firm where it can, and does this with each of them. Absent: it makes none firm. */
  afterFirm?: () => AfterFirm
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
  const isEnding = () => isOver || signal.aborted
  /** Its calls on the socket that are under way, by their ref. */
  const calls = new Map<string, { resolve: (answer: Answer) => void; reject: (fault: Error) => void }>()
  let lastRef = 0
  let socket: ReturnType<typeof openWebSocket> | null = null

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
  const send = (path: string, body: object, onWritten?: () => void): Promise<Answer> =>
    options.isOnSocket
      ? callOnSocket(path, body, onWritten)
      : connection.call(encodeRequest('POST', path, { headers, body }), onWritten)

  /** What is posted of a quote as a call of the socket; its answer reads as one of HTTP. */
  function callOnSocket(path: string, body: object, onWritten?: () => void): Promise<Answer> {
    const [, quoteId, verb] = QUOTE_PATH.exec(path) ?? []
    return new Promise((resolve, reject) => {
      if (socket === null) return reject(new Error('the socket has ended'))
      lastRef += 1
      calls.set(`${lastRef}`, { resolve, reject })
      onWritten?.()
      const what = verb === undefined ? { type: 'quote' } : { type: `quote:${verb}`, quoteId }
      socket.send({ ...what, ref: `${lastRef}`, ...body })
    })
  }

  function takeAnswer(text: string): void {
    const ref = textField(text, 'ref')
    const status = text.includes('"type":"quote:ok"') ? 200 : Number(STATUS.exec(text)?.[1])
    calls.get(ref)?.resolve({ status, text })
    calls.delete(ref)
  }

  const withdrawn = (requestId: string, quoteId: string, at: number, mayStand?: true): void => {
    const sent = { ...moment(), at }
    observe({ kind: 'quote_withdrawn', requestId, quoteId, sent, ...(mayStand === undefined ? {} : { mayStand }) })
  }

  function takeQuotesOut(at: number, mayStand?: true): void {
    for (const [requestId, quoteId] of live) withdrawn(requestId, quoteId, at, mayStand)
  }

  const quote = (requestId: string, side: 'buy' | 'sell') => {
    const isAgain = memory.quoted.has(requestId)
    remember(requestId)
    return submit({ requestId, side, isAgain, firm: options.afterFirm !== undefined })
  }

  const submit = ({ requestId, side, isAgain, firm }: Submission): Promise<void> =>
    attempt('a quote', async () => {
      const price = randomPrice()
      const terms = { maker: account.address, side, price, size: SIZE, expiresInMs: null }
      const submission = firm ? { ...terms, firm } : terms
      const seen: ObservationOf<'quote'> = {
        kind: 'quote',
        ...{ requestId, makerId, quoteId: null, wallet: account.address, price, size: SIZE },
        ...{ livesMs: null, countsFrom: null, isRefused: false, sent: moment(), answered: null },
      }
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
      // suspended.
      const isSuspended = seen.sent.at < memory.suspendedUntil
      if (isTripped || isSuspended || isAgain) withdrawn(requestId, quoteId, Date.now(), true)
      if (firm) await makeFirm({ requestId, side, isAgain, firm }, text)
    })

  /** Makes a quote firm that was answered so, and does afterwards what is its habit. */
  async function makeFirm({ requestId, side, isAgain }: Submission, text: string): Promise<void> {
    const madeFirm = await makeQuoteFirm({ requestId, makerId, privateKey, text, collector, send })
    if (madeFirm === null) return
    assertNotWrong(madeFirm)
    const habit = madeFirm.status === 200 ? options.afterFirm?.() : 'keep'
    if (habit === 'keep' || isEnding()) return
    if (habit === 'withdraw') await withdraw(requestId, textField(text, 'quoteId'))
    // The next is soft half of the time: either way the former firm signature is of no use any more.
    await submit({ requestId, side, isAgain, firm: habit === 'requote' && Math.random() < 0.5 })
  }

  async function withdraw(requestId: string, quoteId: string): Promise<void> {
    const path = `/v1/mm/quotes/${quoteId}`
    const seen: ObservationOf<'quote_withdrawn'> = { kind: 'quote_withdrawn', requestId, quoteId, sent: moment() }
    const sending = options.isOnSocket
      ? callOnSocket(`${path}/withdraw`, {})
      : connection.call(encodeRequest('DELETE', path, { headers }))
    const answered = await sending.catch((fault: unknown) => {
      observe({ ...seen, mayStand: true })
      throw fault
    })
    if (answered.status === 200) observe({ ...seen, answered: moment() })
    assertNotWrong(answered)
  }

  /** A quote may be locked, or over, by the time that its maker says something of it. */
  function assertNotWrong({ status, text }: Answer): void {
    if (![200, 404, 409].includes(status)) throw new Error(`answered by ${status}: ${text}`)
  }

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
      const mayMiss = !memory.isSigningLate && !memory.missedLast && declinesOneIn !== null
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
      memory.isSigningLate ||= isLate
      // One that is late is found nowhere, and not taken (decision C8).
      if (isLate) {
        await pause(deadline - Date.now() + LATE_BY_MS, undefined, { ref: false })
        memory.isSigningLate = false
        memory.missedLast = true
      }
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

  function takeText(text: string): void {
    if (text.startsWith(REQUESTS)) takeFrame({ ...eventOf(text), data: text })
    else if (text.startsWith('{"type":"quote:ok"') || text.startsWith('{"type":"quote:error"')) takeAnswer(text)
    else takeMessage(text)
  }

  function takeMessage(text: string): void {
    const message = decodeMakerMessage(JSON.parse(text))
    if (message === null) return
    if (message.kind === 'confirmed' || message.kind === 'rejected') {
      const { requestId, quoteId, kind: outcome } = message
      live.delete(requestId)
      const order = message.kind === 'confirmed' ? message.order : undefined
      const told = order === undefined ? {} : { order: orderSeen(order) }
      observe({ kind: 'quote_ended', requestId, makerId, socket: name, quoteId, outcome, ...told })
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
    const asked = moment()
    const { confirmationMs } = options
    const counted = confirmationMs === null ? {} : { counted: { ...asked, at: deadline - confirmationMs } }
    const sent = { kind: 'order_sent', requestId, makerId, quoteId, deadline, asked, ...counted } as const
    observe({ ...sent, order: orderSeen(order) })
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
      const { isOnSocket, after } = options
      const begins = isOnSocket ? (after === null ? 'snapshot_complete' : 'connected') : null
      const onEnd = lost('a socket', reject)
      socket = openWebSocket(poolAt(2), {
        apiKey,
        requests: isOnSocket ? { after } : null,
        onMessage: (text) => {
          if (!text.includes('"type":"connected"')) takeText(text)
          else if (begins === null) resolve()
          if (begins !== null && text.startsWith(REQUESTS) && eventOf(text).event === begins) resolve()
        },
        onEnd: (fault) => {
          socket = null
          for (const { reject } of calls.values()) reject(fault)
          calls.clear()
          onEnd(fault)
        },
      })
    })

  return {
    open: async () => {
      const { after, isLasting, isOnSocket } = options
      observe({ kind: 'maker_stream_opened', stream: name, after, isLasting })
      observe({ kind: 'socket_opened', socket: name, makerId, isLasting })
      await Promise.all([isOnSocket ? null : openStream(), openSocket()])
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

type Submission = {
  requestId: string
  side: 'buy' | 'sell'
  /** Whether one from before it was killed may be on its way. */
  isAgain: boolean
  firm: boolean
}

/** A quote, or what is called of it. */
const QUOTE_PATH = /^\/v1\/mm\/quotes(?:\/([^/]+)\/(\w+))?$/

/** How a message begins that carries an event of the maker stream. */
const REQUESTS = '{"type":"requests"'
const STATUS = /"status":(\d+)/
const EVENT_ID = /^\{"type":"requests","id":(\d+)/

const eventOf = (text: string): Pick<SseFrame, 'event' | 'id'> => ({
  event: textField(text, 'event'),
  id: Number(EVENT_ID.exec(text)?.[1] ?? Number.NaN),
})

const randomPrice = (): Usd6 => usd6(BigInt(LOWEST + Math.floor(Math.random() * RANGE)))
