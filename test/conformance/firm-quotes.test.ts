import { describe, expect, it } from 'vitest'
import { signAccepted } from './harness/eip712.ts'
import type { Accepted, Maker } from './harness/maker.ts'
import { failure } from './harness/match.ts'
import { openServices } from './harness/service.ts'
import { byWay, WAYS } from './harness/ways.ts'

describe.concurrent.each(openServices(import.meta.url))('firm quotes, $mode', (service) => {
  const asked = async (terms: Record<string, unknown> = {}) => {
    const taker = service.wallet()
    const created = await service.open({ wallet: taker.address, ...terms })
    return { taker, ...created }
  }

  const poll = (requestId: string) => service.call('GET', `/quote-requests/${requestId}/quotes`)

  /** Quotes with the order, and signs it. */
  const firm = async (maker: Maker, requestId: string, quote: Record<string, unknown> = {}) => {
    const { status, body } = await maker.quote(requestId, { firm: true, ...quote })
    expect(status).toBe(200)
    const signature = await signAccepted(maker.wallet, body as unknown as Accepted)
    const madeFirm = await maker.call('POST', `/v1/mm/quotes/${body.quoteId}/firm`, { signature })
    return { order: body.order, quoteId: body.quoteId, signature, madeFirm }
  }

  it.each(WAYS)(
    'over %s: the order comes with the quote, and the commit is answered with it at once (decision F2, invariant V13)',
    async (way) => {
      const maker = await byWay(way, await service.maker())
      const { requestId, taker } = await asked()
      const { order, signature, quoteId, madeFirm } = await firm(maker, requestId)
      expect(madeFirm.status).toBe(200)
      const polled = await poll(requestId)
      expect(polled.body.bestQuote).toMatchObject({ quote_id: quoteId, firm: true })
      const { status, body } = await service.commit(requestId, { wallet: taker.address })
      expect(status).toBe(200)
      expect(body.quote).toMatchObject({ quote_id: quoteId, firm: true })
      if (body.onchain !== undefined) expect(body.onchain).toMatchObject({ order, makerSignature: signature })
    },
  )

  it.each(WAYS)('over %s: an answer to a quote has no order unasked (decision F1)', async (way) => {
    const maker = await byWay(way, await service.maker())
    const { requestId } = await asked()
    const { body } = await maker.quote(requestId)
    expect(Object.keys(body).filter((name) => !['success', 'quoteId', 'price'].includes(name))).toEqual([])
    expect((await poll(requestId)).body.bestQuote).not.toHaveProperty('firm')
  })

  it.each(WAYS)('over %s: a signature of another key is 400, and a quote without an order 404', async (way) => {
    const [maker, stranger] = [await byWay(way, await service.maker()), await service.maker()]
    const { requestId } = await asked()
    const { body } = await maker.quote(requestId, { firm: true })
    const wrong = await signAccepted(stranger.wallet, body as unknown as Accepted)
    const makeFirm = (by: Maker, quoteId: unknown) =>
      by.call('POST', `/v1/mm/quotes/${quoteId}/firm`, { signature: wrong })
    expect(await makeFirm(maker, body.quoteId)).toMatchObject({ status: 400, body: failure('invalid_signature') })
    expect(await makeFirm(stranger, body.quoteId)).toMatchObject({ status: 404, body: failure('quote_not_found') })
    const soft = await maker.quoted((await asked()).requestId)
    expect(await makeFirm(maker, soft)).toMatchObject({ status: 404, body: failure('quote_not_found') })
  })

  it('the maker receives quote:confirmed with the order, and is not asked before (decision F4, protocol firm-4)', async () => {
    const maker = await service.maker()
    const socket = await maker.connect()
    const { requestId, taker } = await asked()
    const { order, madeFirm } = await firm(maker, requestId)
    expect(madeFirm).toMatchObject({ status: 200 })
    expect(await service.commit(requestId, { wallet: taker.address })).toMatchObject({ status: 200 })
    expect(await socket.until('quote:confirmed', requestId)).toMatchObject({ order })
    expect(socket.messages.all().filter(({ type }) => type === 'quote:accepted')).toEqual([])
  })

  it('a quote in its place is soft until it is made firm, too, under the same nonce (protocol firm-2)', async () => {
    const maker = await service.maker()
    const { requestId, taker } = await asked()
    const first = await firm(maker, requestId)
    const again = await maker.quote(requestId, { firm: true, price: 0.11 })
    expect((again.body.order as { nonce: number }).nonce).toBe((first.order as { nonce: number }).nonce)
    const commit = await service.commit(requestId, { wallet: taker.address, firmOnly: true })
    expect(commit).toMatchObject({ status: 409, body: failure('no_acceptable_quote') })
  })

  it('firmOnly: a request needs a wallet, shows firm quotes only, and says so to makers (protocol firm-5)', async () => {
    const { market, option } = await service.option()
    const body = { market, option, trade: { side: 'buy', budgetUsd: 100 }, firmOnly: true }
    const refused = await service.call('POST', '/quote-requests', { body })
    expect(refused).toMatchObject({ status: 400, body: failure('invalid_request') })
    const maker = await service.maker()
    const stream = await maker.stream()
    const { requestId, taker } = await asked({ firmOnly: true })
    const { data } = await stream.until('quote_request', (event) => event.requestId === requestId)
    expect((data as { params: unknown }).params).toMatchObject({ firmOnly: true })
    await maker.quoted(requestId)
    expect((await poll(requestId)).body.bestQuote).toBeNull()
    await firm(maker, requestId)
    expect((await service.commit(requestId, { wallet: taker.address })).status).toBe(200)
  })
})
