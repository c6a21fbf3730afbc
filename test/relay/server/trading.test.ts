import { describe, expect, test } from 'vitest'
import { orderTypedData } from '../../../src/protocol/domain/order.ts'
import { decodeHistory } from '../../../src/protocol/wire/maker-history.ts'
import { decodeMakerMessage } from '../../../src/protocol/wire/maker-messages.ts'
import { makerAccount, RELAY_SETTINGS, TAKER, walletOf } from '../../support/test-relay.ts'
import { ADA, type Answer, BOB, openBody, startServer, type TestServer, type TestSocket } from './support.ts'

const quoteBody = (requestId: unknown, maker: string, price = 0.12) => ({
  requestId,
  quote: { maker: walletOf(maker), side: 'buy', price, size: 1_000 },
})

async function open(fixture: TestServer, fields: object = {}): Promise<Record<string, unknown>> {
  const { status, body } = await fixture.call('POST', '/quote-requests', { body: { ...openBody(), ...fields } })
  expect(status).toBe(200)
  return body
}

async function connect(fixture: TestServer, apiKey: string): Promise<TestSocket> {
  const socket = fixture.socket(`/maker/v1/ws?apiKey=${apiKey}`)
  expect(await socket.next()).toMatchObject({ type: 'connected' })
  return socket
}

/** Waits for the order and confirms it with the maker's own signature. */
async function sign(
  fixture: TestServer,
  socket: TestSocket,
  maker: string,
  headers: Record<string, string>,
): Promise<Answer> {
  const message = decodeMakerMessage(await socket.next())
  if (message?.kind !== 'accepted') throw new Error('no order came')
  const { quoteId, order, domain } = message.acceptance
  const signature = await makerAccount(maker).signTypedData(orderTypedData(order, domain))
  return fixture.call('POST', `/v1/mm/quotes/${quoteId}/confirm`, { body: { signature }, headers })
}

