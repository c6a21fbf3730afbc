import { describe, expect, it } from 'vitest'
import { keep } from '../kit/keep.ts'
import { startRelay } from '../kit/relay-process.ts'
import { keysOf } from './harness/keys.ts'
import { failure } from './harness/match.ts'
import { createService } from './harness/service.ts'
import { askedToSign } from './harness/trade.ts'

describe.concurrent('shutdown (faults H1, H2)', () => {
  const keys = keysOf(import.meta.url).slice(0, 10)

  async function start() {
    const env = { MAKER_API_KEYS: JSON.stringify(keys), MAKER_CONFIRMATION_MS: '3000' }
    const relay = await startRelay({ flags: ['--memory', '--no-chain'], env })
    keep(() => relay.signal('SIGKILL'))
    const service = createService('simulated', relay.ready, [...keys])
    const maker = await service.maker()
    const [socket, stream] = await Promise.all([maker.connect(), maker.stream()])
    await stream.until('snapshot_complete')
    const { requestId } = await service.open()
    const takerStream = await service.stream(`/quote-requests/${requestId}/stream`)
    const quoteId = await maker.quoted(requestId)
    const committing = service.commit(requestId, { wallet: service.wallet().address })
    const accepted = await askedToSign(socket, requestId)
    return { relay, service, maker, socket, stream, takerStream, quoteId, committing, accepted }
  }

  it('SIGTERM ends streams, closes sockets with 1001, lets a running commit finish and exits with 0 (decision M4, fault H1)', async () => {
    const { relay, maker, socket, stream, takerStream, quoteId, committing, accepted } = await start()
    relay.signal('SIGTERM')
    expect(await socket.closed).toBe(1001)
    expect((await maker.confirm(quoteId, await maker.sign(accepted))).status).toBe(200)
    expect((await committing).status).toBe(200)
    await Promise.all([stream.ended, takerStream.ended])
    expect(stream.text()).toMatch(/retry: \d+/)
    expect(await relay.exited).toEqual({ code: 0, signal: null })
  })

  it('new requests are refused while it drains, and a commit without an answer is 503 (fault H1)', async () => {
    const { relay, service, socket, committing } = await start()
    relay.signal('SIGTERM')
    await socket.closed
    const late = await service.call('GET', '/v1/markets').catch(() => null)
    if (late !== null) {
      expect(late).toMatchObject({ status: 503, body: { ...failure('shutting_down'), retryable: true } })
      expect(late.headers.get('connection')).toBe('close')
    }
    expect((await committing).status).toBe(503)
    expect(await relay.exited).toEqual({ code: 0, signal: null })
  })

  it('a second signal, a moment later, ends it at once (fault H2)', async () => {
    const { relay, socket, committing } = await start()
    committing.catch(() => {})
    relay.signal('SIGINT')
    await socket.closed
    // Within the same moment it would be taken for an echo of the first.
    const asking = setInterval(relay.signal, 50, 'SIGINT')
    expect(await relay.exited).toMatchObject({ code: 130 })
    clearInterval(asking)
  })
})
