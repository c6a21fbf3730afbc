import { describe, expect, it } from 'vitest'
import { signAccepted } from './harness/eip712.ts'
import type { Accepted, Maker } from './harness/maker.ts'
import { failure } from './harness/match.ts'
import { openServices } from './harness/service.ts'
import { askedToSign } from './harness/trade.ts'

const BOTH = { trade: { side: 'both', size: 100 } }

describe.concurrent.each(openServices(import.meta.url))('requests for both sides, $mode', (service) => {
  const quoteBoth = (maker: Maker, requestId: string, bid: number, ask: number) =>
    maker.quote(requestId, { side: 'both', bid, ask })

  it.each([
    ['buy', 0.12],
    ['sell', 0.1],
  ] as const)(
    'are committed to as a %s, as only the maker that is asked learns (protocol open-12)',
    async (side, price) => {
      const [low, high] = [await service.maker(), await service.maker()]
      const [lowSocket, highSocket] = [await low.connect(), await high.connect()]
      const { requestId, takerSecret } = await service.open(BOTH)
      expect(await quoteBoth(low, requestId, 0.08, 0.12)).toMatchObject({ status: 200 })
      expect(await quoteBoth(high, requestId, 0.1, 0.14)).toMatchObject({ status: 200 })
      const headers = { 'x-taker-secret': takerSecret }
      const { body } = await service.call('GET', `/quote-requests/${requestId}/quotes`, { headers })
      expect(body).toMatchObject({
        bestQuote: { side: 'buy', price: 0.12 },
        bestBid: { side: 'sell', price: 0.1 },
        quoteCount: 2,
      })
      const wallet = service.wallet().address
      const commit = (fields: object) =>
        service.call('POST', `/quote-requests/${requestId}/commit`, { headers, body: { wallet, ...fields } })
      expect(await commit({})).toMatchObject({ status: 400, body: failure('invalid_request') })
      const committing = commit({ side })
      const [winner, socket, lost] = side === 'buy' ? [low, lowSocket, highSocket] : [high, highSocket, lowSocket]
      const asked = await askedToSign(socket, requestId)
      expect(asked.order).toMatchObject({ makerSelling: side === 'buy', optionAmount: '100' })
      await winner.confirm(asked.quoteId, await winner.sign(asked))
      expect(await committing).toMatchObject({ status: 200, body: { quote: { side, price, fillContracts: 100 } } })
      expect(await commit({ side: side === 'buy' ? 'sell' : 'buy' })).toMatchObject({
        body: failure('already_committed'),
      })
      await lost.until('quote:rejected', requestId)
      expect(JSON.stringify(lost.messages.all())).not.toMatch(/makerSelling|"buy"|"sell"/)
    },
  )

  it.each(['buy', 'sell'] as const)(
    'have firm quotes, signed on both sides: a commit as a %s gets the one of its side at once (protocol firm-7)',
    async (side) => {
      const maker = await service.maker()
      const taker = service.wallet()
      const { requestId, takerSecret } = await service.open({ ...BOTH, wallet: taker.address, firmOnly: true })
      const { body } = await maker.quote(requestId, { side: 'both', bid: 0.1, ask: 0.12, firm: true })
      const { order, bidOrder } = body as Record<string, unknown> as {
        order: { nonce: number }
        bidOrder: { nonce: number }
      }
      expect([order, bidOrder]).toMatchObject([
        { makerSelling: true, premiumAmount: '12000000', nonce: bidOrder.nonce },
        { makerSelling: false, premiumAmount: '10000000', nonce: order.nonce },
      ])
      const sign = (own: object) => signAccepted(maker.wallet, { ...body, order: own } as unknown as Accepted)
      const [signature, bidSignature] = [await sign(order), await sign(bidOrder)]
      const makeFirm = (signatures: object) => maker.call('POST', `/v1/mm/quotes/${body.quoteId}/firm`, signatures)
      expect(await makeFirm({ signature })).toMatchObject({ status: 400, body: failure('invalid_request') })
      const swapped = { signature: bidSignature, bidSignature: signature }
      expect(await makeFirm(swapped)).toMatchObject({ status: 400, body: failure('invalid_signature') })
      expect((await makeFirm({ signature, bidSignature })).status).toBe(200)
      const committed = await service.call('POST', `/quote-requests/${requestId}/commit`, {
        headers: { 'x-taker-secret': takerSecret },
        body: { wallet: taker.address, side },
      })
      expect(committed).toMatchObject({ status: 200, body: { quote: { quote_id: body.quoteId, side, firm: true } } })
      const expected =
        side === 'buy' ? { order, makerSignature: signature } : { order: bidOrder, makerSignature: bidSignature }
      if (committed.body.onchain !== undefined) expect(committed.body.onchain).toMatchObject(expected)
      const others = side === 'buy' ? bidSignature : signature
      expect(JSON.stringify(committed.body)).not.toContain(others.slice(2))
    },
  )

  it('take both prices, the bid below the ask, and others neither (protocol open-12)', async () => {
    const maker = await service.maker()
    const { requestId } = await service.open(BOTH)
    const oneSided = await service.open()
    expect(await quoteBoth(maker, requestId, 0.12, 0.12)).toMatchObject({
      status: 400,
      body: failure('invalid_request'),
    })
    expect(await maker.quote(requestId)).toMatchObject({ status: 400, body: failure('side_mismatch') })
    expect(await quoteBoth(maker, oneSided.requestId, 0.1, 0.12)).toMatchObject({ body: failure('side_mismatch') })
    const { market, option } = await service.option()
    for (const wrong of [
      { trade: { side: 'both' } },
      { trade: { side: 'both', budgetUsd: 1 } },
      { trade: { side: 'both', size: 100, reduceOnly: true }, wallet: maker.wallet.address },
    ])
      expect(await service.call('POST', '/quote-requests', { body: { market, option, ...wrong } })).toMatchObject({
        status: 400,
      })
  })

  it('come to makers that ask for them, and to no others (protocol stream-9)', async () => {
    const maker = await service.maker()
    const plain = await maker.stream()
    const both = await service.stream('/v1/mm/quote-requests/stream?twoSided=true', { 'x-api-key': maker.apiKey })
    await Promise.all([plain.until('snapshot_complete'), both.until('snapshot_complete')])
    const { requestId } = await service.open(BOTH)
    const { data } = await both.until('quote_request', ({ requestId: id }) => id === requestId)
    expect(data).toMatchObject({ params: BOTH })
    const open = await service.open()
    await plain.until('quote_request', ({ requestId: id }) => id === open.requestId)
    expect(plain.events.all().filter(({ data: one }) => one.requestId === requestId)).toEqual([])
  })
})
