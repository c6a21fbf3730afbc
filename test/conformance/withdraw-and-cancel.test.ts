import { describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { failure } from './harness/match.ts'
import { openServices } from './harness/service.ts'
import { askedToSign, trade } from './harness/trade.ts'
import { byWay, WAYS } from './harness/ways.ts'

const EACH = openServices(import.meta.url).flatMap((service) =>
  WAYS.map((way) => ({ mode: service.mode, way, service })),
)

describe.concurrent.each(EACH)('withdrawing and cancelling over $way, $mode', ({ way, service }) => {
  const poll = async (id: string) =>
    (await service.call<Record<string, unknown>>('GET', `/quote-requests/${id}/quotes`)).body
  const cancel = (requestId: string, input: { headers?: Record<string, string>; body?: unknown }) =>
    service.call('POST', `/quote-requests/${requestId}/cancel`, input)

  it('a withdrawn quote leaves the book, and posting again keeps its quoteId (decision Q10)', async () => {
    const maker = await byWay(way, await service.maker())
    const { requestId } = await service.open()
    const quoteId = await maker.quoted(requestId)
    const path = `/v1/mm/quotes/${quoteId}`
    expect(await maker.call('DELETE', path)).toMatchObject({ status: 200, body: { success: true } })
    expect(await poll(requestId)).toMatchObject({ quoteCount: 0, bestQuote: null })
    expect(await maker.call('DELETE', path)).toMatchObject({ status: 404, body: failure('quote_not_found') })
    expect(await maker.quoted(requestId)).toBe(quoteId)
  })

  it('an unknown or foreign quote cannot be withdrawn (decision Q10)', async () => {
    const [maker, other] = await Promise.all([service.maker(), service.maker({ funded: false })])
    const { requestId } = await service.open()
    const quoteId = await maker.quoted(requestId)
    for (const id of [quoteId, crypto.randomUUID(), '__proto__']) {
      const answer = await other.call('DELETE', `/v1/mm/quotes/${id}`)
      expect(answer).toMatchObject({ status: 404, body: failure('quote_not_found') })
    }
    expect(await poll(requestId)).toMatchObject({ quoteCount: 1 })
  })

  it("a maker's live quotes, and its acceptance that waits (decision Q10)", async () => {
    const maker = await byWay(way, await service.maker())
    const socket = await maker.connect()
    const [one, two] = await Promise.all([service.open(), service.open()])
    const first = await maker.quoted(one.requestId, { price: 0.2 })
    await maker.quoted(two.requestId, { price: 0.3 })
    const committing = service.commit(one.requestId, { wallet: service.wallet().address })
    const accepted = await askedToSign(socket, one.requestId)
    const { status, body, text } = await maker.call('GET', '/v1/mm/quotes')
    expect({ status, body }).toMatchObject({ status: 200, body: { success: true } })
    for (const known of [one.requestId, two.requestId, first, accepted.confirmationDeadline])
      expect(text).toContain(known)
    await maker.confirm(first, await maker.sign(accepted))
    await committing
  })

  it("a maker's executions are its own (decision Q10)", async () => {
    const { maker, committed } = await trade(service)
    const stranger = await service.maker({ funded: false })
    const id = String(committed.body.execution.execution_id)
    const mine = await maker.call('GET', '/v1/mm/executions')
    expect(mine).toMatchObject({ status: 200, body: { success: true } })
    expect(mine.text).toContain(id)
    const theirs = await stranger.call('GET', '/v1/mm/executions')
    expect(theirs.status).toBe(200)
    expect(theirs.text).not.toContain(id)
  })

  it("a maker's history by status, since a time, and from page to page (decision Q10)", async () => {
    const maker = await byWay(way, await service.maker())
    const socket = await maker.connect()
    const quoteIds: string[] = []
    for (const ends of ['cancelled', 'committed', 'cancelled']) {
      const { requestId, takerSecret } = await service.open({ trade: { side: 'buy', budgetUsd: 2 } })
      const quoteId = await maker.quoted(requestId)
      quoteIds.push(quoteId)
      if (ends === 'cancelled') await cancel(requestId, { body: { takerSecret } })
      else {
        const committing = service.commit(requestId, { wallet: service.wallet().address })
        await maker.confirm(quoteId, await maker.sign(await askedToSign(socket, requestId)))
        await committing
      }
    }
    const [first, second, third] = quoteIds
    type Page = { executions: { quoteId: string; at: string }[]; nextCursor: string | null }
    const read = async (query: string) => (await maker.call<Page>('GET', `/v1/mm/executions?${query}`)).body
    const idsOf = ({ executions }: Page) => executions.map(({ quoteId }) => quoteId)
    const all = await eventually(
      () => read(''),
      ({ executions }) => executions.length === 3,
    )
    expect(new Set(idsOf(all))).toEqual(new Set(quoteIds))
    expect(idsOf(await read('status=confirmed'))).toEqual([second])
    expect(new Set(idsOf(await read('status=rejected')))).toEqual(new Set([first, third]))
    expect(idsOf(await read(`since=${new Date(Date.now() + 60_000).toISOString()}`))).toEqual([])
    const paged: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Page = await read(`limit=1${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
      paged.push(...idsOf(page))
      cursor = page.nextCursor
    }
    expect(paged).toEqual(idsOf(all))
    for (const query of ['status=lost', 'since=yesterday', 'limit=0', 'limit=many', 'cursor=nobody']) {
      expect([query, (await maker.call('GET', `/v1/mm/executions?${query}`)).status]).toEqual([query, 400])
    }
  })

  it.each(['header', 'body'])('a taker cancels with its secret in the %s (decision Q11)', async (place) => {
    const maker = await byWay(way, await service.maker())
    const [socket, stream] = await Promise.all([maker.connect(), maker.stream()])
    await stream.until('snapshot_complete')
    const { requestId, takerSecret } = await service.open()
    const quoteId = await maker.quoted(requestId)
    const input = place === 'header' ? { headers: { 'x-taker-secret': takerSecret } } : { body: { takerSecret } }
    expect(await cancel(requestId, input)).toMatchObject({ status: 200, body: { success: true } })
    expect(await socket.until('quote:rejected', requestId)).toMatchObject({ quoteId, reason: 'request_cancelled' })
    await stream.until('quote_request_expired', (data) => data.requestId === requestId)
    expect(await poll(requestId)).toMatchObject({ status: 'cancelled', closed: true })
    expect(await maker.quote(requestId)).toMatchObject({ status: 409, body: failure('request_closed') })
    expect(await cancel(requestId, input)).toMatchObject({ status: 409, body: failure('request_closed') })
  })

  it('403 without the secret, 404 for an unknown request (decision Q11)', async () => {
    const { requestId } = await service.open()
    for (const input of [{}, { body: { takerSecret: 'guess' } }, { headers: { 'x-taker-secret': '' } }]) {
      expect(await cancel(requestId, input)).toMatchObject({ status: 403, body: failure('taker_secret_required') })
    }
    const unknown = await cancel(crypto.randomUUID(), { body: { takerSecret: 'guess' } })
    expect(unknown).toMatchObject({ status: 404, body: failure('request_not_found') })
    expect(await poll(requestId)).toMatchObject({ status: 'open' })
  })

  it('409 while a confirmation runs and after the request was committed (decision Q11)', async () => {
    const maker = await byWay(way, await service.maker())
    const socket = await maker.connect()
    const { requestId, takerSecret } = await service.open()
    const quoteId = await maker.quoted(requestId)
    const committing = service.commit(requestId, { wallet: service.wallet().address })
    const accepted = await askedToSign(socket, requestId)
    expect(await cancel(requestId, { body: { takerSecret } })).toMatchObject({ status: 409, body: { success: false } })
    await maker.confirm(quoteId, await maker.sign(accepted))
    expect((await committing).status).toBe(200)
    expect(await cancel(requestId, { body: { takerSecret } })).toMatchObject({ status: 409, body: { success: false } })
  })

  it('a maker that quoted receives one terminal message, also when it had withdrawn (decision C10)', async () => {
    const [gone, never] = await Promise.all([service.maker(), service.maker({ funded: false })])
    const [socket, idle] = await Promise.all([gone.connect(), never.connect()])
    const { requestId, takerSecret } = await service.open()
    const quoteId = await gone.quoted(requestId)
    await gone.call('DELETE', `/v1/mm/quotes/${quoteId}`)
    await cancel(requestId, { body: { takerSecret } })
    expect(await socket.until('quote:rejected', requestId)).toMatchObject({ quoteId, reason: 'request_cancelled' })
    for (const { send, until } of [socket, idle]) {
      send({ type: 'ping' })
      await until('pong')
    }
    expect(socket.messages.all().filter(({ type }) => type === 'quote:rejected')).toHaveLength(1)
    expect(idle.messages.all().map(({ type }) => type)).toEqual(['connected', 'pong'])
  })

  it('a maker that was away reads in its history what became of its quote (decision C10)', async () => {
    const maker = await byWay(way, await service.maker())
    const { requestId, takerSecret } = await service.open()
    const quoteId = await maker.quoted(requestId)
    await cancel(requestId, { body: { takerSecret } })
    const { text } = await eventually(
      () => maker.call('GET', '/v1/mm/executions'),
      (answer) => answer.text.includes(quoteId),
    )
    expect(text).toContain('request_cancelled')
  })

  it('a quote that races the close is taken before it or refused after it (fault C13)', async () => {
    const maker = await byWay(way, await service.maker())
    for (let round = 0; round < 20; round += 1) {
      const { requestId, takerSecret } = await service.open()
      const [quoted, cancelled] = await Promise.all([
        maker.quote(requestId),
        cancel(requestId, { body: { takerSecret } }),
      ])
      expect(cancelled.status).toBe(200)
      expect([200, 409]).toContain(quoted.status)
      expect(await poll(requestId)).toMatchObject({ status: 'cancelled', bestQuote: null })
    }
  })

  it('after the 200 of a cancel no one finds the request open, also while a commit is on its way (decision Q11)', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [maker, late] = await Promise.all([service.maker(), service.maker()])
      const socket = await maker.connect()
      const { requestId, takerSecret } = await service.open()
      await maker.quoted(requestId)
      const committing = service.commit(requestId, { wallet: service.wallet().address })
      const cancelled = await cancel(requestId, { body: { takerSecret } })
      if (cancelled.status === 200) {
        const [seen, quoted] = await Promise.all([poll(requestId), late.quote(requestId, { price: 0.05 })])
        expect(seen).toMatchObject({ status: 'cancelled', closed: true, bestQuote: null, quoteCount: 0 })
        expect(quoted).toMatchObject({ status: 409, body: failure('request_closed') })
        expect(await committing).toMatchObject({ status: 409, body: failure('request_closed') })
      } else {
        expect(cancelled).toMatchObject({ status: 409, body: failure('commit_in_progress') })
        const { quoteId } = await askedToSign(socket, requestId)
        await maker.call('POST', `/v1/mm/quotes/${quoteId}/decline`)
        expect((await committing).status).toBe(503)
      }
    }
  })
})
