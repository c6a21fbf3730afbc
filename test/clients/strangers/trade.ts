// A whole trade through a client that was generated from a relay's own /openapi.json (`./api.ts`, made by the test, which
// also compiles this file as strictly as the compiler can). What comes out is the signed order.
import { verifyTypedData, Wallet } from 'ethers'
import createClient from 'openapi-fetch'
import { WebSocket } from 'ws'
import type { components, paths } from './api.ts'

type Accepted = components['schemas']['PendingAcceptance']

const { url, apiKey, privateKey, taker, request } = JSON.parse(process.argv[2] ?? '') as {
  url: string
  apiKey: string
  privateKey: string
  taker: string
  request: paths['/quote-requests']['post']['requestBody']['content']['application/json']
}
const wallet = new Wallet(privateKey)
const asMaker = createClient<paths>({ baseUrl: url, headers: { 'X-API-Key': apiKey } })
const asTaker = createClient<paths>({ baseUrl: url })

/** What a call answered; a refusal ends the program. */
function accepted<Data>({ data, error }: { data?: Data; error?: components['schemas']['Failure'] }): Data {
  if (data === undefined) throw new Error(`${error?.code}: ${error?.error}`)
  return data
}

/** Hears requests until one comes that is not known, and quotes it. */
async function quoteOne(requestId: string): Promise<string> {
  const stream = accepted(await asMaker.GET('/v1/mm/quote-requests/stream', { parseAs: 'stream' }))
  if (stream === null) throw new Error('a stream without a body')
  let heard = ''
  for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
    heard += piece
    if (heard.includes(requestId)) break
  }
  const quote = { maker: wallet.address, side: 'buy' as const, price: 0.25, size: 100 }
  return accepted(await asMaker.POST('/v1/mm/quotes', { body: { requestId, quote } })).quoteId
}

/** Signs the order that waits for this maker, as soon as there is one. */
async function signOne(): Promise<Accepted> {
  for (;;) {
    const [waiting] = accepted(await asMaker.GET('/v1/mm/quotes')).pending
    if (waiting !== undefined) {
      const { quoteId, order, domain, types } = waiting
      const signature = await wallet.signTypedData(domain, types, order)
      const params = { path: { quoteId } }
      accepted(await asMaker.POST('/v1/mm/quotes/{quoteId}/confirm', { params, body: { signature } }))
      return waiting
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

// A document of HTTP has no word for what is said on a socket: who signs must be there, and asks by HTTP what for.
const socket = new WebSocket(`${url.replace('http', 'ws')}/maker/v1/ws`, { headers: { 'X-API-Key': apiKey } })
await new Promise((resolve, reject) => socket.once('message', resolve).once('error', reject))

const { requestId, takerSecret } = accepted(await asTaker.POST('/quote-requests', { body: request }))
const params = { path: { id: requestId }, header: { 'X-Taker-Secret': takerSecret } }
const quoteId = await quoteOne(requestId)
const shown = accepted(await asTaker.GET('/quote-requests/{id}/quotes', { params })).bestQuote
if (shown?.quote_id !== quoteId) throw new Error(`another quote is best: ${shown?.quote_id}`)

const body = { wallet: taker, limitPrice: shown.price, expectedQuoteId: quoteId }
const [committed, waiting] = await Promise.all([
  asTaker.POST('/quote-requests/{id}/commit', { params, body }).then(accepted),
  signOne(),
])
const { order, makerSignature, domain } = committed.onchain ?? {}
if (order === undefined || makerSignature === undefined || domain === undefined) throw new Error('nothing to fill')
const signer = verifyTypedData(domain, waiting.types, order, makerSignature)

const [outcome] = accepted(await asMaker.GET('/v1/mm/executions', { params: { query: { limit: '1' } } })).executions
const again = await asTaker.POST('/quote-requests/{id}/commit', { params, body: { wallet: wallet.address } })
console.log(JSON.stringify({ requestId, quoteId, signer, order, outcome: outcome?.status, again: again.error?.code }))
socket.close()
process.exit()
