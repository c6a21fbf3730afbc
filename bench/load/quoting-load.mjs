import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { instantiateSecp256k1 } from '@bitauth/libauth/build/lib/crypto/secp256k1.js'
import { privateKeyToAddress } from 'viem/accounts'
import { orderDigest } from '../../dist/modules/protocol/domain/order.js'
import { decodeDomain, decodeOrder } from '../../dist/modules/protocol/wire/order.js'
import { offer } from '../lab/rpc.mjs'
import { openRequestBody, quoteBody, TAKER, twoSidedQuoteBody, twoSidedRequestBody } from '../lab/scene.mjs'
import { call, encodeRequest, openHttpConnection } from './http-connection.mjs'
import './http-load.mjs'
import { encodeMessage, openWebSocket } from './websocket-connection.mjs'

/**
 * Makers and takers of several relays, in one process. A round: a taker asks, each maker hears of it and quotes, and the taker
 * sees the best of all quotes. Then the request ends, by a commit, by its taker or by its time.
 * What a round sends is prepared bytes in which only the request's id is written.
 */

const UUID_LENGTH = 36
const REQUEST_ID = '"requestId":"'

/** Stands in prepared bytes for the request. */
const BLANK_ID = 'x'.repeat(UUID_LENGTH)

/** What comes before the id of a request that is new; of one that has ended a maker hears, too. */
const ANNOUNCED = `event: quote_request\ndata: {${REQUEST_ID}`

/** What comes before the requests that are new. */
const SNAPSHOT_COMPLETE = 'event: snapshot_complete'

/** The same on a socket. */
const NEWS = Buffer.from('"event":"quote_request"')
const COMPLETE = Buffer.from('"event":"snapshot_complete"')

/** By this a maker knows the answer to its quote. */
const REF = Buffer.from('"ref":"')
const TAKEN = Buffer.from('"quote:ok"')
const LATE = Buffer.from('"no_pending_acceptance"')
const REFUSED = Buffer.from('"quote:error"')

/** By these a maker knows that it must sign, and the answer to its signature. */
const ACCEPTED = Buffer.from('"quote:accepted"')
const SIGNED_REF = 'signed'

const secp256k1 = await instantiateSecp256k1()

/** A maker's own wallet, which is the same in every run. */
function walletOf({ makerId }) {
  const key = createHash('sha256').update(makerId).digest()
  return { key, maker: privateKeyToAddress(`0x${key.toString('hex')}`) }
}

/** Signs an order by the library that the relay checks it with. */
function sign(key, { order, domain }) {
  const digest = Buffer.from(orderDigest(decodeOrder(order), decodeDomain(domain)).slice(2), 'hex')
  const { signature, recoveryId } = secp256k1.signMessageHashRecoverableCompact(key, digest)
  return `0x${Buffer.from(signature).toString('hex')}${(27 + recoveryId).toString(16)}`
}

/** What is asked and quoted, by the sides of the requests that are played. */
const SIDES = {
  one: { requestBody: openRequestBody, quoteBody },
  both: { requestBody: twoSidedRequestBody, quoteBody: twoSidedQuoteBody },
}

/** A quote as a message, of some price. */
const quoteText = (maker, sides = 'one') =>
  JSON.stringify({ type: 'quote', ref: BLANK_ID, ...SIDES[sides].quoteBody({ requestId: BLANK_ID, maker }) })

/** The same for each kind of request. */
const bySides = (make) => Object.fromEntries(Object.keys(SIDES).map((sides) => [sides, make(sides)]))

/** Prices that each maker goes through. */
const PRICES = 50

/** How many sockets the bare echo is asked over, one message under way on each. */
const ECHO_SOCKETS = 50

/** Most quotes of one call. */
const BATCH = 64

/** The answers to calls on a request that has ended. */
const OVER = new Set([404, 409])

const TOO_MANY = 429

/** In the answer to a commit whose makers did not sign in time. */
const UNSIGNED = Buffer.from('"no_maker_confirmed"')

/** How long a taker waits for the quotes of all makers where nothing else ends its wait. */
const WAIT_MS = 10_000

const relays = new Map()

let echo = null

