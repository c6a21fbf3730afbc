import type { PrivateKeyAccount } from 'viem/accounts'
import type { TypedDataDomain } from '../../src/protocol/domain/order.ts'
import type { Hex } from '../../src/protocol/domain/units.ts'
import { type Answer, call } from './http.ts'
import { createInbox } from './inbox.ts'
import type { Ready } from './relay-process.ts'
import { type MakerSocket, openSocket, type SocketMessage } from './socket.ts'
import { openStream, readingOf, type SseEvent, type SseStream } from './sse.ts'

/** A configured maker key and whose it is. */
export type MakerKey = { apiKey: string; makerId: string }

/** An order as JSON carries it. */
export type OrderJson = {
  maker: string
  seriesId: string
  optionAmount: string
  premiumAmount: string
  makerSelling: boolean
  taker: string
  validUntil: number
  nonce: number
}

/** The message that asks a maker to sign. */
export type Accepted = SocketMessage & {
  quoteId: string
  requestId: string
  order: OrderJson
  domain: TypedDataDomain
  types: object
  confirmationDeadline: string
}

/** A maker of a relay: a key, a wallet, and plain calls. */
export type Maker = MakerKey & {
  wallet: PrivateKeyAccount
  call: <Body = Record<string, unknown>>(method: string, path: string, body?: unknown) => Promise<Answer<Body>>
  /** Posts a quote, by default to write 1000 options at 0.12. */
  quote: (
    requestId: string,
    quote?: Record<string, unknown>,
  ) => Promise<Answer<{ quoteId: string; [field: string]: unknown }>>
  /** Posts a quote that must be taken, and returns its id. */
  quoted: (requestId: string, quote?: Record<string, unknown>) => Promise<string>
  /** Opens an authenticated socket; further calls open further ones. */
  connect: () => Promise<MakerSocket>
  stream: (headers?: Record<string, string>) => Promise<SseStream>
  /** Signs what it is asked to. */
  sign: (accepted: object) => Promise<Hex>
  confirm: (quoteId: unknown, signature: unknown) => Promise<Answer>
  decline: (quoteId: string) => Promise<Answer>
}

/** So many makers of a test, by its name. */
export const makerKeys = (name: string, count: number): MakerKey[] =>
  Array.from({ length: count }, (_, index) => ({ apiKey: `key-of-${name}-${index}`, makerId: `${name}-${index}` }))

/** A maker of a relay, with a key and a wallet. */
export function createMaker({ url, wsUrl }: Ready, key: MakerKey, wallet: PrivateKeyAccount): Maker {
  const headers = { 'x-api-key': key.apiKey }
  const ask: Maker['call'] = (method, path, body) => call(method, `${url}${path}`, { headers, body })
  const quote: Maker['quote'] = (requestId, terms = {}) => {
    const plain = { maker: wallet.address, side: 'buy', price: 0.12, size: 1_000 }
    return ask('POST', '/v1/mm/quotes', { requestId, quote: { ...plain, ...terms } })
  }
  return {
    ...key,
    wallet,
    call: ask,
    quote,
    quoted: async (requestId, terms) => {
      const { status, body, text } = await quote(requestId, terms)
      if (status !== 200) throw new Error(`the quote was refused: ${status} ${text}`)
      return body.quoteId
    },
    connect: async () => {
      const socket = openSocket(`${wsUrl}/maker/v1/ws?apiKey=${key.apiKey}`)
      await socket.until('connected')
      return socket
    },
    stream: (more = {}) => openStream(`${url}/v1/mm/quote-requests/stream`, { ...headers, ...more }),
    sign: (accepted) => signOrder(wallet, accepted as Accepted),
    confirm: (quoteId, signature) => ask('POST', `/v1/mm/quotes/${quoteId}/confirm`, { signature }),
    decline: (quoteId) => ask('POST', `/v1/mm/quotes/${quoteId}/decline`, {}),
  }
}

/** The signature of an order under the domain and types that came with it. */
export const signOrder = (wallet: PrivateKeyAccount, { domain, types, order }: Accepted): Promise<Hex> =>
  wallet.signTypedData({ domain, types, primaryType: 'Order', message: order } as never)

/** Waits until a maker is asked to sign for a request. */
export const askedToSign = async (socket: MakerSocket, requestId: string): Promise<Accepted> =>
  (await socket.until('quote:accepted', requestId)) as Accepted

/** The requests that a maker hears on a socket of its own, read as a stream. */
export async function streamOnSocket(maker: Maker, lastEventId?: string): Promise<SseStream> {
  const { socket, send, close, closed } = await maker.connect()
  const events = createInbox<SseEvent>('the requests of the socket')
  let text = ''
  socket.on('message', (message) => {
    text += message.toString()
    const { type, event, id = null, data } = JSON.parse(message.toString())
    if (type === 'requests') events.put({ event, id: id === null ? null : String(id), data })
  })
  send({ type: 'subscribe', to: 'requests', ...(lastEventId === undefined ? {} : { lastEventId }) })
  const ended = closed.then(() => events.end('the socket closed'))
  return { status: 200, headers: new Headers(), ...readingOf(events), text: () => text, ended, close }
}
