import { connect } from 'node:net'
import { privateKeyToAccount } from 'viem/accounts'
import { WebSocket } from 'ws'
import { orderDigest } from '../../dist/modules/protocol/domain/order.js'
import { decodeDomain, decodeOrder } from '../../dist/modules/protocol/wire/order.js'
import { offer } from '../lab/rpc.mjs'
import { makerKeys, openRequestBody, QUOTES_PATH, TAKER } from '../lab/scene.mjs'
import { quantile } from '../stats.mjs'
import { call, encodeRequest, openHttpConnection } from './http-connection.mjs'

/** Load on several nodes at once, on so many lanes of each, with one call under way on each lane. */

const QUOTE_LANES = 12
const REQUEST_LANES = 6
const TRADE_LANES = 6

/** Makers that follow the feed of each node while requests are opened. */
const STREAMS = 20

/** Nodes, by port, whose feed is followed. */
const followed = new Set()

/** Requests that are quoted on. */
const QUOTED = 40

const SERIES = {
  conditionId: `0x${'11'.repeat(32)}`,
  yesClobTokenId: '123456789',
  strikeBps: 4_500,
  expiry: Date.UTC(2100, 0, 1) / 1_000,
  optionType: 'call',
}

const MAKERS = makerKeys(24).map(({ apiKey }, i) => ({
  apiKey,
  account: privateKeyToAccount(`0x${(i + 1).toString(16).padStart(64, '0')}`),
}))

const openCall = encodeRequest('POST', '/quote-requests', { body: openRequestBody(SERIES, 100) })

const quoteCall = ({ apiKey, account }, requestId, price) =>
  encodeRequest('POST', QUOTES_PATH, {
    headers: { 'x-api-key': apiKey },
    body: { requestId, quote: { maker: account.address, side: 'buy', price, size: 1_000 } },
  })

offer({
  /** Quotes on open requests, each lane one maker on one request, the price another one each time. */
  quotes: async ({ nodes, durationMs }) => {
    const ids = await Promise.all(Array.from({ length: QUOTED }, (_, i) => openOne(nodes[i % nodes.length].port)))
    return run({ nodes, durationMs, lanes: QUOTE_LANES }, (lane) => {
      const maker = MAKERS[lane % MAKERS.length]
      const calls = ids.map((requestId, i) => quoteCall(maker, requestId, 0.1 + ((lane + i) % 30) / 1_000))
      let next = lane
      return async (connection) => {
        next += 1
        okOf(await call(connection, calls[next % calls.length]))
      }
    })
  },

  /** Opens requests, of which each stream on each node hears. Streams stay: one that comes later is first told of all that is open. */
  requests: async ({ nodes, durationMs }) => {
    for (const { port } of nodes) {
      if (followed.has(port)) continue
      followed.add(port)
      for (const maker of MAKERS.slice(0, STREAMS)) follow(port, maker)
    }
    return run({ nodes, durationMs, lanes: REQUEST_LANES }, () => async (connection) => {
      okOf(await call(connection, openCall))
    })
  },

  /** Whole trades: opened on one node, quoted and confirmed on the next, its maker's socket on the one after that. */
  trades: async ({ nodes, durationMs }) => {
    const at = (lane, step) => nodes[(lane + step) % nodes.length]
    const accepted = new Map()
    const sockets = await Promise.all(
      MAKERS.map((maker, i) =>
        openSocket(at(i, 2).port, maker, (message) => accepted.get(message.requestId)?.(message)),
      ),
    )
    const result = await run({ nodes, durationMs, lanes: TRADE_LANES }, (lane) => {
      const maker = MAKERS[lane % MAKERS.length]
      const other = openHttpConnection(at(lane, 1).port)
      const headers = { 'x-api-key': maker.apiKey }
      return async (connection) => {
        const { requestId } = okOf(await call(connection, openCall))
        const { quoteId } = okOf(await call(other, quoteCall(maker, requestId, 0.12)))
        const asked = new Promise((resolve) => accepted.set(requestId, resolve))
        const commit = encodeRequest('POST', `/quote-requests/${requestId}/commit`, { body: { wallet: TAKER } })
        const committed = call(connection, commit)
        const { order, domain } = await asked
        accepted.delete(requestId)
        const signature = await maker.account.sign({ hash: orderDigest(decodeOrder(order), decodeDomain(domain)) })
        okOf(
          await call(
            other,
            encodeRequest('POST', `${QUOTES_PATH}/${quoteId}/confirm`, { headers, body: { signature } }),
          ),
        )
        okOf(await committed)
      }
    })
    for (const socket of sockets) socket.terminate()
    return result
  },
})

/** Works on lanes of each node until the time is over. Latencies in milliseconds. */
async function run({ nodes, durationMs, lanes }, workOf) {
  const latencies = []
  const begun = performance.now()
  const end = begun + durationMs
  await Promise.all(
    Array.from({ length: lanes * nodes.length }, async (_, lane) => {
      const connection = openHttpConnection(nodes[lane % nodes.length].port)
      const work = workOf(lane)
      while (performance.now() < end) {
        const sentAt = performance.now()
        await work(connection)
        latencies.push(performance.now() - sentAt)
      }
      connection.close()
    }),
  )
  const seconds = (performance.now() - begun) / 1_000
  const count = latencies.length
  return { count, perSecond: count / seconds, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) }
}

async function openOne(port) {
  const connection = openHttpConnection(port)
  const { requestId } = okOf(await call(connection, openCall))
  connection.close()
  return requestId
}

function follow(port, { apiKey }) {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', (cause) => {
    throw new Error(`port ${port} broke a stream after ${socket.bytesRead} bytes`, { cause })
  })
  socket.write(encodeRequest('GET', '/v1/mm/quote-requests/stream', { headers: { 'x-api-key': apiKey } }))
  socket.resume()
}

function openSocket(port, { apiKey }, onAccepted) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/maker/v1/ws?apiKey=${apiKey}`)
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('message', (data) => {
      const message = JSON.parse(data.toString())
      if (message.type === 'connected') resolve(socket)
      if (message.type === 'quote:accepted') onAccepted(message)
    })
  })
}

function okOf({ status, body }) {
  if (status !== 200) throw new Error(`answered by ${status}: ${body}`)
  return JSON.parse(body.toString())
}
