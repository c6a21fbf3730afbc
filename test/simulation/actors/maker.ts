import { type Order, orderDigest, type TypedDataDomain } from '../../../src/protocol/domain/order.ts'
import type { QuoteRequest } from '../../../src/protocol/domain/request.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { encodeQuoted } from '../../../src/protocol/wire/submit-quote.ts'
import type { FirmQuote } from '../../../src/relay/core/create-acceptance.ts'
import type { MakerEvent, MakerMessage } from '../../../src/relay/core/ports/live.ts'
import type { Acceptance } from '../../../src/relay/core/ports/store.ts'
import type { FeedOpening, Relay } from '../../../src/relay/core/relay.ts'
import type { ObservationOf } from '../../invariants/observation.ts'
import { createRandom, type Random } from '../time/random.ts'
import type { Answer } from '../venue/clients.ts'
import { type MakerName, signatureOf, TAKES_PACKAGES, TAKES_TWO_SIDED, walletOf } from '../venue/identities.ts'
import type { Life } from '../venue/node.ts'
import { orderSeen } from '../venue/recorder.ts'
import type { Venue } from '../venue/venue.ts'

/** A maker that quotes, signs, declines, is late, and connects again when it is cut off. */
export type Maker = {
  name: MakerName
  start: () => void
  /** Leaves for so long, milliseconds. */
  leave: (forMs: number) => void
  protect: (rules: ProtectionRules) => void
  /** Puts what it had once more. */
  protectAgain: () => void
  reset: () => void
}

type ProtectionRules = {
  maxAccepted: number | null
  windowMs: number
  graceMs: number | null
  channels: 'any' | 'all'
  freezeMs: number
}

/** One connection of a channel, in one life of a node. */
type Connection = { stop: () => void; isOver: boolean }

const RECONNECT_MS = [100, 2_000] as const
const TICK = 10_000n
/** So long after a deadline each node has taken an answer or told the others that it could not, milliseconds. */
const FATE_KNOWN_MS = 8_000

