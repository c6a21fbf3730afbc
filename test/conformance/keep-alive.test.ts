import { once } from 'node:events'
import { describe, it } from 'vitest'
import { openServices } from './harness/service.ts'

/** The specification's 25 seconds, with what a busy machine adds. */
const SOON_MS = 40_000

describe.concurrent.each(openServices(import.meta.url))('keep-alive, $mode', (service) => {
  it('event streams say ": ping" and the WebSocket pings at least every 25 seconds (protocol stream-4, socket-2)', {
    timeout: 2 * SOON_MS,
  }, async () => {
    const maker = await service.maker({ funded: false })
    const { requestId } = await service.open()
    const [makerStream, takerStream, { socket }] = await Promise.all([
      maker.stream(),
      service.stream(`/quote-requests/${requestId}/stream`),
      maker.connect(),
    ])
    await Promise.all([
      makerStream.commented(': ping', SOON_MS),
      takerStream.commented(': ping', SOON_MS),
      once(socket, 'ping', { signal: AbortSignal.timeout(SOON_MS) }),
    ])
  })
})
