import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { WebSocket } from 'ws'
import { commitDigest } from '../../dist/modules/protocol/domain/commit-proof.js'
import { orderDigest, orderDomain } from '../../dist/modules/protocol/domain/order.js'
import { decodeDomain, decodeOrder } from '../../dist/modules/protocol/wire/order.js'
import { offer } from '../lab/rpc.mjs'
import { MAKER, openRequestBody, quoteRequest, TAKER } from '../lab/scene.mjs'
import { call, encodeRequest, openHttpConnection } from './http-connection.mjs'

let account = privateKeyToAccount(MAKER.privateKey)

/** The domain in which each commit is proven, by a taker of its own; null: one taker proves nothing. */
let provenIn = null
let port = 0
let apiKey = ''
let series
let rest
let taker
let onAccepted = () => {}
let signed = []
let commits = []
offer({
  connect: async (input) => {
    ;({ port, apiKey, series } = input)
    if (input.privateKey !== undefined) account = privateKeyToAccount(input.privateKey)
    if (input.contract !== undefined) provenIn = orderDomain(input.contract.chainId, input.contract.settlementAddress)
    rest = openHttpConnection(port)
    taker = openHttpConnection(port)
    await openSocket()
  },
  trade: async ({ trades }) => {
    const latencies = []
    for (let i = 0; i < trades; i += 1) latencies.push(await trade())
    return latencies
  },
  tradeFirm: async ({ trades }) => {
    const latencies = []
    for (let i = 0; i < trades; i += 1) latencies.push(await tradeFirm())
    return latencies
  },
  /** Prices one request again and again: how long each quote takes, in milliseconds. */
  quote: async ({ quotes }) => {
    const { requestId } = await openWithQuote({}, {})
    const latencies = []
    for (let i = 0; i < quotes; i += 1) {
      const request = quoteRequest({
        apiKey,
        requestId,
        maker: account.address,
        size: 100,
        price: 0.1 + (i % 50) / 1_000,
      })
      const begun = performance.now()
      const answer = await call(rest, request)
      latencies.push(performance.now() - begun)
      assertOk(answer)
    }
    return latencies
  },
  owe: async ({ orders, contracts }) => {
    for (let i = 0; i < orders; i += 1) await trade(contracts)
  },
  prepare: async ({ trades }) => {
    signed = []
    for (let i = 0; i < trades; i += 1) {
      const accepted = nextAccepted()
      const requestId = await openAndQuote()
      const connection = openHttpConnection(port)
      commits.push({ connection, answered: call(connection, commitRequest(requestId)) })
      signed.push(await sign(await accepted))
    }
  },
  confirmAll: async ({ connections }) => {
    const waiting = [...signed]
    const lanes = Array.from({ length: connections }, () => openHttpConnection(port))
    const begun = performance.now()
    await Promise.all(
      lanes.map(async (lane) => {
        for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
          assertOk(await call(lane, confirmRequest(next)))
        }
      }),
    )
    const tookMs = performance.now() - begun
    for (const { answered, connection } of commits) {
      assertOk(await answered)
      connection.close()
    }
    commits = []
    for (const lane of lanes) lane.close()
    return tookMs
  },
})

function openSocket() {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/maker/v1/ws?apiKey=${apiKey}`)
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('message', (data) => {
      const message = JSON.parse(data.toString())
      if (message.type === 'connected') resolve()
      if (message.type === 'quote:accepted') onAccepted(message)
    })
  })
}

/**
 * A trade: how long its taker waits beyond what its maker does. Like the bare handshake's, what is sent is written out before
 * the clock runs or while the maker signs, and what is answered is read when it has stopped.
 */
async function trade(contracts = 10) {
  const requestId = await openAndQuote(contracts)
  const commit = provenIn === null ? commitRequest(requestId) : await provenCommit(requestId)
  const accepted = nextAccepted()
  const begun = performance.now()
  const committed = call(taker, commit)
  const asked = await Promise.race([accepted, committed.then(refused)])
  const askedAt = performance.now()
  const confirm = confirmRequest(await sign(asked))
  const signedAt = performance.now()
  const answers = [await call(rest, confirm), await committed]
  const tookMs = performance.now() - signedAt + (askedAt - begun)
  for (const answer of answers) assertOk(answer)
  return tookMs
}

/** A trade whose maker has signed before: how long its taker waits. */
async function tradeFirm() {
  const { requestId, quoted } = await openWithQuote({ wallet: TAKER }, { firm: true })
  assertOk(await call(rest, signedRequest(await sign(quoted), 'firm')))
  const commit = commitRequest(requestId)
  const begun = performance.now()
  const answer = await call(taker, commit)
  const tookMs = performance.now() - begun
  if (assertOk(answer).quote.firm !== true) throw new Error('a firm quote was not taken as one')
  return tookMs
}

const openAndQuote = async (contracts) => (await openWithQuote({}, {}, contracts)).requestId

/** A dollar buys ten at ten cents. */
async function openWithQuote(ofRequest, ofQuote, contracts = 10) {
  const body = { ...openRequestBody(series, contracts / 10), ...ofRequest }
  const opened = assertOk(await call(taker, encodeRequest('POST', '/quote-requests', { body })))
  const requestId = String(opened.requestId)
  const quote = { requestId, maker: account.address, size: 10 * contracts, price: 0.1, ...ofQuote }
  const quoted = assertOk(await call(rest, quoteRequest({ apiKey, ...quote })))
  return { requestId, quoted }
}

const nextAccepted = () =>
  new Promise((resolve) => {
    onAccepted = resolve
  })

/** A commit that is answered before its maker was asked. */
function refused(answer) {
  throw new Error(`a commit was answered by ${answer.status}: ${answer.body}`)
}

async function sign({ quoteId, order, domain }) {
  const signature = await account.sign({ hash: orderDigest(decodeOrder(order), decodeDomain(domain)) })
  return { quoteId, signature }
}

const commitRequest = (requestId, body = { wallet: TAKER }) =>
  encodeRequest('POST', `/quote-requests/${requestId}/commit`, { body })

/** Of a taker without money, that has proven so: what it is promised binds little of what its maker has. */
async function provenCommit(requestId) {
  const taker = privateKeyToAccount(generatePrivateKey())
  const wallet = taker.address
  const terms = { wallet, limitPrice: null, minContracts: null, expectedQuoteId: null, firmOnly: false, requestId }
  return commitRequest(requestId, { wallet, proof: await taker.sign({ hash: commitDigest(terms, provenIn) }) })
}
const signedRequest = ({ quoteId, signature }, verb) =>
  encodeRequest('POST', `/v1/mm/quotes/${quoteId}/${verb}`, { headers: { 'x-api-key': apiKey }, body: { signature } })
const confirmRequest = (signed) => signedRequest(signed, 'confirm')

function assertOk({ status, body }) {
  const text = body.toString()
  if (status !== 200) throw new Error(`answered by ${status}: ${text}`)
  return JSON.parse(text)
}
