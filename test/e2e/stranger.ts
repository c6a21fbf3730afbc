import { once } from 'node:events'
import { privateKeyToAccount } from 'viem/accounts'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'

/** An answer of a relay; `body` is empty when it was not JSON. */
export type Answer = { status: number; headers: Headers; text: string; body: Record<string, string> }

type CallInput = { body?: object; text?: string; headers?: Record<string, string> }

/** A message that asks for a signature. */
type Accepted = { type: string; quoteId: string; order: object; domain: object; types: object }

/** A taker and makers that use a relay by nothing but `fetch` and the `ws` client. */
export type Stranger = {
  call: (method: string, path: string, input?: CallInput) => Promise<Answer>
  /** An open stream; `text` is all it ever said, once it has ended. */
  stream: (path: string, headers?: Record<string, string>) => Promise<{ text: Promise<string> }>
  /** An authenticated socket of a maker. */
  socket: (apiKey: string) => Promise<{ closed: Promise<number>; accepted: () => Promise<Accepted> }>
  /** Opens a request for calls worth 100 dollars. */
  open: (fields?: object) => Promise<{ requestId: string; takerSecret: string }>
  /** A commit that waits for the signature of a maker, with the hand of that maker. */
  pendingCommit: (
    apiKey: string,
    options?: { requestId?: string; headers?: Record<string, string> },
  ) => Promise<PendingCommit>
}

/** A commit that waits for a signature. */
export type PendingCommit = {
  quoteId: string
  committing: Promise<Answer>
  sign: () => Promise<string>
  answer: (how: 'confirm' | 'decline', body: object) => Promise<Answer>
}

const ACCOUNT = privateKeyToAccount(`0x${'5a'.repeat(32)}`)
const TAKER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/** Strangers to the relay at some addresses. */
export function createStranger({ url, wsUrl }: { url: string; wsUrl: string }): Stranger {
  const call: Stranger['call'] = async (method, path, { body, text, headers = {} } = {}) => {
    const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...(sent === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(sent === undefined ? {} : { body: sent }),
    })
    const received = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return {
      status: response.status,
      headers: response.headers,
      text: received,
      body: isJson ? JSON.parse(received) : {},
    }
  }

  const stream: Stranger['stream'] = async (path, headers = {}) => {
    const response = await fetch(`${url}${path}`, { headers })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    const first = await reader.read()
    const text = (async () => {
      let all = decoder.decode(first.value)
      for (let part = await reader.read(); !part.done; part = await reader.read()) all += decoder.decode(part.value)
      return all
    })()
    return { text }
  }

  const socket: Stranger['socket'] = async (apiKey) => {
    const ws = new WebSocket(`${wsUrl}/maker/v1/ws?apiKey=${apiKey}`)
    onTestFinished(() => ws.terminate())
    const messages: Accepted[] = []
    ws.on('message', (data) => messages.push(JSON.parse(String(data))))
    const closed = once(ws, 'close').then(([code]) => code as number)
    await once(ws, 'message')
    const accepted = async () => {
      for (;;) {
        const found = messages.find(({ type }) => type === 'quote:accepted')
        if (found !== undefined) return found
        await once(ws, 'message')
      }
    }
    return { closed, accepted }
  }

  const open: Stranger['open'] = async (fields = {}) => {
    const { body } = await call('POST', '/quote-requests', {
      body: {
        market: { conditionId: `0x${'11'.repeat(32)}`, yesTokenId: '123456789' },
        option: { optionType: 'call', strikeBps: 4_500, expiryMs: Date.now() + 3_600_000 },
        trade: { side: 'buy', budgetUsd: 100 },
        ...fields,
      },
    })
    return body as { requestId: string; takerSecret: string }
  }

  const pendingCommit: Stranger['pendingCommit'] = async (apiKey, options = {}) => {
    const asMaker = { 'x-api-key': apiKey }
    const { accepted } = await socket(apiKey)
    const requestId = options.requestId ?? (await open()).requestId
    const quote = { maker: ACCOUNT.address, side: 'buy', price: 0.12, size: 1_000 }
    await call('POST', '/v1/mm/quotes', { body: { requestId, quote }, headers: asMaker })
    const committing = call('POST', `/quote-requests/${requestId}/commit`, {
      body: { wallet: TAKER },
      headers: options.headers ?? {},
    })
    const { quoteId, order, domain, types } = await accepted()
    return {
      quoteId,
      committing,
      sign: () => ACCOUNT.signTypedData({ domain, types, primaryType: 'Order', message: order } as never),
      answer: (how, body) => call('POST', `/v1/mm/quotes/${quoteId}/${how}`, { body, headers: asMaker }),
    }
  }

  return { call, stream, socket, open, pendingCommit }
}
