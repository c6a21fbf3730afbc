import { describe, expect, test } from 'vitest'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { RELAY_SETTINGS } from '../../support/test-relay.ts'
import { openBody, startServer, type TestServer, type TestStream } from './support.ts'

async function watched(fixture: TestServer): Promise<{ requestId: string; takerSecret: string; stream: TestStream }> {
  const { requestId, takerSecret } = await fixture.open()
  const stream = await fixture.stream(`/quote-requests/${requestId}/stream`)
  return { requestId, takerSecret, stream }
}

const priceOf = (frame: Awaited<ReturnType<TestStream['event']>>) =>
  (frame?.data?.bestQuote as { price: number } | null)?.price

describe('a taker stream', () => {
  test('shows the best quote at once, also an absent one', async () => {
    const fixture = await startServer()
    const { requestId, stream } = await watched(fixture)
    expect(stream).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } })
    expect(await stream.event()).toEqual({
      retry: expect.stringMatching(/^[123]\d{3}$/),
      event: 'best_quote',
      data: { bestQuote: null, quoteCount: 0, status: 'open', bookSeq: expect.any(Number) },
    })
    await fixture.quote('ada', requestId)
    expect(await stream.event()).toEqual({
      event: 'best_quote',
      data: {
        bestQuote: {
          maker_id: 'ada',
          quote_id: expect.any(String),
          side: 'buy',
          price: 0.12,
          size: 1_000,
          fillContracts: 833,
        },
        quoteCount: 1,
        status: 'open',
        bookSeq: expect.any(Number),
      },
    })
  })

  test('sends each change at once, whatever the clock says, and of a burst at least the last (decision Q9)', async () => {
    const fixture = await startServer()
    const { requestId, stream } = await watched(fixture)
    await stream.event()
    for (const micro of [200_000n, 190_000n]) {
      await fixture.quote('ada', requestId, { price: usd6(micro) })
      expect(priceOf(await stream.event())).toBe(Number(micro) / 1e6)
    }
    for (const micro of [180_000n, 170_000n, 160_000n]) await fixture.quote('ada', requestId, { price: usd6(micro) })
    let last: unknown
    while (last !== 0.16) last = priceOf(await stream.event())
  })

  test('shows null when the only quote has expired', async () => {
    const fixture = await startServer()
    const { requestId, stream } = await watched(fixture)
    await stream.event()
    await fixture.quote('ada', requestId, { expiresInMs: 500 })
    expect(priceOf(await stream.event())).toBe(0.12)
    await fixture.clock.advance(500)
    expect((await stream.event())?.data).toMatchObject({ bestQuote: null, quoteCount: 0 })
  })

  test.each([
    [
      'cancelled',
      async (fixture: TestServer, of: { requestId: string; takerSecret: string }) => fixture.relay.cancelRequest(of),
    ],
    ['expired', async (fixture: TestServer) => fixture.clock.advance(RELAY_SETTINGS.quoteRequestTtlMs)],
  ])('ends with closed when the request is %s', async (status, end) => {
    const fixture = await startServer()
    const { requestId, takerSecret, stream } = await watched(fixture)
    await stream.event()
    await fixture.quote('ada', requestId)
    await stream.event()
    await end(fixture, { requestId, takerSecret })
    expect((await stream.event())?.data).toMatchObject({ status })
    expect(await stream.event()).toEqual({ event: 'closed', data: { requestId } })
    expect(await stream.next()).toBeNull()
    const again = await fixture.call('GET', `/quote-requests/${requestId}/stream`)
    expect(again).toMatchObject({ status: 404, body: { success: false } })
  })

  test('for an unknown request is a 404 in JSON (fault D17)', async () => {
    const { call } = await startServer()
    const answer = await call('GET', '/quote-requests/nobody/stream')
    expect(answer).toMatchObject({
      status: 404,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: { code: 'request_not_found' },
    })
  })

  test('that its taker has left is not written to any more', async () => {
    const fixture = await startServer({ server: { maxStreamsPerAddress: 1 } })
    const { requestId, stream } = await watched(fixture)
    const second = await fixture.call('GET', `/quote-requests/${requestId}/stream`)
    expect(second).toMatchObject({ status: 429, body: { code: 'too_many_connections' } })
    stream.destroy()
    await expect.poll(async () => (await fixture.stream(`/quote-requests/${requestId}/stream`)).status).toBe(200)
    await fixture.quote('ada', requestId)
  })

  test('shows a change that comes while it is opened, and no older state after it', async () => {
    const fixture = await startServer()
    const { requestId } = await fixture.open()
    const { watchRequest } = fixture.relay
    fixture.relay.watchRequest = async (input) => {
      const { top, stop } = await watchRequest(input)
      await fixture.quote('ada', requestId)
      return { top, stop }
    }
    const stream = await fixture.stream(`/quote-requests/${requestId}/stream`)
    expect(priceOf(await stream.event())).toBe(0.12)
  })

  test('ends at once when its request closes while it is opened', async () => {
    const fixture = await startServer()
    const { requestId, takerSecret } = await fixture.open()
    const { watchRequest } = fixture.relay
    fixture.relay.watchRequest = async (input) => {
      const watched = await watchRequest(input)
      await fixture.relay.cancelRequest({ requestId, takerSecret })
      return watched
    }
    const stream = await fixture.stream(`/quote-requests/${requestId}/stream`)
    expect((await stream.event())?.data).toMatchObject({ status: 'cancelled' })
    expect(await stream.event()).toEqual({ event: 'closed', data: { requestId } })
    expect(await stream.next()).toBeNull()
  })

  test('lets go of its request when its taker leaves', async () => {
    const fixture = await startServer()
    const { watchRequest } = fixture.relay
    let watching = 0
    fixture.relay.watchRequest = async (input) => {
      const { top, stop } = await watchRequest(input)
      watching += 1
      return {
        top,
        stop: () => {
          watching -= 1
          stop()
        },
      }
    }
    const { stream } = await watched(fixture)
    expect(watching).toBe(1)
    stream.destroy()
    await expect.poll(() => watching).toBe(0)
  })

  test('pings like every other stream', async () => {
    const fixture = await startServer()
    const { stream } = await watched(fixture)
    await stream.event()
    await fixture.clock.advance(25_000)
    expect(await stream.next()).toEqual({ comment: 'ping' })
  })
})

test('opening by HTTP and watching by HTTP are the same request', async () => {
  const fixture = await startServer()
  const { body } = await fixture.call('POST', '/quote-requests', { body: openBody() })
  expect((await fixture.stream(`/quote-requests/${body.requestId}/stream`)).status).toBe(200)
})
