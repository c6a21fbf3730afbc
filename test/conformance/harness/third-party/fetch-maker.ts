import type { Wallet } from 'ethers'
import { WebSocket } from 'ws'

/** What a stranger's maker is told; it quotes one market only. */
export type StrangerInput = { url: string; wsUrl: string; apiKey: string; wallet: Wallet; conditionId: string }

/** Silence longer than this means that the stream is dead: the server pings about every 25 s. */
const WATCHDOG_MS = 40_000

/**
 * A maker with plain `fetch` and a byte reader, as somebody would write it from the specification alone. It quotes every
 * request of its market once, signs what it wins, and resolves when it is told that it was confirmed.
 */
export async function runFetchMaker({ url, wsUrl, apiKey, wallet, conditionId }: StrangerInput): Promise<string> {
  const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json' }
  const abort = new AbortController()
  const watchdog = setTimeout(() => abort.abort(), WATCHDOG_MS)

  const socket = new WebSocket(`${wsUrl}/maker/v1/ws?apiKey=${apiKey}`)
  const confirmed = new Promise<string>((resolve) => {
    socket.on('message', async (data) => {
      const message = JSON.parse(String(data))
      if (message.type === 'quote:confirmed') resolve(message.quoteId)
      if (message.type !== 'quote:accepted') return
      const signature = await wallet.signTypedData(message.domain, message.types, message.order)
      const body = JSON.stringify({ signature })
      await fetch(`${url}/v1/mm/quotes/${message.quoteId}/confirm`, { method: 'POST', headers, body })
    })
  })

  const stream = await fetch(`${url}/v1/mm/quote-requests/stream`, { headers, signal: abort.signal })
  const read = async (): Promise<void> => {
    let buffer = Buffer.alloc(0)
    for await (const bytes of stream.body as AsyncIterable<Uint8Array>) {
      watchdog.refresh()
      buffer = Buffer.concat([buffer, bytes])
      for (let end = buffer.indexOf('\n\n'); end >= 0; end = buffer.indexOf('\n\n')) {
        await take(buffer.subarray(0, end).toString('utf8').split('\n'))
        buffer = buffer.subarray(end + 2)
      }
    }
  }
  const take = async (lines: string[]): Promise<void> => {
    const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
    if (field('event') !== 'quote_request') return
    const { requestId, params } = JSON.parse(String(field('data')))
    if (params.market.conditionId !== conditionId) return
    const quote = { maker: wallet.address, side: params.trade.side, price: 0.25, size: 100 }
    await fetch(`${url}/v1/mm/quotes`, { method: 'POST', headers, body: JSON.stringify({ requestId, quote }) })
  }
  read().catch(() => {})

  const quoteId = await confirmed
  clearTimeout(watchdog)
  abort.abort()
  socket.close()
  return quoteId
}
