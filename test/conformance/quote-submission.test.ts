import { beforeAll, describe, expect, it } from 'vitest'
import type { Maker } from './harness/maker.ts'
import { failure, uuid } from './harness/match.ts'
import { openServices } from './harness/service.ts'
import { byWay, WAYS_TO_QUOTE } from './harness/ways.ts'

/** Numbers as JSON texts that a price must not be. */
const BAD_PRICES = [
  '"0.5"',
  'true',
  '[0.5]',
  'null',
  '{}',
  '1e999',
  '-0',
  '0',
  '1',
  '0.99999999999999999',
  '1e-400',
  '-0.1',
  '1.000001',
  '55',
]

const EACH = openServices(import.meta.url).flatMap((service) =>
  WAYS_TO_QUOTE.map((way) => ({ mode: service.mode, way, service })),
)

describe.concurrent.each(EACH)('quote submission over $way, $mode', ({ way, service }) => {
  let maker: Maker
  let other: Maker
  /** An open request to buy 100 dollars of calls of strike 0.45. */
  let requestId: string

  beforeAll(async () => {
    const makers = await Promise.all([service.maker(), service.maker()])
    ;[maker, other] = [await byWay(way, makers[0]), await byWay(way, makers[1])]
    requestId = (await service.open()).requestId
  })

  const poll = async (id: string) =>
    (
      await service.call<Record<string, unknown> & { bestQuote: Record<string, unknown> | null }>(
        'GET',
        `/quote-requests/${id}/quotes`,
      )
    ).body
  const sellOf = async (size: number) => (await service.open({ trade: { side: 'sell', size } })).requestId

  it('POST /v1/mm/quotes answers a quoteId, and the price that was stored (decisions U2, X6)', async () => {
    const { status, body } = await maker.quote(requestId, { price: 0.12 })
    expect({ status, body }).toMatchObject({ status: 200, body: { success: true, quoteId: uuid(), price: 0.12 } })
  })

  it('a maker has one quote per request; posting again updates it under the same quoteId (protocol quote-4)', async () => {
    const { requestId } = await service.open()
    const first = await maker.quoted(requestId, { price: 0.2 })
    const second = await maker.quoted(requestId, { price: 0.3, size: 5 })
    expect(second).toBe(first)
    expect(await poll(requestId)).toMatchObject({ quoteCount: 1, bestQuote: { quote_id: first, price: 0.3, size: 5 } })
  })

  it("quotes belong to the key's makerId, and no one overwrites another maker's (protocol auth-1)", async () => {
    const { requestId } = await service.open()
    const mine = await maker.quoted(requestId, { price: 0.2 })
    const { body } = await other.call<{ quoteId: string }>('POST', '/v1/mm/quotes', {
      requestId,
      makerId: maker.makerId,
      quoteId: mine,
      quote: { maker: maker.wallet.address, side: 'buy', price: 0.3, size: 10, maker_id: maker.makerId },
    })
    expect(body.quoteId).not.toBe(mine)
    const { quoteCount, bestQuote } = await poll(requestId)
    expect({ quoteCount, bestQuote }).toMatchObject({ quoteCount: 2, bestQuote: { quote_id: mine, price: 0.2 } })
    expect(bestQuote?.maker_id).toBe(maker.makerId)
  })

  it.each(['maker', 'side', 'price', 'size'])('%s of a quote is required', async (field) => {
    const { status, body } = await maker.quote(requestId, { [field]: undefined })
    expect({ status, body }).toMatchObject({ status: 400, body: failure('invalid_request') })
  })

  it('POST /v1/mm/quotes requires requestId and quote', async () => {
    const quote = { maker: maker.wallet.address, side: 'buy', price: 0.12, size: 10 }
    for (const body of [{ quote }, { requestId }, { requestId, quote: [quote] }, { requestId: 5, quote }, {}]) {
      expect((await maker.call('POST', '/v1/mm/quotes', body)).status).toBe(400)
    }
  })

  it('a quote on an unknown request is 404 with a message about it (protocol quote-1)', async () => {
    for (const id of [crypto.randomUUID(), '__proto__', 'constructor', '']) {
      const { status, body } = await maker.quote(id)
      expect({ status, body }).toMatchObject({ status: 404, body: failure('request_not_found') })
      expect(body.error).toMatch(/unknown or expired/)
    }
  })

  it("quote.side must equal the taker's side (protocol quote-2)", async () => {
    const { status, body } = await maker.quote(requestId, { side: 'sell' })
    expect({ status, body }).toMatchObject({ status: 400, body: failure('side_mismatch') })
    expect((await maker.quote(requestId, { side: 'hold' })).body.code).toBe('invalid_request')
  })

  it('quote.size is on a sell at least half of the requested size, and that is exact (protocol quote-2)', async () => {
    const seven = await sellOf(7)
    expect(await maker.quote(seven, { side: 'sell', size: 3 })).toMatchObject({
      status: 400,
      body: failure('size_too_small'),
    })
    expect(await maker.quote(seven, { side: 'sell', size: 4 })).toMatchObject({ status: 200 })
    const eight = await sellOf(8)
    expect(await maker.quote(eight, { side: 'sell', size: 4 })).toMatchObject({ status: 200 })
  })

  it('the least quote.size is one whole option on a buy (protocol quote-2)', async () => {
    const { requestId } = await service.open()
    for (const size of [0, -1, 0.5, 5.5, '5', [5], null, true, 2 ** 53]) {
      expect([size, (await maker.quote(requestId, { size })).status]).toEqual([size, 400])
    }
    expect((await maker.quote(requestId, { size: 1 })).status).toBe(200)
  })

  it('a quote may offer any number of options that a JSON number holds exactly: its size is a cap (decision U2)', async () => {
    const { requestId } = await service.open()
    for (const size of [1_000_000_001, 9_999_999_999, Number.MAX_SAFE_INTEGER]) {
      expect((await maker.quote(requestId, { size })).status).toBe(200)
      const { body } = await service.call('GET', `/quote-requests/${requestId}/quotes`)
      expect(body.bestQuote).toMatchObject({ size, fillContracts: 833 })
    }
  })

  it.each(BAD_PRICES)('a price of %s does not lie in the open interval (protocol quote-2)', async (price) => {
    const quote = `{"maker":"${maker.wallet.address}","side":"buy","price":${price},"size":10}`
    const { status, body } = await maker.post(`{"requestId":"${requestId}","quote":${quote}}`)
    expect({ status, body }).toMatchObject({ status: 400, body: { success: false } })
  })

  it('codes tell prices of 0 and 1 from one above the max payoff (protocol quote-2)', async () => {
    for (const price of [0, 1, -0.5, 3]) {
      expect((await maker.quote(requestId, { price })).body).toMatchObject(failure('price_out_of_range'))
    }
    expect((await maker.quote(requestId, { price: 0.9 })).body).toMatchObject(failure('price_above_max_payoff'))
  })

  it.each([
    ['call', 1, 0.9999],
    ['call', 3_333, 0.6667],
    ['call', 5_000, 0.5],
    ['call', 9_999, 0.0001],
    ['put', 1, 0.0001],
    ['put', 3_333, 0.3333],
    ['put', 5_000, 0.5],
    ['put', 9_999, 0.9999],
  ] as const)('a %s of strike %i costs at most %d (protocol quote-2)', async (optionType, strikeBps, max) => {
    const { requestId } = await service.open({ trade: { side: 'buy', budgetUsd: 2 } }, { optionType, strikeBps })
    const { status } = await maker.quote(requestId, { price: max, size: 1 })
    expect(status).toBe(200)
    const { body } = await maker.quote(requestId, { price: Number((max + 0.000001).toFixed(6)), size: 1 })
    expect(body).toMatchObject(failure('price_above_max_payoff'))
  })

  it.each([
    ['buy', 0.42874999999999996, 0.42875],
    ['buy', 1e-7, 0.000001],
    ['buy', 0.30000000000000004, 0.300001],
    ['buy', 0.3, 0.3],
    ['sell', 0.42874999999999996, 0.428749],
    ['sell', 0.1234567, 0.123456],
  ])("on a %s the price %d is rounded in the maker's favour to %d (decision U2)", async (side, price, stored) => {
    const trade = side === 'buy' ? { side, budgetUsd: 1 } : { side, size: 1 }
    const { requestId } = await service.open({ trade })
    const { status, body } = await maker.quote(requestId, { side, price, size: 1 })
    expect({ status, body }).toMatchObject({ status: 200, body: { price: stored } })
  })

  it('a value that rounds to nothing is checked after the rounding (decision U2)', async () => {
    const sell = await sellOf(1)
    expect((await maker.quote(sell, { side: 'sell', price: 1e-7, size: 1 })).body).toMatchObject(
      failure('price_out_of_range'),
    )
    const { body } = await maker.quote(requestId, { price: 0.5500000000001, size: 1 })
    expect(body).toMatchObject(failure('price_above_max_payoff'))
  })

  it('a budget that does not buy one option at this price is 400 (decision Q4)', async () => {
    const { requestId } = await service.open({ trade: { side: 'buy', budgetUsd: 0.1 } })
    const { status, body } = await maker.quote(requestId, { price: 0.11 })
    expect({ status, body }).toMatchObject({ status: 400, body: failure('fill_below_one') })
    expect((await maker.quote(requestId, { price: 0.1 })).status).toBe(200)
  })

  it('a re-quote that is refused with 400 leaves the old quote live (decision Q4)', async () => {
    const { requestId } = await service.open()
    const quoteId = await maker.quoted(requestId, { price: 0.2 })
    expect((await maker.quote(requestId, { price: 0.9 })).status).toBe(400)
    expect(await poll(requestId)).toMatchObject({ quoteCount: 1, bestQuote: { quote_id: quoteId, price: 0.2 } })
  })

  it('the key is checked before the shape, the shape before the request, the request before the terms (decision Q4)', async () => {
    const bad = { side: 'sell', price: 7, size: 'many' }
    const unauthorized = await service.call('POST', '/v1/mm/quotes', { text: '{"requestId":' })
    expect(unauthorized.body).toMatchObject(failure('invalid_api_key'))
    expect((await maker.quote(crypto.randomUUID(), bad)).body).toMatchObject(failure('invalid_request'))
    const unknown = await maker.quote(crypto.randomUUID(), { side: 'sell', price: 0.9 })
    expect(unknown.body).toMatchObject(failure('request_not_found'))
    expect((await maker.quote(requestId, { side: 'sell', price: 0.9 })).body).toMatchObject(failure('side_mismatch'))
  })

  it('expires_in_ms is an integer of at least 1 (decision Q5)', async () => {
    for (const expires_in_ms of [0, -1, 1.5, '1000', [1_000], true]) {
      expect([expires_in_ms, (await maker.quote(requestId, { expires_in_ms })).status]).toEqual([expires_in_ms, 400])
    }
    expect((await maker.quote(requestId, { expires_in_ms: null })).status).toBe(200)
  })

  it('without expires_in_ms a quote lives as long as its request, and no longer with it (decision Q5)', async () => {
    const { requestId, expiresAt } = await service.open()
    for (const expires_in_ms of [undefined, 1e9]) {
      await maker.quoted(requestId, { expires_in_ms })
      const { bestQuote } = await poll(requestId)
      expect(bestQuote?.expires_in_ms).toBeGreaterThan(280_000)
      expect(bestQuote?.expires_in_ms).toBeLessThanOrEqual(Date.parse(expiresAt) - Date.now() + 1_000)
    }
  })

  it('takers are shown what remains of expires_in_ms (decision Q5)', async () => {
    const { requestId } = await service.open()
    await maker.quoted(requestId, { expires_in_ms: 60_000 })
    const { bestQuote } = await poll(requestId)
    expect(bestQuote?.expires_in_ms).toBeLessThanOrEqual(60_000)
    expect(bestQuote?.expires_in_ms).toBeGreaterThan(45_000)
  })

  it.each(['expiresInMs', 'expires_in_MS', 'ExpiresInMs'])(
    'a mistyped protection must not be ignored: %s (decision Q2)',
    async (name) => {
      const { status, text } = await maker.quote(requestId, { [name]: 1_000 })
      expect(status).toBe(400)
      expect(text).toContain(name)
    },
  )

  it('the maker address has any one case or the right checksum, and is not zero (decision Q2)', async () => {
    const { requestId } = await service.open()
    const { address } = maker.wallet
    const lower = address.toLowerCase()
    const flipped = address.replace(/[a-f]/i, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
    expect((await maker.quote(requestId, { maker: lower })).status).toBe(200)
    expect((await poll(requestId)).bestQuote?.maker).toBe(address)
    for (const wallet of [flipped, `0x${'0'.repeat(40)}`, lower.slice(2), 'maker.eth', 5]) {
      expect([wallet, (await maker.quote(requestId, { maker: wallet })).status]).toEqual([wallet, 400])
    }
  })

  it('a maker key quotes, and opens nothing of the operator (protocol auth-1)', async () => {
    const { apiKey } = await service.maker({ funded: false })
    for (const headers of [{ 'x-api-key': apiKey }, { authorization: `Bearer ${apiKey}` }]) {
      for (const path of ['/ops/v1/reviews', '/ops/v1/events', '/ops/v1/audit/x']) {
        expect(await service.call('GET', path, { headers })).toMatchObject({ status: 401 })
      }
    }
  })

  it('REST takes the key in the header or the query, 401 without a good one (protocol auth-1)', async () => {
    const body = { requestId, quote: { maker: maker.wallet.address, side: 'buy', price: 0.12, size: 10 } }
    const inQuery = await service.call('POST', `/v1/mm/quotes?apiKey=${maker.apiKey}`, { body })
    expect(inQuery.status).toBe(200)
    const refused = [
      await service.call('POST', '/v1/mm/quotes', { body }),
      await service.call('POST', '/v1/mm/quotes', { body, headers: { 'x-api-key': 'mk_live_nobody' } }),
      await service.call('POST', '/v1/mm/quotes?apiKey=', { body }),
      await service.call('POST', '/v1/mm/quotes', { body, headers: { authorization: `Bearer ${maker.apiKey}` } }),
      await service.call('GET', '/v1/mm/quotes'),
      await service.call('GET', '/v1/mm/executions'),
      await service.call('DELETE', '/v1/mm/quotes/x'),
      await service.call('POST', '/v1/mm/quotes/x/confirm', { body: { signature: '0x' } }),
      await service.call('POST', '/v1/mm/quotes/x/decline'),
    ]
    for (const answer of refused) {
      expect(answer).toMatchObject({ status: 401, body: failure('invalid_api_key') })
    }
  })
})
