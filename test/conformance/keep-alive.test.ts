import { describe, expect, it } from 'vitest'
import { openHouses } from './harness/house.ts'
import type { SseStream } from './harness/sse.ts'

/** The specification's 25 seconds, with what a busy machine adds. */
const SOON_MS = 40_000

/** Resolves when a stream has said `: ping`, with the time that it took. */
async function pinged(stream: SseStream, begun: number): Promise<number> {
  await stream.commented(': ping', SOON_MS)
  return Date.now() - begun
}

describe.concurrent.each(openHouses(import.meta.url))('keep-alive, $mode', (house) => {
  it('Limits, keep-alive: SSE streams say ": ping" and the WebSocket pings, about every 25 seconds', {
    timeout: 2 * SOON_MS,
  }, async () => {
    const maker = await house.maker({ funded: false })
    const { requestId } = await house.open()
    const begun = Date.now()
    const [makerStream, takerStream, { socket }] = await Promise.all([
      maker.stream(),
      house.stream(`/quote-requests/${requestId}/stream`),
      maker.connect(),
    ])
    const socketPinged = new Promise<number>((resolve) => socket.once('ping', () => resolve(Date.now() - begun)))
    const times = await Promise.all([pinged(makerStream, begun), pinged(takerStream, begun), socketPinged])
    for (const time of times) {
      expect(time).toBeGreaterThan(15_000)
      expect(time).toBeLessThan(SOON_MS)
    }
  })
})
