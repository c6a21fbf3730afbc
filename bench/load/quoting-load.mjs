import { connect } from 'node:net'
import { instantiateSecp256k1 } from '@bitauth/libauth/build/lib/crypto/secp256k1.js'
import { orderDigest } from '../../dist/modules/protocol/domain/order.js'
import { decodeDomain, decodeOrder } from '../../dist/modules/protocol/wire/order.js'
import { offer } from '../lab/rpc.mjs'
import { MAKER, openRequestBody, quoteBody, quoteRequest, TAKER } from '../lab/scene.mjs'
import { call, encodeRequest, openHttpConnection } from './http-connection.mjs'
import './http-load.mjs'
import { encodeMessage, openWebSocket } from './websocket-connection.mjs'

/**
 * Makers and takers of several relays, in one process. A round: a taker asks, each maker hears of it and quotes, and the taker
 * sees the best of all quotes. Then the request ends: every third by a commit, every third by its taker, the others by their time.
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

/** By these a maker knows that it must sign, and the answer to its signature. */
const ACCEPTED = Buffer.from('"quote:accepted"')
const SIGNED_REF = 'signed'

const secp256k1 = await instantiateSecp256k1()
const makerKey = Buffer.from(MAKER.privateKey.slice(2), 'hex')

/** Signs an order by the library that the relay checks it with: all makers have one wallet. */
function sign({ order, domain }) {
  const digest = Buffer.from(orderDigest(decodeOrder(order), decodeDomain(domain)).slice(2), 'hex')
  const { signature, recoveryId } = secp256k1.signMessageHashRecoverableCompact(makerKey, digest)
  return `0x${Buffer.from(signature).toString('hex')}${(27 + recoveryId).toString(16)}`
}

/** A quote as a message, of some price. */
const quoteText = () => JSON.stringify({ type: 'quote', ref: BLANK_ID, ...quoteBody({ requestId: BLANK_ID }) })

/** Prices that each maker goes through. */
const PRICES = 50

/** How many sockets the bare echo is asked over, one message under way on each. */
const ECHO_SOCKETS = 50

const relays = new Map()

let echo = null

/** One GET once all quotes have been answered. */
async function byPoll(relay, taker) {
  const round = await opened(relay, taker)
  await allAnswered(relay, round.requestId)
  const best = await call(taker, encodeRequest('GET', `/quote-requests/${round.requestId}/quotes`))
  if (best.status !== 200) throw new Error(`a look at the quotes was answered by ${best.status}`)
  return round
}

/** The call that asks is answered with the best. */
async function byOneCall(relay, taker) {
  const { status } = await call(taker, relay.ask)
  if (status !== 200) throw new Error(`a request was answered by ${status}`)
  return null
}

/** A stream on a connection of its own, until it tells of a quote from every maker. */
async function byStream(relay, taker) {
  const round = await opened(relay, taker)
  const all = `"quoteCount":${relay.makers},`
  await new Promise((resolve, reject) => {
    let seen = ''
    const socket = openStream(relay.port, { path: `/quote-requests/${round.requestId}/stream` }, (text) => {
      seen = seen.slice(-all.length) + text
      if (!seen.includes(all)) return
      socket.destroy()
      resolve(undefined)
    })
    socket.on('error', reject)
  })
  return round
}

/** Every third round trades, every third is cancelled, and every third is left to its time. */
async function endRound(relay, taker, round) {
  relay.ended += 1
  const way = [commitTo, cancel, null][relay.ended % 3]
  if (way === null) return
  const { status, body } = await call(taker, way(round))
  if (status !== 200) throw new Error(`the end of a request was answered by ${status}: ${body}`)
}

const commitTo = ({ requestId }) =>
  encodeRequest('POST', `/quote-requests/${requestId}/commit`, { body: { wallet: TAKER } })