/** By what takers see the best of all quotes. Each resolves with the request, or null when that ended before. */
const TAKERS = {
  /** One GET once all quotes have been answered. */
  poll: async (relay, taker) => {
    const round = await asked(taker, relay.sent.create)
    await allAnswered(relay, round.requestId)
    const headers = secretOf(round)
    const { status } = await call(taker, encodeRequest('GET', `/quote-requests/${round.requestId}/quotes`, { headers }))
    if (OVER.has(status)) return null
    if (status !== 200) throw new Error(`a look at the quotes was answered by ${status}`)
    return round
  },

  /** The call that asks is answered with the best. */
  call: (relay, taker) => asked(taker, relay.sent.ask),

  /** A stream on a connection of its own, until it tells of a quote from every maker. */
  stream: async (relay, taker) => {
    const round = await asked(taker, relay.sent.create)
    const headers = secretOf(round)
    const request = encodeRequest('GET', `/quote-requests/${round.requestId}/stream`, { headers })
    return (await streamed(relay, request)) === null ? null : round
  },

  /** The call that asks is answered by that stream, which begins with the request. */
  callThatStreams: async (relay) => {
    const first = await streamed(relay, relay.sent.askForStream)
    if (first === null) return null
    const [, requestId] = REQUEST.exec(first) ?? []
    const [, takerSecret] = TAKER_SECRET.exec(first) ?? []
    if (requestId === undefined) throw new Error(`a stream began by ${first}`)
    return { requestId, takerSecret }
  },
}

/** A request for both sides is shown to its taker alone. */
const secretOf = ({ takerSecret }) => ({ 'x-taker-secret': takerSecret })

const REQUEST = /"requestId":"([^"]+)"/
const TAKER_SECRET = /"takerSecret":"([^"]+)"/

async function asked(taker, request) {
  const { status, body } = await call(taker, request)
  if (status !== 200) throw new Error(`a request was answered by ${status}: ${body}`)
  return JSON.parse(body.toString())
}

/** Opens a stream until all makers have quoted; what it began with, or null when the request ended before. */
function streamed(relay, request) {
  const all = `"quoteCount":${relay.makers},`
  return new Promise((resolve, reject) => {
    let first = ''
    let seen = ''
    const socket = openStream(relay.port, request, (text) => {
      if (first.length < FIRST_LENGTH) first += text
      seen = seen.slice(-CLOSED.length) + text
      const isComplete = seen.includes(all)
      if (!isComplete && !seen.includes(CLOSED) && !first.startsWith(NOT_FOUND)) return
      socket.destroy()
      resolve(isComplete ? first : null)
    })
    socket.on('error', reject)
  })
}

/** The answer to whoever opens a stream too late. */
const NOT_FOUND = 'HTTP/1.1 404'

/** So much of a stream has its head and its first event. */
const FIRST_LENGTH = 2_000

/** Is longer than what tells that all have quoted. */
const CLOSED = 'event: closed\ndata: '

