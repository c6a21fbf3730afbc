import { EventSource } from 'eventsource'
import { WebSocket } from 'ws'
import type { StrangerInput } from './fetch-maker.ts'

/**
 * A maker on the `eventsource` package, which like a browser cannot set headers: the key goes into the query. Its socket
 * says the key in the first message.
 */
export async function runEventSourceMaker(input: StrangerInput): Promise<string> {
  const { url, wsUrl, apiKey, wallet, conditionId } = input
  const query = `apiKey=${encodeURIComponent(apiKey)}`
  const post = (path: string, body: unknown) =>
    fetch(`${url}${path}?${query}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })

  const socket = new WebSocket(`${wsUrl}/maker/v1/ws`)
  socket.on('open', () => socket.send(JSON.stringify({ type: 'auth', apiKey })))
  const stream = new EventSource(`${url}/v1/mm/quote-requests/stream?${query}`)
  stream.addEventListener('quote_request', async ({ data }) => {
    const { requestId, params } = JSON.parse(data)
    if (params.market.conditionId !== conditionId) return
    await post('/v1/mm/quotes', {
      requestId,
      quote: { maker: wallet.address, side: params.trade.side, price: 0.25, size: 100, expires_in_ms: 60_000 },
    })
  })

  const quoteId = await new Promise<string>((resolve) => {
    socket.on('message', async (data) => {
      const message = JSON.parse(String(data))
      if (message.type === 'quote:confirmed') resolve(message.quoteId)
      if (message.type !== 'quote:accepted') return
      const signature = await wallet.signTypedData(message.domain, message.types, message.order)
      await post(`/v1/mm/quotes/${message.quoteId}/confirm`, { signature })
    })
  })
  stream.close()
  socket.close()
  return quoteId
}
