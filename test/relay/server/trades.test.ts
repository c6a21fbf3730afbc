import { expect, it } from 'vitest'
import { decodeTrades } from '../../../src/protocol/wire/trades.ts'
import { startServer } from './support.ts'

it('GET /v1/trades shows a trade to anyone after its delay, and no one in it', async () => {
  const fixture = await startServer()
  const { order, requestId, quoteId, makerId } = await fixture.trade()
  expect((await fixture.call('GET', '/v1/trades')).body).toEqual({ success: true, trades: [], nextCursor: null })
  await fixture.clock.advance(60_000)
  const { status, body, text } = await fixture.call('GET', `/v1/trades?seriesId=${order.seriesId}`)
  expect(status).toBe(200)
  const { trades, nextCursor } = decodeTrades(body)
  expect(trades).toMatchObject([{ seriesId: order.seriesId, size: order.optionAmount, side: 'buy' }])
  expect(nextCursor).toBeNull()
  const hidden = [order.maker, order.taker, requestId, quoteId, makerId]
  expect(hidden.filter((secret) => text.toLowerCase().includes(secret.toLowerCase()))).toEqual([])
})

it.each(['?cursor=x', '?seriesId=call', '?conditionId=0x12'])('refuses GET /v1/trades%s', async (query) => {
  const fixture = await startServer()
  expect(await fixture.call('GET', `/v1/trades${query}`)).toMatchObject({
    status: 400,
    body: { code: 'invalid_request' },
  })
})
