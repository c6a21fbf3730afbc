import { beforeAll, describe, expect, it } from 'vitest'
import type { Maker } from './harness/maker.ts'
import { failure, uuid } from './harness/match.ts'
import { type Created, openServices } from './harness/service.ts'
import type { SseStream } from './harness/sse.ts'
import { trade } from './harness/trade.ts'

type Shown = { bestQuote: Record<string, unknown> | null; quoteCount: number; status: string; bookSeq: number }
type Poll = Shown & { success: boolean; closed: boolean; confirming: boolean }

const budgetOf = (params: unknown) => (params as { trade: { budgetUsd?: number } }).trade.budgetUsd

describe.concurrent.each(openServices(import.meta.url))('best quotes, $mode', (service) => {
  let ann: Maker
  let ben: Maker

  beforeAll(async () => {
    ;[ann, ben] = await Promise.all([service.maker(), service.maker()])
  })

  const poll = (id: string) => service.call<Poll>('GET', `/quote-requests/${id}/quotes`)
  const watch = (id: string) => service.stream(`/quote-requests/${id}/stream`)
  /** Waits until the stream shows this price, or no quote for null. */
  const shows = async (stream: SseStream, price: number | null) =>
    (await stream.until('best_quote', ({ bestQuote }) => ((bestQuote as Shown['bestQuote'])?.price ?? null) === price))
      .data as Shown

  it('GET /quote-requests/{id}/quotes: bestQuote is null and quoteCount 0 while there are no quotes', async () => {
    const { requestId } = await service.open()
    const { status, body } = await poll(requestId)
    expect(status).toBe(200)
    expect(body).toMatchObject({ success: true, bestQuote: null, quoteCount: 0, status: 'open', closed: false })
  })

  it('polling shows all seven fields of the best quote (protocol watch-1)', async () => {
    const { requestId } = await service.open()
    const quoteId = await ann.quoted(requestId, { price: 0.12, size: 900 })
    const { bestQuote, quoteCount } = (await poll(requestId)).body
    expect(quoteCount).toBe(1)
    expect(bestQuote).toMatchObject({
      maker_id: ann.makerId,
      quote_id: quoteId,
      maker: ann.wallet.address,
      side: 'buy',
      price: 0.12,
      size: 900,
      expires_in_ms: expect.any(Number),
    })
    expect(quoteId).toEqual(uuid())
  })

  /** Opens a request by a call that waits, and returns once makers have heard of it. */
  async function ask(query: string, maker: Maker) {
    const { market, option } = await service.option()
    const heard = await maker.stream()
    await heard.until('snapshot_complete')
    const body = { market, option, trade: { side: 'buy', budgetUsd: 123 } }
    const answer = service.call<Poll & Created>('POST', `/quote-requests?${query}`, { body })
    const { data } = await heard.until('quote_request', ({ params }) => budgetOf(params) === 123)
    heard.close()
    return { answer, requestId: String(data.requestId) }
  }

  it('opening answers with the best quote once so many makers have quoted (protocol open-7)', async () => {
    const { answer, requestId } = await ask('quotes=2&waitMs=30000', ann)
    await ann.quoted(requestId, { price: 0.13 })
    await ben.quoted(requestId, { price: 0.12 })
    const { status, body } = await answer
    expect(status).toBe(200)
    expect(body).toMatchObject({ requestId, takerSecret: expect.any(String), quoteCount: 2, closed: false })
    expect(body.bestQuote).toMatchObject({ maker_id: ben.makerId, price: 0.12 })
    const { bestQuote, ...polled } = (await poll(requestId)).body
    expect(body).toMatchObject({ ...polled, bestForSize: expect.anything() })
    expect(bestQuote).toMatchObject({ quote_id: body.bestQuote?.quote_id })
  })

  it('opening answers after waitMs with what there is (protocol open-7)', async () => {
    const { market, option } = await service.option()
    const body = { market, option, trade: { side: 'buy', budgetUsd: 100 } }
    const answer = await service.call('POST', '/quote-requests?quotes=9&waitMs=50', { body })
    expect(answer).toMatchObject({ status: 200, body: { bestQuote: null, quoteCount: 0, status: 'open' } })
    const refused = await service.call('POST', '/quote-requests?quotes=0', { body })
    expect(refused).toMatchObject({ status: 400, body: failure('invalid_request') })
  })

  it('opening streams where its client prefers a stream (protocol open-8)', async () => {
    const { market, option } = await service.option()
    const stream = await service.stream(
      '/quote-requests',
      {},
      { market, option, trade: { side: 'buy', budgetUsd: 100 } },
    )
    const { event, data } = await stream.events.next()
    expect(event).toBe('opened')
    expect(data).toMatchObject({ requestId: uuid(), takerSecret: expect.any(String) })
    const { requestId, takerSecret } = data
    await ann.quoted(String(requestId), { price: 0.12 })
    await shows(stream, 0.12)
    await service.call('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } })
    expect((await stream.until('closed')).data).toEqual({ requestId })
    await stream.ended
  })

  it('the taker stream says best_quote at once, with null while there are no quotes (protocol watch-3, decision Q9)', async () => {
    const { requestId } = await service.open()
    const stream = await watch(requestId)
    expect(stream.status).toBe(200)
    const first = await stream.events.next()
    expect(first.event).toBe('best_quote')
    expect(first.data).toMatchObject({ bestQuote: null, quoteCount: 0, status: 'open' })
  })

  it("best_quote has the specification's subset of fields, and ours, but not the time left (protocol watch-1)", async () => {
    const { requestId } = await service.open()
    const stream = await watch(requestId)
    const quoteId = await ann.quoted(requestId, { price: 0.12, size: 1_000, expires_in_ms: 60_000 })
    const { bestQuote, quoteCount, status } = await shows(stream, 0.12)
    expect({ quoteCount, status }).toEqual({ quoteCount: 1, status: 'open' })
    expect(bestQuote).toMatchObject({ maker_id: ann.makerId, quote_id: quoteId, side: 'buy', price: 0.12, size: 1_000 })
    // floor(100 / 0.12) = 833 whole options (decisions U5, Q9).
    expect(bestQuote).toHaveProperty('fillContracts', 833)
    expect(bestQuote).not.toHaveProperty('expires_in_ms')
  })

  it('best_quote comes whenever the payload changes, and bookSeq rises (protocol watch-3, decision Q9)', async () => {
    const { requestId } = await service.open()
    const stream = await watch(requestId)
    const quoteId = await ann.quoted(requestId, { price: 0.3 })
    const one = await shows(stream, 0.3)
    await ben.quoted(requestId, { price: 0.2 })
    const two = await shows(stream, 0.2)
    await ann.quoted(requestId, { price: 0.1 })
    const three = await shows(stream, 0.1)
    await ann.call('DELETE', `/v1/mm/quotes/${quoteId}`)
    const four = await shows(stream, 0.2)
    expect([one, two, three, four].map(({ quoteCount }) => quoteCount)).toEqual([1, 2, 2, 1])
    expect([two, three, four].map(({ bookSeq }) => bookSeq - one.bookSeq)).toEqual([1, 2, 3])
  })

  it('a quote that does not change the payload for takers sends nothing new about the best (decision Q9)', async () => {
    const { requestId } = await service.open()
    const stream = await watch(requestId)
    await ann.quoted(requestId, { price: 0.2 })
    await ben.quoted(requestId, { price: 0.3 })
    const { data } = await stream.until('best_quote', ({ quoteCount }) => quoteCount === 2)
    expect(data).toMatchObject({ bestQuote: { price: 0.2, maker_id: ann.makerId } })
  })

  it('a quote leaves the book by a timer, with a best_quote event (decision Q5)', async () => {
    const { requestId } = await service.open()
    const stream = await watch(requestId)
    await ann.quoted(requestId, { price: 0.2, expires_in_ms: 700 })
    await shows(stream, 0.2)
    expect(await shows(stream, null)).toMatchObject({ quoteCount: 0, status: 'open' })
    expect((await poll(requestId)).body).toMatchObject({ bestQuote: null, quoteCount: 0 })
  })

  it('a buy takes the lowest price, a sell the highest (decision Q6)', async () => {
    const buy = await service.open()
    const sell = await service.open({ trade: { side: 'sell', size: 10 } })
    for (const [maker, price] of [
      [ann, 0.3],
      [ben, 0.2],
    ] as const) {
      await maker.quoted(buy.requestId, { price })
      await maker.quoted(sell.requestId, { side: 'sell', price, size: 10 })
    }
    expect((await poll(buy.requestId)).body.bestQuote).toMatchObject({ price: 0.2, maker_id: ben.makerId })
    expect((await poll(sell.requestId)).body.bestQuote).toMatchObject({ price: 0.3, maker_id: ann.makerId })
  })

  it('among equal prices the earlier wins, whose time a repetition keeps and a detour loses (decision Q6)', async () => {
    const { requestId } = await service.open()
    const best = async () => (await poll(requestId)).body.bestQuote?.maker_id
    await ann.quoted(requestId, { price: 0.2 })
    await nextMillisecond()
    await ben.quoted(requestId, { price: 0.2 })
    await nextMillisecond()
    await ann.quoted(requestId, { price: 0.2, size: 500 })
    expect(await best()).toBe(ann.makerId)
    await ann.quoted(requestId, { price: 0.3 })
    await ann.quoted(requestId, { price: 0.2 })
    expect(await best()).toBe(ben.makerId)
  })

  it("a quote of the taker's own wallet is skipped (decision Q6)", async () => {
    const { requestId } = await service.open({ wallet: ann.wallet.address })
    await ann.quoted(requestId, { price: 0.1 })
    await ben.quoted(requestId, { price: 0.4 })
    expect((await poll(requestId)).body.bestQuote).toMatchObject({ price: 0.4, maker_id: ben.makerId })
  })

  it.each([
    ['budget over price', 100, 0.12, 1_000, 833],
    ["the maker's size", 100, 0.12, 700, 700],
    ['exact integers, not floats', 0.3, 0.1, 10, 3],
    ['the last whole option', 1, 0.3, 10, 3],
  ])('a buy fills %s (protocol quote-3)', async (_what, budgetUsd, price, size, fill) => {
    const { requestId } = await service.open({ trade: { side: 'buy', budgetUsd } })
    await ann.quoted(requestId, { price, size })
    expect((await poll(requestId)).body.bestQuote?.fillContracts).toBe(fill)
  })

  it('a sell fills the smaller of both sizes (decision U5)', async () => {
    const { requestId } = await service.open({ trade: { side: 'sell', size: 10 } })
    await ann.quoted(requestId, { side: 'sell', size: 7 })
    expect((await poll(requestId)).body.bestQuote?.fillContracts).toBe(7)
    await ann.quoted(requestId, { side: 'sell', size: 70 })
    expect((await poll(requestId)).body.bestQuote?.fillContracts).toBe(10)
  })

  it('closed comes once, with the requestId, and then the server ends the stream (protocol watch-4, decision Q9)', async () => {
    const { requestId, takerSecret } = await service.open()
    const stream = await watch(requestId)
    await service.call('POST', `/quote-requests/${requestId}/cancel`, { headers: { 'x-taker-secret': takerSecret } })
    expect((await stream.until('closed')).data).toEqual({ requestId })
    await stream.ended
    expect(stream.events.all().at(-1)?.event).toBe('closed')
    expect(stream.events.all().filter(({ event }) => event === 'closed')).toHaveLength(1)
  })

  it('a stream of a closed request is 404 JSON (decision Q9)', async () => {
    const { requestId, takerSecret } = await service.open()
    await service.call('POST', `/quote-requests/${requestId}/cancel`, { headers: { 'x-taker-secret': takerSecret } })
    const answer = await service.call('GET', `/quote-requests/${requestId}/stream`)
    expect(answer).toMatchObject({ status: 404, body: { success: false } })
  })

  it.each(['stream', 'quotes'])('%s of an unknown request is 404 as JSON (protocol watch-5)', async (what) => {
    for (const id of [crypto.randomUUID(), '__proto__', '%00', 'a'.repeat(90)]) {
      const { status, headers, body } = await service.call('GET', `/quote-requests/${id}/${what}`)
      expect({ status, body }).toMatchObject({ status: 404, body: failure('request_not_found') })
      expect(headers.get('content-type')).toMatch(/^application\/json/)
    }
  })

  it('the taker stream carries the headers of an event stream (decision M2)', async () => {
    const { requestId } = await service.open()
    const { headers, text, events } = await watch(requestId)
    await events.next()
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(headers.get('x-accel-buffering')).toBe('no')
    expect(text()).toMatch(/^retry: \d+$/m)
  })

  it('a committed request can still be polled, closed and committed (decision Q8)', async () => {
    const { created } = await trade(service)
    const { status, body } = await poll(created.requestId)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { success: true, status: 'committed', closed: true, confirming: false },
    })
  })
})

/** Within one millisecond nobody is earlier: the time of a price is kept to that. */
async function nextMillisecond(): Promise<void> {
  for (const now = Date.now(); Date.now() === now; ) await new Promise((resolve) => setImmediate(resolve))
}