/** How a request ends; one that is left to its time by nothing. `any`: each of them in turn. */
const ENDS = {
  commit: ({ requestId, takerSecret, side }) =>
    encodeRequest('POST', `/quote-requests/${requestId}/commit`, {
      headers: secretOf({ takerSecret }),
      body: { wallet: TAKER, side },
    }),
  cancel: ({ requestId, takerSecret }) =>
    encodeRequest('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } }),
  time: null,
}

async function endRound(taker, round, { ends, nth }) {
  const end = ENDS[ends === 'any' ? Object.keys(ENDS)[nth % 3] : ends]
  if (end === null) return
  const { status, body } = await call(taker, end(round))
  if (body.includes(UNSIGNED)) rounds.unsigned += 1
  else if (status !== 200 && !OVER.has(status))
    throw new Error(`the end of a request was answered by ${status}: ${body}`)
}

/** Resolves when a quote of each maker has been answered, which may have been before, or when none can come any more. */
const allAnswered = (relay, requestId) =>
  new Promise((resolve) => {
    const answer = answerOf(relay, requestId)
    const timer = setTimeout(() => answer.onAll(), WAIT_MS)
    answer.onAll = () => {
      clearTimeout(timer)
      relay.answers.delete(requestId)
      resolve(undefined)
    }
    if (answer.missing === 0) answer.onAll()
  })

function countAnswer(relay, requestId) {
  if (!relay.isPolled) return
  const answer = answerOf(relay, requestId)
  answer.missing -= 1
  if (answer.missing === 0) answer.onAll?.()
}

function answerOf({ answers, makers }, requestId) {
  const known = answers.get(requestId)
  if (known !== undefined) return known
  const answer = { missing: makers, onAll: null }
  answers.set(requestId, answer)
  return answer
}

/** How a maker comes, by what it quotes by. */
const MAKERS = {
  /** One call at a time, which carries all quotes that wait. */
  rest: async (relay, { apiKey, makerId }) => {
    const { key, maker } = walletOf({ makerId })
    const headers = { 'x-api-key': apiKey }
    const sendSignature = sendInTurn(relay.port, (waiting) => waiting.splice(0, 1)[0])
    const quotesFor = bySides((sides) => preparedText(() => quoteText(maker, sides)))
    const sendQuotes = sendInTurn(relay.port, (waiting) => {
      const ids = waiting.splice(0, BATCH)
      const body = `{"quotes":[${ids.map(quotesFor[relay.sides]).join()}]}`
      rounds.quoted += ids.length
      const notify = ({ status, body: answer }) => {
        if (status !== 200) throw new Error(`quotes were answered by ${status}: ${answer}`)
        if (answer.includes(REFUSED)) for (const result of JSON.parse(answer.toString()).results) noteResult(result)
        for (const requestId of ids) countAnswer(relay, requestId)
      }
      return { request: encodeRequest('POST', '/v1/mm/quotes/batch', { headers, text: body }), notify }
    })
    await openWebSocket({
      port: relay.port,
      path: `/maker/v1/ws?apiKey=${apiKey}`,
      onMessage: (bytes) => {
        rounds.received += 1
        if (!bytes.includes(ACCEPTED)) return
        const asked = JSON.parse(bytes.toString())
        const body = { signature: sign(key, asked) }
        const path = `/v1/mm/quotes/${asked.quoteId}/confirm`
        const notify = ({ status }) => {
          if (status !== 200) throw new Error(`a signature was answered by ${status}`)
        }
        sendSignature([{ request: encodeRequest('POST', path, { headers, body }), notify }])
      },
    })
    await hear(relay, apiKey, sendQuotes)
  },

  /** A message for each quote, all of a chunk in one write. */
  socket: async (relay, { apiKey, makerId }) => {
    const { key, maker } = walletOf({ makerId })
    let isLive = false
    let goLive = () => {}
    const live = new Promise((resolve) => {
      goLive = () => resolve(undefined)
    })
    const quote = quoteByMessage(relay, () => socket, maker)
    const socket = await openWebSocket({
      port: relay.port,
      path: `/maker/v1/ws?apiKey=${apiKey}`,
      onMessage: (bytes) => {
        rounds.received += 1
        const at = bytes.indexOf(REF)
        if (bytes.includes(ACCEPTED)) {
          const asked = JSON.parse(bytes.toString())
          const { quoteId } = asked
          const confirm = { type: 'quote:confirm', ref: SIGNED_REF, quoteId, signature: sign(key, asked) }
          socket.send(encodeMessage(JSON.stringify(confirm)))
        } else if (
          at !== -1 &&
          bytes.toString('latin1', at + REF.length, at + REF.length + SIGNED_REF.length) === SIGNED_REF
        ) {
          // One that came too late shows in the answer to the commit.
          if (!bytes.includes(TAKEN) && !bytes.includes(LATE)) throw new Error(`a signature was answered by ${bytes}`)
        } else if (at !== -1) {
          if (!bytes.includes(TAKEN)) noteRefusal(bytes.toString())
          countAnswer(relay, bytes.toString('latin1', at + REF.length, at + REF.length + UUID_LENGTH))
        } else if (bytes.includes(NEWS)) {
          if (!isLive) return
          rounds.announced += 1
          quote(idIn(bytes))
        } else if (bytes.includes(COMPLETE)) {
          isLive = true
          goLive()
        }
      },
    })
    socket.send(encodeMessage(JSON.stringify({ type: 'subscribe', to: 'requests', twoSided: relay.hearsBoth })))
    await live
  },

  /** The same for a relay that asks whoever has a socket, and answers nothing. */
  standIn: async (relay) => {
    const quote = quoteByMessage(relay, () => socket)
    const socket = await openWebSocket({ port: relay.port, onMessage: (bytes) => quote(idIn(bytes)) })
  },
}

/** Sends one call after the other, each made by `next` of what waits then, on a connection that is opened when it is needed. */
function sendInTurn(port, next) {
  const waiting = []
  let connection = null
  let isUnderWay = false
  const goOn = () => {
    isUnderWay = waiting.length > 0
    if (!isUnderWay) return
    connection ??= openHttpConnection(port)
    const { request, notify } = next(waiting)
    connection.send(request, (answer) => {
      notify(answer)
      goOn()
    })
  }
  return (more) => {
    waiting.push(...more)
    if (!isUnderWay) goOn()
  }
}

/** The id in the text of a new request. */
function idIn(bytes) {
  const at = bytes.indexOf(REQUEST_ID) + REQUEST_ID.length
  return bytes.toString('latin1', at, at + UUID_LENGTH)
}

/** Quotes by message: those of one chunk leave in one write. */
function quoteByMessage(relay, socketOf, maker) {
  const quotesFor = bySides((sides) => prepared(() => encodeMessage(quoteText(maker, sides))))
  let due = []
  return (requestId) => {
    rounds.quoted += 1
    if (due.push(quotesFor[relay.sides](requestId)) > 1) return
    queueMicrotask(() => {
      socketOf().send(...due)
      due = []
    })
  }
}

/** The same as texts of JSON. @param {() => string} encode */
function preparedText(encode) {
  const templates = Array.from({ length: PRICES }, () => encode().split(BLANK_ID))
  let sent = 0
  return (requestId) => {
    sent += 1
    return templates[sent % PRICES].join(requestId)
  }
}

/** Quotes as bytes, of one price after the other. @param {() => Buffer} encode */
function prepared(encode) {
  const templates = Array.from({ length: PRICES }, encode)
  const places = templates.map((bytes) => [bytes.indexOf(BLANK_ID), bytes.lastIndexOf(BLANK_ID)])
  let sent = 0
  return (requestId) => {
    sent += 1
    const bytes = Buffer.from(templates[sent % PRICES])
    for (const place of places[sent % PRICES]) bytes.write(requestId, place, 'latin1')
    return bytes
  }
}

/** Hears of new requests on a maker's stream: the ids of those in each chunk. Resolves once it has heard of those before. */
function hear({ port, hearsBoth }, apiKey, onIds) {
  const span = ANNOUNCED.length + UUID_LENGTH
  let unread = ''
  let isLive = false
  return new Promise((resolve) => {
    const path = `/v1/mm/quote-requests/stream${hearsBoth ? '?twoSided=true' : ''}`
    openStream(port, encodeRequest('GET', path, { headers: { 'x-api-key': apiKey } }), (chunk) => {
      let text = unread + chunk
      if (!isLive) {
        const complete = text.indexOf(SNAPSHOT_COMPLETE)
        isLive = complete !== -1
        text = isLive ? text.slice(complete) : text.slice(-SNAPSHOT_COMPLETE.length)
        if (isLive) resolve(undefined)
      }
      const ids = []
      let read = 0
      for (
        let at = text.indexOf(ANNOUNCED);
        at !== -1 && at + span <= text.length;
        at = text.indexOf(ANNOUNCED, read)
      ) {
        read = at + span
        ids.push(text.slice(at + ANNOUNCED.length, read))
      }
      // What may be the start of a further one.
      unread = text.slice(Math.max(read, text.length - span + 1))
      rounds.announced += ids.length
      if (ids.length > 0) onIds(ids)
    })
  })
}

function openStream(port, request, onText) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.setEncoding('latin1')
  socket.on('data', onText)
  socket.write(request)
  return socket
}