export function createMaker(venue: Venue, name: MakerName, seed: number): Maker {
  const { clients, recorder, timeline } = venue
  const { observe, moment, tell } = recorder
  const own = createRandom(`maker ${seed} ${name}`)
  const wallet = walletOf(name)
  let isAway = true
  let wasAway = false
  let connections: { stream: Connection | null; socket: Connection | null } = { stream: null, socket: null }
  let opened = 0
  let attempts = 0
  let lastEventId: number | null = null
  let rules: ProtectionRules | null = null

  /** What this maker does about one request follows from the request alone. */
  const drawsOf = (requestId: string, what: string): Random =>
    createRandom(`${seed} ${name} ${venue.ordinalOf(requestId)} ${what}`)

  function connect(channel: 'stream' | 'socket'): void {
    if (isAway || connections[channel] !== null) return
    const node = venue.anyNode(own)
    const life = node.life()
    const again = (): void => clients.later(own.between(...RECONNECT_MS), () => connect(channel))
    if (life === null || life.relay === null) {
      again()
      return
    }
    const connection: Connection = { stop: () => {}, isOver: false }
    connections[channel] = connection
    opened += 1
    const end = (): void => {
      if (connection.isOver) return
      connection.isOver = true
      life.onDeath.delete(end)
      if (connections[channel] === connection) connections[channel] = null
      const { stop } = connection
      if (life.process.isAlive()) life.process.at(timeline.now(), stop)
      again()
    }
    life.onDeath.add(end)
    const open = channel === 'stream' ? openStream : openSocket
    void clients
      .call(node, () => open(life, connection, { id: `${name} ${opened}`, end }))
      .then((answer) => {
        if (answer.status !== 200) end()
      })
  }

  async function openSocket(life: Life, connection: Connection, { id, end }: Opening): Promise<void> {
    const { relay } = life
    if (relay === null) return end()
    const socket = `socket ${id}`
    const way = { lastAt: 0 }
    observe({ kind: 'socket_opened', socket, makerId: name, isLasting: false })
    const leave = await relay.openMakerChannel({
      makerId: name,
      connectionId: socket,
      onMessage: (message) => clients.push(way, () => connection.isOver || hear(message, socket)),
    })
    const unwatch = relay.watchMaker({ makerId: name, key: null }, end)
    connection.stop = () => {
      unwatch()
      leave()
    }
    if (connection.isOver) connection.stop()
  }

  async function openStream(life: Life, connection: Connection, { id, end }: Opening): Promise<void> {
    const { relay } = life
    if (relay === null) return end()
    const stream = `stream ${id}`
    const way = { lastAt: 0 }
    const resumes = own.chance(0.7) ? lastEventId : null
    const early: MakerEvent[] = []
    let deliver = (event: MakerEvent): void => void early.push(event)
    const stopFeed = relay.listenMakerFeed((event) => deliver(event))
    const stopBreak = relay.onFeedBreak(end)
    const stopAll = [stopFeed, stopBreak]
    connection.stop = () => {
      for (const stop of stopAll) stop()
    }
    const feed = await relay.openMakerFeed(resumes)
    const hears = { packages: TAKES_PACKAGES.includes(name), twoSided: TAKES_TWO_SIDED.includes(name) }
    stopAll.push(await relay.joinMakerStream(name, { connectionId: stream, hears }))
    stopAll.push(relay.watchMaker({ makerId: name, key: null }, end))
    if (connection.isOver) return connection.stop()
    const send = (event: MakerEvent): void => clients.push(way, () => connection.isOver || take(event, stream))
    clients.push(way, () => beginStream(stream, feed, resumes))
    if (feed.kind === 'replay') feed.events.forEach(send)
    deliver = (event) => {
      if (event.id > feed.position) send(event)
    }
    early.forEach(deliver)
    clients.push(way, () => connection.isOver || quoteAgain())
  }

  function beginStream(stream: string, feed: FeedOpening, resumes: number | null): void {
    const after = feed.kind === 'replay' ? resumes : null
    observe({ kind: 'maker_stream_opened', stream, after, isLasting: false })
    if (feed.kind === 'replay') return
    const about = { kind: 'maker_event', stream, requestId: null, moment: moment() } as const
    observe({ ...about, event: 'snapshot_begin', id: null })
    for (const { id, request } of feed.requests) take({ id, kind: 'quote_request', request }, stream)
    observe({ ...about, event: 'snapshot_complete', id: feed.position })
    lastEventId = feed.position
  }

  function take(event: MakerEvent, stream: string): void {
    venue.heard(name, 'stream', event)
    lastEventId = Math.max(lastEventId ?? 0, event.id)
    const requestId = event.kind === 'quote_request' ? event.request.requestId : event.requestId
    observe({ kind: 'maker_event', stream, event: event.kind, id: event.id, requestId, moment: moment() })
    if (event.kind === 'quote_request') consider(event.request)
  }

  /** Open requests that it has thought about: one that is announced again is no other one. */
  const considered = new Map<string, { request: QuoteRequest; times: number }>()

  function consider(request: QuoteRequest): void {
    const isTwoSided = request.trade.side === 'both'
    if (considered.has(request.requestId) || (isTwoSided && !TAKES_TWO_SIDED.includes(name))) return
    considered.set(request.requestId, { request, times: 0 })
    quoteOn(request, 0)
  }

  /** One that was away quotes again at once on what is open. */
  function quoteAgain(): void {
    if (!wasAway) return
    wasAway = false
    for (const [requestId, known] of considered) {
      if (venue.sharedTime() >= known.request.expiresAt) considered.delete(requestId)
      else quoteOn(known.request, ++known.times)
    }
  }

  function quoteOn(request: QuoteRequest, time: number): void {
    const { requestId } = request
    const draws = drawsOf(requestId, `quotes ${time}`)
    if (!draws.chance(0.75)) return
    const times = 1 + (draws.chance(0.35) ? 1 + draws.below(3) : 0)
    let waitMs = 0
    for (let i = 0; i < times; i += 1) {
      waitMs += draws.between(5, i > 0 ? 8_000 : time > 0 ? 200 : 2_500)
      const terms = {
        price: usd6(BigInt(10 + draws.below(6)) * TICK),
        size: contracts(BigInt(draws.pick([50, 200, 1_000, 1_000]))),
        expiresInMs: draws.chance(0.3) ? Math.round(draws.between(1_000, 20_000)) : null,
        firm: request.wallet !== null && draws.chance(0.5),
        ...(request.trade.side === 'both' ? { spread: usd6(BigInt(1 + draws.below(6)) * TICK) } : {}),
      }
      const signsAfter = draws.between(5, 400)
      clients.later(waitMs, () => inOrder(requestId, () => quote(request, terms, signsAfter)))
    }
    if (draws.chance(0.12))
      clients.later(waitMs + draws.between(100, 6_000), () => inOrder(requestId, () => withdraw(requestId)))
    if (draws.chance(0.03)) clients.later(waitMs + draws.between(100, 6_000), withdrawAll)
  }

  const quoteIds = new Map<string, string>()
  const busy = new Map<string, Promise<void>>()

  /** What it does about one request it does in order, each once the former is answered. */
  function inOrder(requestId: string, work: () => Promise<void>): void {
    busy.set(requestId, (busy.get(requestId) ?? Promise.resolve()).then(work))
  }

  async function quote(
    request: QuoteRequest,
    terms: {
      price: ReturnType<typeof usd6>
      size: ReturnType<typeof contracts>
      expiresInMs: number | null
      firm: boolean
      /** How much less it pays than it takes, where both sides are asked for. */
      spread?: ReturnType<typeof usd6>
    },
    signsAfter: number,
  ): Promise<void> {
    if (isAway) return
    const { requestId } = request
    const { price, size, expiresInMs, firm, spread } = terms
    const otherPrice = spread === undefined ? {} : { otherPrice: usd6(price - spread) }
    const quote: ObservationOf<'quote'> = {
      kind: 'quote',
      requestId,
      makerId: name,
      wallet,
      price,
      ...otherPrice,
      size,
      livesMs: expiresInMs,
      sent: moment(),
      answered: null,
      countsFrom: null,
      quoteId: null,
      isRefused: false,
    }
    observe(quote)
    const submission = {
      maker: wallet,
      side: request.trade.side === 'both' ? ('buy' as const) : request.trade.side,
      price,
      ...otherPrice,
      size,
      expiresInMs,
      ...(firm ? { firm } : {}),
    }
    const answer = await clients.call(venue.anyNode(own), (relay) =>
      relay.submitQuote({ makerId: name, requestId, submission }),
    )
    venue.heard(name, `quote ${requestId}`, 'value' in answer ? encodeQuoted(answer.value) : answer)
    if (!('value' in answer)) {
      quote.isRefused = answer.status !== 0 && answer.status < 500
      tell(`${name} quotes ${price} and is refused: ${answer.code ?? 'no answer'}`, requestId)
      return
    }
    const { quoteId } = answer.value
    Object.assign(quote, { quoteId, answered: moment() })
    quoteIds.set(requestId, quoteId)
    tell(`${name} quotes ${price} for ${size}${firm ? ', with its order' : ''}`, requestId)
    if ('order' in answer.value) {
      const firmQuote = answer.value
      clients.later(signsAfter, () => inOrder(requestId, () => makeFirm(firmQuote)))
    }
  }

  function sign(order: Order, domain: TypedDataDomain, by = wallet): `0x${string}` {
    attempts += 1
    return signatureOf(by, orderDigest(order, domain), attempts)
  }

  async function makeFirm({ requestId, quoteId, order, otherOrder, domain }: FirmQuote): Promise<void> {
    if (isAway) return
    const seal = (own: Order): ObservationOf<'quote_sealed'> => {
      const signature = sign(own, domain)
      const names = { requestId, makerId: name, quoteId, order: orderSeen(own), signature }
      return { kind: 'quote_sealed', ...names, sent: moment(), answered: null, status: 0 }
    }
    const sealed = otherOrder === undefined ? [seal(order)] : [seal(order), seal(otherOrder)]
    sealed.forEach(observe)
    const [signature, otherSignature] = sealed.map((one) => one.signature)
    const signatures = { signature: signature as string, ...(otherSignature === undefined ? {} : { otherSignature }) }
    const answer = await clients.call(venue.anyNode(own), (relay) =>
      relay.makeQuoteFirm({ makerId: name, quoteId, ...signatures }),
    )
    const status = knownStatus(answer)
    for (const one of sealed) Object.assign(one, { status, answered: status === 0 ? null : moment() })
    tell(`${name} makes its quote firm: ${answer.status}`, requestId)
  }

  async function withdraw(requestId: string): Promise<void> {
    const quoteId = quoteIds.get(requestId)
    if (isAway || quoteId === undefined) return
    tell(`${name} withdraws its quote`, requestId)
    const answer = await clients.call(venue.anyNode(own), (relay) => relay.withdrawQuote({ makerId: name, quoteId }))
    venue.heard(name, 'withdrawal', answer)
  }

  function withdrawAll(): void {
    if (isAway) return
    tell(`${name} withdraws everything`)
    void clients.call(venue.anyNode(own), (relay) => relay.withdrawQuotes({ makerId: name }))
  }

  const heard = new Set<string>()

  function hear(message: MakerMessage, socket: string): void {
    venue.heard(name, 'socket', message)
    if (message.kind === 'accepted') {
      recorder.sent(message.acceptance)
      if (heard.has(message.acceptance.acceptanceId)) return
      heard.add(message.acceptance.acceptanceId)
      answer(message.acceptance)
      return
    }
    if (message.kind === 'confirmed' || message.kind === 'rejected') {
      const { requestId, quoteId, kind: outcome } = message
      const order =
        message.kind === 'confirmed' && message.order !== undefined ? { order: orderSeen(message.order) } : {}
      observe({ kind: 'quote_ended', requestId, makerId: name, socket, quoteId, outcome, ...order })
      tell(`${name} reads on its socket that it is ${outcome}`, requestId)
    }
    if (message.kind === 'order_ended') {
      const { requestId, quoteId, end } = message
      const transactionHash = end.state === 'expired' ? null : end.transactionHash
      // Orders end by the time of the chain.
      const at = { ...moment(), at: timeline.now() }
      const names = { requestId, makerId: name, quoteId, socket }
      observe({ kind: 'order_ended', ...names, state: end.state, transactionHash, moment: at })
    }
  }

  function answer(acceptance: Acceptance): void {
    const { requestId, deadline } = acceptance
    const draws = drawsOf(requestId, 'answer')
    tell(`${name} is asked to sign until ${new Date(deadline).toISOString().slice(11, 23)}`, requestId)
    const mood = draws.fraction()
    const soon = draws.between(30, 1_800)
    if (mood < 0.74) clients.later(soon, () => void confirm(acceptance, wallet))
    else if (mood < 0.82) clients.later(soon, () => void decline(acceptance))
    else if (mood < 0.87) clients.later(soon, () => void confirm(acceptance, `0x${'bad'.padStart(40, '0')}`))
    else if (mood < 0.94) {
      const late = Math.max(0, deadline - venue.sharedTime()) + draws.between(-60, 900)
      clients.later(late, () => void confirm(acceptance, wallet))
    }
    if (mood < 0.05) clients.later(soon + draws.between(0, 400), () => void confirm(acceptance, wallet))
  }

  /** Sends an answer, which counts from when its node reads it: no node knows what waits at one that is frozen. */
  async function send<Sent extends ObservationOf<'confirm' | 'declined'>>(
    sent: Sent,
    deadline: number,
    work: (relay: Relay) => Promise<void>,
  ): Promise<Answer<void>> {
    let isRead = false
    const read = (): void => {
      isRead = true
      sent.sent = moment()
      observe(sent)
    }
    const answer = await clients.call(venue.anyNode(own), work, read)
    if (!isRead) observe(sent)
    sent.status = knownStatus(answer)
    const isUnheard = answer.status >= 500 && (venue.sharedTime() > deadline + FATE_KNOWN_MS || !venue.areHeard())
    if (answer.status === 0 || isUnheard) sent.isLost = true
    return answer
  }

  async function confirm(
    { requestId, quoteId, order, domain, deadline }: Acceptance,
    by: typeof wallet,
  ): Promise<void> {
    if (isAway) return
    const signature = sign(order, domain, by)
    const confirm: ObservationOf<'confirm'> = {
      kind: 'confirm',
      requestId,
      makerId: name,
      quoteId,
      signature,
      sent: moment(),
      status: 0,
    }
    if (by !== wallet) confirm.isWrong = true
    tell(`${name} sends its signature${by === wallet ? '' : ', which is not of its wallet'}`, requestId)
    const answer = await send(confirm, deadline, (relay) => relay.confirm({ makerId: name, quoteId, signature }))
    tell(
      `the signature of ${name} is answered: ${'code' in answer ? (answer.code ?? 'no answer') : 'taken'}`,
      requestId,
    )
    if (answer.status === 200) venue.signed(order)
  }

  async function decline({ requestId, quoteId, deadline }: Acceptance): Promise<void> {
    if (isAway) return
    const declined: ObservationOf<'declined'> = {
      kind: 'declined',
      requestId,
      makerId: name,
      quoteId,
      sent: moment(),
      status: 0,
    }
    tell(`${name} declines`, requestId)
    await send(declined, deadline, (relay) => relay.decline({ makerId: name, quoteId }))
  }

  function start(): void {
    isAway = false
    connect('stream')
    connect('socket')
  }

  return {
    name,
    start,
    leave: (forMs) => {
      if (isAway) return
      tell(`${name} drops its connections for ${forMs} ms`)
      observe({ kind: 'maker_left', makerId: name, moment: moment() })
      isAway = true
      wasAway = true
      const left: (keyof typeof connections)[] = ['stream', 'socket']
      for (const channel of left) {
        const connection = connections[channel]
        connections[channel] = null
        if (connection === null) continue
        connection.isOver = true
        connection.stop()
      }
      connections = { stream: null, socket: null }
      clients.later(forMs, start)
    },
    protect,
    protectAgain: () => {
      const last = rules
      if (last !== null) clients.later(own.between(500, 3_000), () => protect(last))
    },
    reset: () => void clients.call(venue.anyNode(own), (relay) => relay.protections.reset(name)),
  }

  function protect(wanted: ProtectionRules): void {
    rules = wanted
    const { maxAccepted, windowMs, graceMs, channels, freezeMs } = wanted
    const window = { ms: windowMs, maxAccepted, maxContracts: null, maxNotional: null, maxCollateral: null }
    const protections = {
      cancelOnDisconnect: graceMs === null ? null : { graceMs, channels },
      windows: maxAccepted === null ? [] : [window],
      freezeMs,
      maxQuoteSize: null,
      references: [],
    }
    tell(`${name} puts protections: ${maxAccepted ?? 'any number of'} orders in ${windowMs} ms, grace ${graceMs}`)
    void clients.call(venue.anyNode(own), (relay) => relay.protections.put(name, protections))
  }
}

/** An outage does not say whether the call took effect, no more than silence does. */
const knownStatus = ({ status }: { status: number }): number => (status >= 500 ? 0 : status)

type Opening = { id: string; end: () => void }
