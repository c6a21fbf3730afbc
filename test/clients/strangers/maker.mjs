// A maker as an outsider would write it, on packages that nobody here wrote. It quotes all it hears, signs what it wins, and
// says on stdout what it heard. Told on the command line: where, who, and on which packages.
import { fetchEventSource } from '@microsoft/fetch-event-source'
import { verifyTypedData, Wallet } from 'ethers'
import { EventSource as PackageEventSource } from 'eventsource'
import { EventSource as UndiciEventSource, WebSocket as UndiciWebSocket } from 'undici'
import { getEncodedEip712Data } from 'web3-eth-abi'
import { signRaw } from 'web3-eth-accounts'
import { WebSocket } from 'ws'

const { url, apiKey, privateKey, stream, socket, signer } = JSON.parse(process.argv[2])
const wallet = new Wallet(privateKey)
const headers = { 'X-API-Key': apiKey }
const STREAM = `${url}/v1/mm/quote-requests/stream`
const SOCKET = `${url.replace('http', 'ws')}/maker/v1/ws`
const QUERY = `?apiKey=${apiKey}`
const EVENTS = ['connected', 'snapshot_begin', 'quote_request', 'snapshot_complete', 'quote_request_expired']

/** How each package hears the stream. */
const STREAMS = {
  eventsource(hear) {
    const withKey = (input, init) => fetch(input, { ...init, headers: { ...init.headers, ...headers } })
    const source = new PackageEventSource(STREAM, { fetch: withKey })
    for (const name of EVENTS) source.addEventListener(name, ({ data }) => hear(name, data))
  },
  'fetch-event-source'(hear) {
    // It is made for pages.
    globalThis.window = globalThis
    globalThis.document = { addEventListener() {}, removeEventListener() {} }
    const onmessage = ({ event, data }) => hear(event, data)
    void fetchEventSource(STREAM, { headers, onmessage, openWhenHidden: true })
  },
  undici(hear) {
    const source = new UndiciEventSource(STREAM + QUERY)
    for (const name of EVENTS) source.addEventListener(name, ({ data }) => hear(name, data))
  },
}

/** How each package opens the socket and shows the key. */
const SOCKETS = {
  'ws, key in a message'() {
    const opened = new WebSocket(SOCKET)
    opened.addEventListener('open', () => opened.send(JSON.stringify({ type: 'auth', apiKey })))
    return opened
  },
  'undici, key in the query': () => new UndiciWebSocket(SOCKET + QUERY),
  'undici, key in the header': () => new UndiciWebSocket(SOCKET, { headers }),
}

const DOMAIN_TYPE = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

/** How each package signs an order. */
const SIGNERS = {
  ethers: ({ domain, types, order }) => wallet.signTypedData(domain, types, order),
  web3: ({ domain, types, order }) => {
    const typed = { domain, types: { EIP712Domain: DOMAIN_TYPE, ...types }, primaryType: 'Order', message: order }
    return signRaw(getEncodedEip712Data(typed), privateKey).signature
  },
}

async function post(path, body) {
  const options = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' } }
  const answer = await fetch(url + path, { ...options, body: JSON.stringify(body) })
  if (!answer.ok) console.log('refused', path, await answer.text())
}

async function onEvent(name, data) {
  const { requestId, params } = JSON.parse(data)
  console.log(name, requestId ?? '')
  if (name !== 'quote_request') return
  const { side } = params.trade
  await post('/v1/mm/quotes', { requestId, quote: { maker: wallet.address, side, price: 0.25, size: 100 } })
}

async function onMessage(message) {
  console.log(message.type)
  if (message.type === 'connected') this.send(JSON.stringify({ type: 'ping' }))
  if (message.type !== 'quote:accepted') return
  const { quoteId, order, domain, types } = message
  const signature = await SIGNERS[signer](message)
  if (verifyTypedData(domain, types, order, signature) !== order.maker) throw new Error('signed by somebody else')
  await post(`/v1/mm/quotes/${quoteId}/confirm`, { signature })
}

function openSocket() {
  const opened = SOCKETS[socket]()
  opened.addEventListener('message', ({ data }) => onMessage.call(opened, JSON.parse(data)))
  opened.addEventListener('error', () => {})
  opened.addEventListener('close', () => setTimeout(openSocket, 100))
}

STREAMS[stream](onEvent)
openSocket()