async function openEcho(port) {
  const message = encodeMessage(quoteText())
  let count = 0
  let end = 0
  let underWay = 0
  let onEnd = () => {}
  const sockets = await Promise.all(Array.from({ length: ECHO_SOCKETS }, openOne))

  async function openOne() {
    const socket = await openWebSocket({
      port,
      onMessage: () => {
        count += 1
        if (performance.now() < end) return socket.send(message)
        underWay -= 1
        if (underWay === 0) onEnd()
      },
    })
    return socket
  }

  return async (durationMs) => {
    const begun = performance.now()
    count = 0
    end = begun + durationMs
    underWay = sockets.length
    const ended = new Promise((resolve) => {
      onEnd = () => resolve(undefined)
    })
    for (const socket of sockets) socket.send(message)
    await ended
    return { perSecond: (count * 1_000) / (performance.now() - begun), count }
  }
}

/** What has been played since the last look. */
let rounds = blank()

function blank() {
  return { count: 0, outlived: 0, refused: 0, unsigned: 0, announced: 0, quoted: 0, received: 0, latencies: [] }
}

/** One round, which counts when its taker has seen all quotes. */
async function play(relay, taker, { takerBy, ends }) {
  const sentAt = performance.now()
  const round = await TAKERS[takerBy](relay, taker)
  if (round === null) {
    rounds.outlived += 1
    return
  }
  rounds.latencies.push(performance.now() - sentAt)
  rounds.count += relay.makers
  relay.played += 1
  // A commit on a request for both sides names its side: one, then the other.
  const side = relay.sides === 'both' ? ['buy', 'sell'][relay.played % 2] : undefined
  if (relay.makersBy !== 'standIn') await endRound(taker, { ...round, side }, { ends, nth: relay.played })
}

