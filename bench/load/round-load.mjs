import { connect } from 'node:net'
import { offer } from '../lab/rpc.mjs'
import { openRequestBody, quoteRequest } from '../lab/scene.mjs'
import { call, encodeRequest, openHttpConnection } from './http-connection.mjs'

/**
 * Makers and takers that play whole rounds: a taker opens a request and its stream, each maker hears of the request on
 * its own stream and quotes on its own connection, and the round ends when the taker has been shown all quotes.
 */

const REQUEST_ID = '"requestId":"'
const UUID_LENGTH = 36

/** Stands in a prepared quote for the request. */
const BLANK_ID = 'x'.repeat(UUID_LENGTH)

/** Prices that each maker goes through. */
const PRICES = 50

let port = 0
let create = Buffer.alloc(0)
let makers = 0

offer({
  connect: async ({ port: relayPort, series, keys }) => {
    port = relayPort
    create = encodeRequest('POST', '/quote-requests', { body: openRequestBody(series) })
    makers = keys.length
    await Promise.all(keys.map(openMaker))
  },
  /** Plays for a while, so many rounds at a time; `latencies` in milliseconds. */
  play: async ({ durationMs, atOnce }) => {
    const latencies = []
    const begun = performance.now()
    const end = begun + durationMs
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        const taker = openHttpConnection(port)
        while (performance.now() < end) latencies.push(await playRound(taker))
        taker.close()
      }),
    )
    return { perSecond: latencies.length / ((performance.now() - begun) / 1_000), latencies }
  },
})

async function playRound(taker) {
  const begun = performance.now()
  const { status, body } = await call(taker, create)
  if (status !== 200) throw new Error(`a request was answered by ${status}`)
  await seeAllQuotes(JSON.parse(body.toString()).requestId)
  return performance.now() - begun
}

/** Opens the stream of a request and resolves when it tells of a quote from every maker. */
function seeAllQuotes(requestId) {
  const all = `"quoteCount":${makers},`
  return new Promise((resolve, reject) => {
    const socket = openStream(`/quote-requests/${requestId}/stream`, {}, (text) => {
      if (!text.includes(all)) return
      socket.destroy()
      resolve(undefined)
    })
    socket.on('error', reject)
  })
}

/** Quotes whatever it hears of, one call at a time. */
function openMaker({ apiKey }) {
  const prepared = Array.from({ length: PRICES }, () => quoteRequest({ requestId: BLANK_ID, apiKey }).toString())
  const connection = openHttpConnection(port)
  const waiting = []
  let isBusy = false
  let sent = 0

  function quoteNext() {
    const requestId = waiting.shift()
    isBusy = requestId !== undefined
    if (!isBusy) return
    sent += 1
    connection.send(Buffer.from(prepared[sent % PRICES].replace(BLANK_ID, requestId)), ({ status }) => {
      if (status !== 200) throw new Error(`a quote was answered by ${status}`)
      quoteNext()
    })
  }

  return new Promise((resolve) => {
    openStream('/v1/mm/quote-requests/stream', { 'x-api-key': apiKey }, (text) => {
      resolve(undefined)
      for (let at = text.indexOf(REQUEST_ID); at !== -1; at = text.indexOf(REQUEST_ID, at + 1)) {
        waiting.push(text.slice(at + REQUEST_ID.length, at + REQUEST_ID.length + UUID_LENGTH))
      }
      if (!isBusy) quoteNext()
    })
  })
}

function openStream(path, headers, onText) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.setEncoding('latin1')
  socket.on('data', onText)
  socket.write(encodeRequest('GET', path, { headers }))
  return socket
}