const cancel = ({ requestId, takerSecret }) =>
  encodeRequest('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } })

async function opened(relay, taker) {
  const { status, body } = await call(taker, relay.create)
  if (status !== 200) throw new Error(`a request was answered by ${status}`)
  return JSON.parse(body.toString())
}

/** Resolves when a quote of each maker has been answered, which may have been before. */
const allAnswered = (relay, requestId) =>
  new Promise((resolve) => {
    const answer = answerOf(relay, requestId)
    answer.onAll = () => {
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
  /** One call at a time. */
  rest: async (relay, { apiKey }) => {
    const quoteFor = prepared(() => quoteRequest({ requestId: BLANK_ID, apiKey }))
    const connection = openHttpConnection(relay.port)
    const signing = openHttpConnection(relay.port)
    await openWebSocket({
      port: relay.port,
      path: `/maker/v1/ws?apiKey=${apiKey}`,
      onMessage: (bytes) => {
        if (!bytes.includes(ACCEPTED)) return
        const asked = JSON.parse(bytes.toString())
        const body = { signature: sign(asked) }
        const path = `/v1/mm/quotes/${asked.quoteId}/confirm`
        signing.send(encodeRequest('POST', path, { headers: { 'x-api-key': apiKey }, body }), ({ status }) => {
          if (status !== 200) throw new Error(`a signature was answered by ${status}`)
        })
      },
    })
    const waiting = []
    let isBusy = false
    const quoteNext = () => {
      const requestId = waiting.shift()
      isBusy = requestId !== undefined
      if (!isBusy) return
      connection.send(quoteFor(requestId), ({ status }) => {
        if (status !== 200) throw new Error(`a quote was answered by ${status}`)
        countAnswer(relay, requestId)
        quoteNext()
      })
    }
    await hear(relay.port, apiKey, (ids) => {
      waiting.push(...ids)
      if (!isBusy) quoteNext()
    })
  },

  /** A message for each quote, all of a chunk in one write. */
  socket: async (relay, { apiKey }) => {
    let isLive = false
    let goLive = () => {}
    const live = new Promise((resolve) => {
      goLive = () => resolve(undefined)
    })
    const quote = quoteByMessage(() => socket)
    const socket = await openWebSocket({
      port: relay.port,
      path: `/maker/v1/ws?apiKey=${apiKey}`,
      onMessage: (bytes) => {
        const at = bytes.indexOf(REF)
        if (bytes.includes(ACCEPTED)) {
          const asked = JSON.parse(bytes.toString())
          const { quoteId } = asked
          const confirm = { type: 'quote:confirm', ref: SIGNED_REF, quoteId, signature: sign(asked) }
          socket.send(encodeMessage(JSON.stringify(confirm)))
        } else if (
          at !== -1 &&
          bytes.toString('latin1', at + REF.length, at + REF.length + SIGNED_REF.length) === SIGNED_REF
        ) {
          if (!bytes.includes(TAKEN)) throw new Error(`a signature was answered by ${bytes}`)
        } else if (at !== -1) {
          if (!bytes.includes(TAKEN)) throw new Error(`a quote was answered by ${bytes}`)
          countAnswer(relay, bytes.toString('latin1', at + REF.length, at + REF.length + UUID_LENGTH))
        } else if (bytes.includes(NEWS)) {
          if (isLive) quote(idIn(bytes))
        } else if (bytes.includes(COMPLETE)) {
          isLive = true
          goLive()
        }
      },
    })
    socket.send(encodeMessage('{"type":"subscribe","to":"requests"}'))
    await live
  },

  /** The same for a relay that asks whoever has a socket, and answers nothing. */
  standIn: async (relay) => {
    const quote = quoteByMessage(() => socket)
    const socket = await openWebSocket({ port: relay.port, onMessage: (bytes) => quote(idIn(bytes)) })
  },
}

/** The id in the text of a new request. */
function idIn(bytes) {
  const at = bytes.indexOf(REQUEST_ID) + REQUEST_ID.length
  return bytes.toString('latin1', at, at + UUID_LENGTH)
}

/** Quotes by message: those of one chunk leave in one write. */
function quoteByMessage(socketOf) {
  const quoteFor = prepared(() => encodeMessage(quoteText()))
  let due = []
  return (requestId) => {
    if (due.push(quoteFor(requestId)) > 1) return
    queueMicrotask(() => {
      socketOf().send(...due)
      due = []
    })
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
function hear(port, apiKey, onIds) {
  const span = ANNOUNCED.length + UUID_LENGTH
  let unread = ''
  let isLive = false
  return new Promise((resolve) => {
    const request = { path: '/v1/mm/quote-requests/stream', headers: { 'x-api-key': apiKey } }
    openStream(port, request, (chunk) => {
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
      if (ids.length > 0) onIds(ids)
    })
  })
}

function openStream(port, { path, headers = {} }, onText) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.setEncoding('latin1')
  socket.on('data', onText)
  socket.write(encodeRequest('GET', path, { headers }))
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

offer({
  /** Makers of a relay come. `makersBy` is what they quote by: `rest` or `socket`, or `standIn` for one of that shape. */
  join: async ({ name, port, makersBy, keys, series }) => {
    const body = openRequestBody(series)
    const relay = {
      port,
      makersBy,
      makers: keys.length,
      create: encodeRequest('POST', '/quote-requests', { body }),
      ask: encodeRequest('POST', '/quote', { body }),
      answers: new Map(),
      ended: 0,
    }
    relays.set(name, relay)
    await Promise.all(keys.map((key) => MAKERS[makersBy](relay, key)))
  },
  /** Plays for a while, so many rounds at a time, until the taker sees the best by `poll` or `stream`; `latencies` in milliseconds. */
  play: async ({ name, takerBy, durationMs, atOnce }) => {
    const relay = relays.get(name)
    relay.isPolled = takerBy === 'poll' && relay.makersBy !== 'standIn'
    const playRound = takerBy === 'stream' ? byStream : relay.isPolled ? byPoll : byOneCall
    const latencies = []
    const begun = performance.now()
    const end = begun + durationMs
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        const taker = openHttpConnection(relay.port)
        while (performance.now() < end) {
          const sentAt = performance.now()
          const round = await playRound(relay, taker)
          latencies.push(performance.now() - sentAt)
          if (round !== null && relay.makersBy !== 'standIn') await endRound(relay, taker, round)
        }
        taker.close()
      }),
    )
    const perSecond = (latencies.length * relay.makers * 1_000) / (performance.now() - begun)
    return { perSecond, count: latencies.length * relay.makers, latencies }
  },
  /** Has the text of a quote echoed for a while, over sockets that stay. */
  echo: async ({ port, durationMs }) => {
    echo ??= await openEcho(port)
    return echo(durationMs)
  },
})