describe('one trade over HTTP', () => {
  test('goes from open to a signed order, each answer as the specification shows it', async () => {
    const fixture = await startServer()
    const ada = await connect(fixture, ADA['x-api-key'])
    const bob = await connect(fixture, BOB['x-api-key'])
    const opened = await open(fixture)
    expect(opened).toEqual({
      success: true,
      requestId: expect.any(String),
      expiresAt: '2026-01-01T00:05:00.000Z',
      makersConnected: 0,
      takerSecret: expect.any(String),
      seriesId: expect.stringMatching(/^\d+$/),
      seriesListed: true,
    })
    const { requestId } = opened

    const quoted = await fixture.call('POST', '/v1/mm/quotes', { body: quoteBody(requestId, 'ada'), headers: ADA })
    expect(quoted).toMatchObject({ status: 200, body: { success: true, quoteId: expect.any(String), price: 0.12 } })
    await fixture.call('POST', `/v1/mm/quotes?apiKey=${BOB['x-api-key']}`, { body: quoteBody(requestId, 'bob', 0.13) })

    const poll = await fixture.call('GET', `/quote-requests/${requestId}/quotes`)
    expect(poll).toMatchObject({ status: 200, body: { quoteCount: 2, status: 'open', closed: false } })
    expect(poll.body.bestQuote).toMatchObject({
      maker_id: 'ada',
      price: 0.12,
      fillContracts: 833,
      expires_in_ms: 300_000,
    })

    const committing = fixture.call('POST', `/quote-requests/${requestId}/commit`, { body: { wallet: TAKER } })
    expect((await sign(fixture, ada, 'ada', ADA)).body).toEqual({ success: true })
    const committed = await committing
    expect(committed).toMatchObject({
      status: 200,
      body: {
        mode: 'onchain',
        quote: { maker_id: 'ada', fillContracts: 833 },
        execution: { request_id: requestId, maker_id: 'ada' },
        onchain: { order: { optionAmount: '833', premiumAmount: '99960000', taker: TAKER } },
      },
    })
    expect(await ada.next()).toEqual({ type: 'quote:confirmed', requestId, quoteId: quoted.body.quoteId })
    expect(await bob.next()).toMatchObject({ type: 'quote:rejected', requestId, reason: 'another_quote_won' })

    const again = await fixture.call('POST', `/quote-requests/${requestId}/commit`, { body: { wallet: TAKER } })
    expect(again.body).toEqual(committed.body)
    const ended = await fixture.call('GET', `/quote-requests/${requestId}/quotes`)
    expect(ended.body).toMatchObject({ status: 'committed', closed: true })
  })

  test('a maker reads how its quotes ended, page by page, and never a signature (decision Q10)', async () => {
    const fixture = await startServer()
    const ada = await connect(fixture, ADA['x-api-key'])
    const won = await open(fixture)
    for (const [maker, headers] of [
      ['ada', ADA],
      ['bob', BOB],
    ] as const) {
      const price = maker === 'ada' ? 0.12 : 0.13
      await fixture.call('POST', '/v1/mm/quotes', { body: quoteBody(won.requestId, maker, price), headers })
    }
    const committing = fixture.call('POST', `/quote-requests/${won.requestId}/commit`, { body: { wallet: TAKER } })
    await sign(fixture, ada, 'ada', ADA)
    await committing
    const { requestId, takerSecret } = await open(fixture)
    await fixture.call('POST', '/v1/mm/quotes', { body: quoteBody(requestId, 'ada'), headers: ADA })
    await fixture.call('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } })

    const history = (query: string, headers: Record<string, string>) =>
      fixture.call('GET', `/v1/mm/executions${query}`, { headers })
    const first = await history('?limit=1', ADA)
    expect(first.body).toMatchObject({
      success: true,
      executions: [{ requestId: won.requestId, status: 'confirmed', order: { maker: walletOf('ada'), taker: TAKER } }],
      nextCursor: expect.any(String),
    })
    expect(JSON.stringify(first.body)).not.toContain('ignature')
    const second = decodeHistory((await history(`?cursor=${first.body.nextCursor}`, ADA)).body)
    expect(second).toMatchObject({
      outcomes: [{ requestId, status: 'rejected', reason: 'request_cancelled' }],
      nextCursor: null,
    })
    expect((await history('?status=rejected', BOB)).body).toMatchObject({
      executions: [{ reason: 'another_quote_won' }],
    })
    expect((await history('?since=2026-01-02T00:00:00.000Z', ADA)).body).toMatchObject({ executions: [] })
    for (const wrong of ['cursor=nobody', 'limit=0', 'limit=101', 'limit=x', 'since=yesterday', 'status=lost']) {
      expect((await history(`?${wrong}`, ADA)).status).toBe(400)
    }
    expect((await history('', {})).status).toBe(401)
  })

  test('a commit that no one confirms is 503 and leaves the request open', async () => {
    const fixture = await startServer()
    const ada = await connect(fixture, ADA['x-api-key'])
    const { requestId } = await open(fixture)
    await fixture.call('POST', '/v1/mm/quotes', { body: quoteBody(requestId, 'ada'), headers: ADA })
    const committing = fixture.call('POST', `/quote-requests/${requestId}/commit`, { body: { wallet: TAKER } })
    const order = (await ada.next()) as Record<string, unknown>
    expect((await fixture.call('GET', `/quote-requests/${requestId}/quotes`)).body).toMatchObject({ confirming: true })
    await fixture.clock.advance(RELAY_SETTINGS.makerConfirmationMs)
    expect(await committing).toMatchObject({ status: 503, body: { code: 'no_maker_confirmed', retryable: true } })
    const late = await fixture.call('POST', `/v1/mm/quotes/${order.quoteId}/confirm`, {
      body: { signature: '0x' },
      headers: ADA,
    })
    expect(late).toMatchObject({
      status: 404,
      body: { error: 'no_pending_acceptance', code: 'no_pending_acceptance', detail: expect.any(String) },
    })
  })

  test('a maker may decline, withdraw and look at its book', async () => {
    const fixture = await startServer()
    const ada = await connect(fixture, ADA['x-api-key'])
    const { requestId } = await open(fixture)
    const { body } = await fixture.call('POST', '/v1/mm/quotes', { body: quoteBody(requestId, 'ada'), headers: ADA })
    const book = await fixture.call('GET', '/v1/mm/quotes', { headers: ADA })
    expect(book.body).toMatchObject({ success: true, quotes: [{ quoteId: body.quoteId, price: 0.12 }], pending: [] })
    const committing = fixture.call('POST', `/quote-requests/${requestId}/commit`, { body: { wallet: TAKER } })
    await ada.next()
    const waiting = await fixture.call('GET', '/v1/mm/quotes', { headers: ADA })
    expect(waiting.body.pending).toMatchObject([{ requestId, quoteId: body.quoteId, order: { taker: TAKER } }])
    expect((await fixture.call('DELETE', `/v1/mm/quotes/${body.quoteId}`, { headers: ADA })).status).toBe(409)
    const declined = await fixture.call('POST', `/v1/mm/quotes/${body.quoteId}/decline`, {
      body: { reason: 'moved' },
      headers: ADA,
    })
    expect(declined.body).toEqual({ success: true })
    expect((await committing).status).toBe(503)
    expect((await fixture.call('DELETE', `/v1/mm/quotes/${body.quoteId}`, { headers: ADA })).body).toEqual({
      success: true,
    })
    expect((await fixture.call('DELETE', `/v1/mm/quotes/${body.quoteId}`, { headers: ADA })).status).toBe(404)
  })

  test('a taker cancels with its secret, in header or body', async () => {
    const fixture = await startServer()
    const first = await open(fixture)
    const cancel = `/quote-requests/${first.requestId}/cancel`
    expect(await fixture.call('POST', cancel)).toMatchObject({ status: 403, body: { code: 'taker_secret_required' } })
    expect((await fixture.call('POST', cancel, { body: { takerSecret: first.takerSecret } })).body).toEqual({
      success: true,
    })
    expect(await fixture.call('POST', cancel, { body: { takerSecret: first.takerSecret } })).toMatchObject({
      status: 409,
      body: { code: 'request_closed' },
    })
    const second = await open(fixture)
    const headers = { 'x-taker-secret': String(second.takerSecret) }
    expect((await fixture.call('POST', `/quote-requests/${second.requestId}/cancel`, { headers })).status).toBe(200)
  })

  test('a locked request shows itself to its taker only (decision Q1)', async () => {
    const fixture = await startServer()
    const { requestId, takerSecret } = await open(fixture, { locked: true })
    const path = `/quote-requests/${requestId}`
    const headers = { 'x-taker-secret': String(takerSecret) }
    expect((await fixture.call('GET', `${path}/quotes`)).status).toBe(403)
    expect((await fixture.stream(`${path}/stream`)).status).toBe(403)
    expect((await fixture.call('POST', `${path}/commit`, { body: { wallet: TAKER } })).status).toBe(403)
    expect((await fixture.call('GET', `${path}/quotes`, { headers })).status).toBe(200)
    expect((await fixture.stream(`${path}/stream`, headers)).status).toBe(200)
    expect((await fixture.call('POST', `${path}/commit`, { body: { wallet: TAKER, takerSecret } })).body.code).toBe(
      'no_valid_quotes',
    )
  })
})

describe('admission of quotes', () => {
  test('a bad key is refused before the body is looked at (decision Q4)', async () => {
    const { call } = await startServer()
    for (const headers of [{}, { 'x-api-key': 'wrong' }, { 'x-api-key': '' }] as Record<string, string>[]) {
      const answer = await call('POST', '/v1/mm/quotes', { text: '{', headers })
      expect(answer).toMatchObject({ status: 401, body: { success: false, code: 'invalid_api_key' } })
    }
    expect((await call('GET', '/v1/mm/quotes?apiKey=wrong')).status).toBe(401)
    expect((await call('GET', '/v1/mm/quotes?apiKey=key-of-ada&apiKey=key-of-ada')).status).toBe(401)
    expect((await call('GET', '/v1/mm/quotes?apiKey=key-of-ada')).status).toBe(200)
    expect((await call('GET', '/v1/mm/quotes?apiKey=key-of-ada', { headers: { 'x-api-key': '' } })).status).toBe(200)
  })

  test('a key on a public path is ignored', async () => {
    const { call } = await startServer()
    expect((await call('GET', '/v1/markets', { headers: { 'x-api-key': 'wrong' } })).status).toBe(200)
  })
})

describe('the public answers', () => {
  test('markets and series are those of the chain', async () => {
    const { call } = await startServer()
    const markets = await call('GET', '/v1/markets')
    expect(markets.body).toMatchObject({
      success: true,
      count: 1,
      markets: [{ name: 'Will it rain?', seriesCount: 2, strikes: [4_500], optionTypes: ['call', 'put'] }],
    })
    const all = await call('GET', '/v1/series')
    expect(all.body).toMatchObject({ success: true, count: 2 })
    const puts = await call('GET', '/v1/series?optionType=put&settled=false&anything=else')
    expect(puts.body).toMatchObject({ count: 1, series: [{ optionType: 'put', settled: false, resolutionBps: null }] })
    const [series] = puts.body.series as { seriesId: string }[]
    expect((await call('GET', `/v1/series/${series?.seriesId}`)).body).toEqual({ success: true, series })
    expect(await call('GET', '/v1/series/5')).toMatchObject({ status: 404, body: { code: 'series_not_found' } })
    expect(await call('GET', '/v1/series?settled=yes')).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    })
  })

  test('the relay is alive and has a clock', async () => {
    const { call } = await startServer()
    for (const path of ['/', '/healthz']) {
      expect((await call('GET', path)).body).toMatchObject({
        success: true,
        mode: 'onchain',
        chainId: 80_002,
        software: '1.2.3',
      })
    }
    expect((await call('GET', '/time')).body).toMatchObject({ serverTime: '2026-01-01T00:00:00.000Z' })
    expect((await call('GET', '/maker/v1/status')).body).toMatchObject({ success: true, protocolVersion: 3 })
  })

  test('a resolution is signed once its series has expired, and by the settlement key where one is set', async () => {
    const fixture = await startServer({ server: { settlementApiKey: 'settle' } })
    const series = fixture.register()
    const body = { seriesId: series.seriesId }
    const headers = { authorization: 'Bearer settle' }
    expect((await fixture.call('POST', '/settlement/prepare', { body })).status).toBe(401)
    const wrong = await fixture.call('POST', '/settlement/prepare', { body, headers: { authorization: 'Bearer x' } })
    expect(wrong).toMatchObject({ status: 401, body: { code: 'settlement_unauthorized' } })
    expect(await fixture.call('POST', '/settlement/prepare', { body, headers })).toMatchObject({
      status: 409,
      body: { code: 'series_not_expired', seriesId: series.seriesId },
    })
    fixture.sources.points = [{ t: series.expiry - 60, p: 0.59 }]
    await fixture.clock.advance(3_600_000)
    expect(await fixture.call('POST', '/settlement/prepare', { body, headers })).toMatchObject({
      status: 200,
      body: {
        success: true,
        seriesId: series.seriesId,
        resolutionBps: 59,
        signature: expect.stringMatching(/^0x/),
        meta: { method: 'twap', pointCount: 1 },
        domain: { name: 'ServiceCore' },
        types: { SettlementAttestation: expect.any(Array) },
      },
    })
  })

  test('the faucet pays once per cooldown, and says when to come back', async () => {
    const faucet = { balance: async () => null, send: async () => '0x12' as const }
    const fixture = await startServer({ fixture: { ports: { faucet } } })
    const body = { wallet: TAKER }
    expect(await fixture.call('POST', '/faucet', { body })).toMatchObject({
      status: 200,
      body: { success: true, amount: 1_000, txHash: '0x12', message: expect.any(String) },
    })
    expect(await fixture.call('POST', '/faucet', { body: { wallet: TAKER.toLowerCase() } })).toMatchObject({
      status: 429,
      headers: { 'retry-after': '86400' },
      body: { code: 'faucet_cooldown', retryAfterS: 86_400 },
    })
    const { call } = await startServer()
    expect(await call('POST', '/faucet', { body })).toMatchObject({
      status: 503,
      body: { code: 'faucet_not_configured' },
    })
  })
})
