import type { LocalAccount } from 'viem'
import { WebSocket } from 'ws'

type Accepted = { type: string; quoteId: string; order: object; domain: object; types: object }

/** A maker that signs whatever it is asked to, as the documents tell; what its socket said goes to `onMessage`. */
export function startSigningMaker({
  url,
  wsUrl,
  apiKey,
  account,
  onMessage,
}: {
  url: string
  wsUrl: string
  apiKey: string
  account: LocalAccount
  onMessage: (message: unknown) => void
}): () => void {
  const socket = new WebSocket(`${wsUrl}/maker/v1/ws?apiKey=${apiKey}`)
  async function confirm({ quoteId, order, domain, types }: Accepted): Promise<void> {
    const typedData = { domain, types, primaryType: 'Order', message: order } as never
    const body = JSON.stringify({ signature: await account.signTypedData(typedData) })
    const headers = { 'content-type': 'application/json', 'x-api-key': apiKey }
    await fetch(`${url}/v1/mm/quotes/${quoteId}/confirm`, { method: 'POST', headers, body })
  }
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as Accepted
    onMessage(message)
    // It is gone with its test.
    if (message.type === 'quote:accepted') confirm(message).catch(() => {})
  })
  return () => socket.terminate()
}
