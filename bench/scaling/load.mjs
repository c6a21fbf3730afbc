import { connect } from 'node:net'
import { privateKeyToAccount } from 'viem/accounts'
import { WebSocket } from 'ws'
import { orderDigest } from '../../dist/domain/order.js'
import { decodeDomain, decodeOrder } from '../../dist/wire/order.js'
import { call, encodeRequest, openHttpConnection } from '../load/http-connection.mjs'
import { quantile } from '../stats.mjs'

/** How long each kind of load is put on, in milliseconds. */
const RUN_MS = 6_000

const TAKER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

const OPTION = {
  market: { conditionId: `0x${'11'.repeat(32)}`, yesTokenId: '123456789', question: 'Will it rain?' },
  option: { strikeBps: 4_500, expiryMs: Date.UTC(2100, 0, 1), optionType: 'call' },
  trade: { side: 'buy', budgetUsd: 100 },
}

/** Makers that trade, each with a key and a wallet. */
export const MAKERS = Array.from({ length: 24 }, (_, index) => ({
  makerId: `maker-${index}`,
  apiKey: `key-of-the-maker-${index}`,
  account: privateKeyToAccount(`0x${(index + 1).toString(16).padStart(64, '0')}`),
}))

const openBody = encodeRequest('POST', '/quote-requests', { body: OPTION })

const quoteBody = ({ apiKey, account }, requestId, price) =>
  encodeRequest('POST', '/v1/mm/quotes', {
    headers: { 'x-api-key': apiKey },
    body: { requestId, quote: { maker: account.address, side: 'buy', price, size: 1_000 } },
  })

/** Quotes on open requests, each lane one maker on one request, the price another one each time. */
export async function putQuotes(relays, lanesPerNode) {
  const ids = []
  for (let i = 0; i < 40; i += 1) ids.push(await open(relays[i % relays.length].port))
  return run(relays, lanesPerNode, (lane) => {
    const maker = MAKERS[lane % MAKERS.length]
    const requests = ids.map((requestId, i) => quoteBody(maker, requestId, 0.1 + ((lane + i) % 30) / 1_000))
    let next = lane
    return async (connection) => {
      next += 1
      assertOk(await call(connection, requests[next % requests.length]))
    }
  })
}

/** Opens requests, while `streams` makers follow the feed of each node. Counts the events that they heard. */
export async function openRequests(relays, lanesPerNode, streams) {
  const followers = relays.flatMap(({ port }) => Array.from({ length: streams }, (_, i) => follow(port, MAKERS[i])))
  const result = await run(relays, lanesPerNode, () => async (connection) => {
    assertOk(await call(connection, openBody))
  })
  const heard = followers.reduce((sum, follower) => sum + follower.stop(), 0)
  return { ...result, heard }
}

/** Whole trades: opened on one node, quoted on the next, its maker's socket on the one after that. */
export async function trade(relays, lanesPerNode) {
  const at = (lane, step) => relays[(lane + step) % relays.length]
  const sockets = new Map()
  const accepted = new Map()
  for (const [index, maker] of MAKERS.entries()) {
    const socket = new WebSocket(`${at(index, 2).wsUrl}/maker/v1/ws?apiKey=${maker.apiKey}`)
    socket.on('message', (data) => {
      const message = JSON.parse(data.toString())
      if (message.type === 'quote:accepted') accepted.get(message.requestId)?.(message)
    })
    await new Promise((resolve) => socket.once('message', resolve))
    sockets.set(maker, socket)
  }
  const result = await run(relays, lanesPerNode, (lane) => {
    const maker = MAKERS[lane % MAKERS.length]
    const other = openHttpConnection(at(lane, 1).port)
    return async (connection) => {
      const { requestId } = answerOf(await call(connection, openBody))
      const { quoteId } = answerOf(await call(other, quoteBody(maker, requestId, 0.12)))
      const asked = new Promise((resolve) => accepted.set(requestId, resolve))
      const commit = encodeRequest('POST', `/quote-requests/${requestId}/commit`, { body: { wallet: TAKER } })
      const committed = call(connection, commit)
      const message = await asked
      accepted.delete(requestId)
      const digest = orderDigest(decodeOrder(message.order), decodeDomain(message.domain))
      const signature = await maker.account.sign({ hash: digest })
      const headers = { 'x-api-key': maker.apiKey }
      const confirm = encodeRequest('POST', `/v1/mm/quotes/${quoteId}/confirm`, { headers, body: { signature } })
      assertOk(await call(other, confirm))
      assertOk(await committed)
    }
  })
  for (const socket of sockets.values()) socket.terminate()
  return result
}

/** Works on lanes of each node until the time is over. Latencies in milliseconds. */
async function run(relays, lanesPerNode, workOf) {
  const latencies = []
  const begun = performance.now()
  const end = begun + RUN_MS
  await Promise.all(
    Array.from({ length: lanesPerNode * relays.length }, async (_, lane) => {
      const connection = openHttpConnection(relays[lane % relays.length].port)
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

async function open(port) {
  const connection = openHttpConnection(port)
  const { requestId } = answerOf(await call(connection, openBody))
  connection.close()
  return requestId
}

/** Reads a maker's stream and counts the requests in it. */
function follow(port, { apiKey }) {
  const socket = connect({ port, host: '127.0.0.1' })
  let heard = 0
  socket.write(`GET /v1/mm/quote-requests/stream HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\n\r\n`)
  socket.on('data', (chunk) => {
    heard += chunk.toString('latin1').split('event: quote_request\n').length - 1
  })
  return {
    stop: () => {
      socket.destroy()
      return heard
    },
  }
}

function assertOk({ status, body }) {
  if (status !== 200) throw new Error(`answered by ${status}: ${body}`)
}

function answerOf(answer) {
  assertOk(answer)
  return JSON.parse(answer.body.toString())
}
