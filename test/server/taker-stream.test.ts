import { describe, expect, test } from 'vitest'
import { usd6 } from '../../src/domain/units.ts'
import { RELAY_SETTINGS } from '../support/relay-house.ts'
import { openBody, type ServerHouse, startServer, type TestStream } from './support.ts'

async function watched(house: ServerHouse): Promise<{ requestId: string; takerSecret: string; stream: TestStream }> {
  const { requestId, takerSecret } = await house.open()
  const stream = await house.stream(`/quote-requests/${requestId}/stream`)
  return { requestId, takerSecret, stream }
}

const priceOf = (frame: Awaited<ReturnType<TestStream['event']>>) =>
  (frame?.data?.bestQuote as { price: number } | null)?.price

describe('a taker stream', () => {
  test('shows the best quote at once, even when there is none', async () => {
    const house = await startServer()
    const { requestId, stream } = await watched(house)
    expect(stream).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } })
    expect(await stream.event()).toEqual({
      retry: expect.stringMatching(/^[123]\d{3}$/),
      event: 'best_quote',
      data: { bestQuote: null, quoteCount: 0, status: 'open', bookSeq: expect.any(Number) },
    })
    await house.quote('ada', requestId)
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

  test('sends the first change at once, folds the next within 20 ms, and always shows the last (decision Q9)', async () => {
    const house = await startServer()
    const { requestId, stream } = await watched(house)
    await stream.event()
    await house.quote('ada', requestId, { price: usd6(200_000n) })
    expect(priceOf(await stream.event())).toBe(0.2)
    for (const micro of [190_000n, 180_000n, 170_000n]) await house.quote('ada', requestId, { price: usd6(micro) })
    await house.clock.advance(20)
    expect(priceOf(await stream.event())).toBe(0.17)
    await house.clock.advance(20)
    await house.quote('ada', requestId, { price: usd6(160_000n) })
    expect(priceOf(await stream.event())).toBe(0.16)
  })

  test('shows null when the only quote has expired', async () => {
    const house = await startServer()
    const { requestId, stream } = await watched(house)
    await stream.event()
    await house.quote('ada', requestId, { expiresInMs: 500 })
    expect(priceOf(await stream.event())).toBe(0.12)
    await house.clock.advance(500)
    expect((await stream.event())?.data).toMatchObject({ bestQuote: null, quoteCount: 0 })
  })

  test.each([
    [
      'cancelled',
      async (house: ServerHouse, of: { requestId: string; takerSecret: string }) => house.relay.cancelRequest(of),
    ],
    ['expired', async (house: ServerHouse) => house.clock.advance(RELAY_SETTINGS.quoteRequestTtlMs)],
  ])('ends with closed when the request is %s', async (status, end) => {
    const house = await startServer()
    const { requestId, takerSecret, stream } = await watched(house)
    await stream.event()
    await house.quote('ada', requestId)
    await stream.event()
    await end(house, { requestId, takerSecret })
    expect((await stream.event())?.data).toMatchObject({ status })
    expect(await stream.event()).toEqual({ event: 'closed', data: { requestId } })
    expect(await stream.next()).toBeNull()
    const again = await house.call('GET', `/quote-requests/${requestId}/stream`)
    expect(again).toMatchObject({ status: 404, body: { success: false } })
  })

  test('of an unknown request is a 404 in JSON (fault D17)', async () => {
    const { call } = await startServer()
    const answer = await call('GET', '/quote-requests/nobody/stream')
    expect(answer).toMatchObject({
      status: 404,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: { code: 'request_not_found' },
    })
  })

  test('that its taker has left is not written to any more', async () => {
    const house = await startServer({ server: { maxStreamsPerAddress: 1 } })
    const { requestId, stream } = await watched(house)
    const second = await house.call('GET', `/quote-requests/${requestId}/stream`)
    expect(second).toMatchObject({ status: 429, body: { code: 'too_many_connections' } })
    stream.destroy()
    await expect.poll(async () => (await house.stream(`/quote-requests/${requestId}/stream`)).status).toBe(200)
    await house.quote('ada', requestId)
  })

  test('shows a change that comes while it is opened, and no older state after it', async () => {
    const house = await startServer()
    const { requestId } = await house.open()
    const { watchRequest } = house.relay
    house.relay.watchRequest = async (input) => {
      const { top, stop } = await watchRequest(input)
      await house.quote('ada', requestId)
      return { top, stop }
    }
    const stream = await house.stream(`/quote-requests/${requestId}/stream`)
    expect(priceOf(await stream.event())).toBe(0.12)
  })

  test('ends at once when its request closes while it is opened', async () => {
    const house = await startServer()
    const { requestId, takerSecret } = await house.open()
    const { watchRequest } = house.relay
    house.relay.watchRequest = async (input) => {
      const watched = await watchRequest(input)
      await house.relay.cancelRequest({ requestId, takerSecret })
      return watched
    }
    const stream = await house.stream(`/quote-requests/${requestId}/stream`)
    expect((await stream.event())?.data).toMatchObject({ status: 'cancelled' })
    expect(await stream.event()).toEqual({ event: 'closed', data: { requestId } })
    expect(await stream.next()).toBeNull()
  })

  test('lets go of its request when its taker leaves', async () => {
    const house = await startServer()
    const { watchRequest } = house.relay
    let watching = 0
    house.relay.watchRequest = async (input) => {
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
    const { stream } = await watched(house)
    expect(watching).toBe(1)
    stream.destroy()
    await expect.poll(() => watching).toBe(0)
  })

  test('pings like every other stream', async () => {
    const house = await startServer()
    const { stream } = await watched(house)
    await stream.event()
    await house.clock.advance(25_000)
    expect(await stream.next()).toEqual({ comment: 'ping' })
  })
})

test('opening by HTTP and watching by HTTP are the same request', async () => {
  const house = await startServer()
  const { body } = await house.call('POST', '/quote-requests', { body: openBody() })
  expect((await house.stream(`/quote-requests/${body.requestId}/stream`)).status).toBe(200)
})
