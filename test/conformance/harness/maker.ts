import type { TypedDataField, Wallet } from 'ethers'
import { type Answer, call } from '../../kit/http.ts'
import type { Ready } from '../../kit/relay-process.ts'
import { type MakerSocket, openSocket, type SocketMessage } from '../../kit/socket.ts'
import { type Domain, type Order, signAccepted } from './eip712.ts'
import type { MakerKey } from './keys.ts'
import { openStream, type SseStream } from './sse.ts'

/** The message that asks a maker to sign. */
export type Accepted = SocketMessage & {
  quoteId: string
  requestId: string
  order: Order
  domain: Domain
  types: Record<string, TypedDataField[]>
  confirmationDeadline: string
}

/** What a maker may say in a quote; whatever is left out is filled with something plain. */
export type QuoteInput = Record<string, unknown>

/** A maker as somebody would script it from the specification: a key, a wallet, plain calls. */
export type Maker = MakerKey & {
  wallet: Wallet
  call: <Body = Record<string, unknown>>(method: string, path: string, body?: unknown) => Promise<Answer<Body>>
  /** Posts a quote, by default to write 1000 options at 0.12. */
  quote: (requestId: string, quote?: QuoteInput) => Promise<Answer<{ quoteId: string; [field: string]: unknown }>>
  /** Posts a body of a quote as it is written, or to another path. */
  post: (text: string, path?: string) => Promise<Answer>
  /** Posts a quote that must be taken, and returns its id. */
  quoted: (requestId: string, quote?: QuoteInput) => Promise<string>
  /** Opens an authenticated socket; further calls open further ones. */
  connect: () => Promise<MakerSocket>
  stream: (headers?: Record<string, string>) => Promise<SseStream>
  sign: (accepted: SocketMessage) => Promise<string>
  confirm: (quoteId: unknown, signature: unknown) => Promise<Answer>
}

/** A maker of a relay, with a key and a wallet. */
export function createMaker({ url, wsUrl }: Ready, key: MakerKey, wallet: Wallet): Maker {
  const headers = { 'x-api-key': key.apiKey }
  const ask: Maker['call'] = (method, path, body) =>
    call(method, `${url}${path}`, { headers, ...(body === undefined ? {} : { body }) })
  const quote: Maker['quote'] = (requestId, terms = {}) =>
    ask('POST', '/v1/mm/quotes', {
      requestId,
      quote: { maker: wallet.address, side: 'buy', price: 0.12, size: 1_000, ...terms },
    })
  return {
    ...key,
    wallet,
    call: ask,
    quote,
    post: (text, path = '/v1/mm/quotes') => call('POST', `${url}${path}`, { text, headers }),
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
    sign: (accepted) => signAccepted(wallet, accepted as Accepted),
    confirm: (quoteId, signature) => ask('POST', `/v1/mm/quotes/${quoteId}/confirm`, { signature }),
  }
}