/** A quote that was not taken by a socket: its request has ended, or it was one too many. */
function noteRefusal(text) {
  noteResult(JSON.parse(text.slice(text.indexOf('{'))))
}

function noteResult({ type, status, code }) {
  if (type === 'quote:ok' || OVER.has(status)) return
  if (status !== TOO_MANY) throw new Error(`a quote was answered by ${status} ${code}`)
  rounds.refused += 1
}

offer({
  /**
   * Makers of a relay come. `makersBy` is what they quote by: `rest` or `socket`, or `standIn` for one of that shape; `hearsBoth`:
   * they ask for requests for both sides.
   */
  join: async ({ name, port, makersBy, keys, series, hearsBoth = false }) => {
    const waiting = `/quote-requests?quotes=${keys.length}&waitMs=${WAIT_MS}`
    const relay = {
      port,
      makersBy,
      makers: keys.length,
      hearsBoth,
      requests: bySides((sides) => {
        const body = SIDES[sides].requestBody(series)
        return {
          create: encodeRequest('POST', '/quote-requests', { body }),
          ask: encodeRequest('POST', makersBy === 'standIn' ? '/quote' : waiting, { body }),
          askForStream: encodeRequest('POST', '/quote-requests', { headers: { accept: 'text/event-stream' }, body }),
        }
      }),
      sides: 'one',
      get sent() {
        return this.requests[this.sides]
      },
      answers: new Map(),
      played: 0,
    }
    relays.set(name, relay)
    await Promise.all(keys.map((key) => MAKERS[makersBy](relay, key)))
  },
  /**
   * Plays for a while, so many rounds at a time. `takerBy` names one of `TAKERS`, `ends` how requests end: `commit`, `cancel`,
   * `time`, or `any` for each in turn; `sides` is `both` for requests that leave their side to the commit.
   */
  play: async ({ name, takerBy, ends = 'any', sides = 'one', durationMs, atOnce }) => {
    const relay = relays.get(name)
    relay.isPolled = takerBy === 'poll'
    relay.sides = sides
    const end = performance.now() + durationMs
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        const taker = openHttpConnection(relay.port)
        while (performance.now() < end) await play(relay, taker, { takerBy, ends })
        taker.close()
      }),
    )
  },
  /** The same, so many rounds a second, however long each takes. */
  playAtPace: async ({ name, takerBy, ends = 'any', durationMs, perSecond }) => {
    const relay = relays.get(name)
    relay.isPolled = takerBy === 'poll'
    const idle = []
    const begun = performance.now()
    const running = []
    for (let nth = 0; nth * 1_000 < durationMs * perSecond; nth += 1) {
      await pause(Math.max(0, begun + (nth * 1_000) / perSecond - performance.now()))
      const taker = idle.pop() ?? openHttpConnection(relay.port)
      running.push(play(relay, taker, { takerBy, ends }).then(() => idle.push(taker)))
    }
    await Promise.all(running)
    for (const taker of idle) taker.close()
  },
  /**
   * What has been played since the last look: `count` quotes in whole rounds, `latencies` of these in milliseconds; `outlived`: rounds
   * whose request ended before all had quoted; `refused`: quotes on sockets that were too many; `unsigned`: commits that no maker signed in
   * time; what makers saw of `announced` requests, `quoted`, and `received` on their sockets. `at` is the moment of the look, milliseconds.
   */
  look: () => {
    const told = { ...rounds, at: performance.now() }
    rounds = blank()
    return told
  },
  /** Has the text of a quote echoed for a while, over sockets that stay. */
  echo: async ({ port, durationMs }) => {
    echo ??= await openEcho(port)
    return echo(durationMs)
  },
})
