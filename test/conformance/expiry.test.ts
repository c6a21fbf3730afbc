import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { type RelayProcess, startRelay } from '../kit/relay-process.ts'
import { keysOf } from './harness/keys.ts'
import { failure } from './harness/match.ts'
import { createService, type Service } from './harness/service.ts'
import { CONFIRMATION_MS } from './harness/settings.ts'
import type { SseEvent } from './harness/sse.ts'
import { askedToSign } from './harness/trade.ts'

/** Long enough that a quote and a commit come in time on a machine that is held back. */
const TTL_MS = 10_000

const isEndOf = ({ event, data }: SseEvent, requestId: string): boolean =>
  event === 'quote_request_expired' && data.requestId === requestId

/** A relay whose requests end while their commits still wait. */
describe.concurrent('requests that expire', () => {
  let relay: RelayProcess
  let service: Service

  beforeAll(async () => {
    const keys = keysOf(import.meta.url).slice(0, 30)
    const env = {
      QUOTE_REQUEST_TTL_MS: String(TTL_MS),
      MAKER_CONFIRMATION_MS: String(CONFIRMATION_MS),
      MAKER_API_KEYS: JSON.stringify(keys),
    }
    relay = await startRelay({ flags: ['--memory', '--no-chain'], env })
    service = createService('simulated', relay.ready, keys)
  })
  afterAll(() => relay.stop())

  /** A request with one quote whose commit runs. */
  async function committing() {
    const maker = await service.maker()
    const [socket, makerStream] = await Promise.all([maker.connect(), maker.stream()])
    await makerStream.until('snapshot_complete')
    const { requestId } = await service.open()
    const takerStream = await service.stream(`/quote-requests/${requestId}/stream`)
    const quoteId = await maker.quoted(requestId)
    const wallet = service.wallet().address
    const commit = () => service.commit(requestId, { wallet })
    return { maker, socket, makerStream, takerStream, requestId, quoteId, commit }
  }
  const poll = (id: string) => service.call('GET', `/quote-requests/${id}/quotes`)

  it('the setting QUOTE_REQUEST_TTL_MS rules the life of a request (protocol open-1)', async () => {
    const before = Date.now()
    const { expiresAt } = await service.open()
    expect(Date.parse(expiresAt)).toBeGreaterThanOrEqual(before + TTL_MS)
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now() + TTL_MS)
  })

  it('at expiresAt closed and quote_request_expired are sent, once, and quotes end (protocol close-1)', async () => {
    const { maker, socket, makerStream, takerStream, requestId, quoteId } = await committing()
    expect((await takerStream.until('closed')).data).toEqual({ requestId })
    const expired = await makerStream.until('quote_request_expired', (data) => data.requestId === requestId)
    expect(expired.data).toEqual({ requestId })
    expect(await socket.until('quote:rejected', requestId)).toMatchObject({ quoteId, reason: 'request_expired' })
    await takerStream.ended
    expect(takerStream.events.all().filter(({ event }) => event === 'closed')).toHaveLength(1)
    expect(makerStream.events.all().filter((event) => isEndOf(event, requestId))).toHaveLength(1)
    expect(await maker.quote(requestId)).toMatchObject({ status: 404 })
  })

  it('submit, poll, commit and stream of an expired request are 404, code request_expired (protocol watch-5, decision Q8)', async () => {
    const maker = await service.maker()
    const { requestId } = await service.open()
    const stream = await service.stream(`/quote-requests/${requestId}/stream`)
    await stream.until('closed')
    const answers = [
      await maker.quote(requestId),
      await poll(requestId),
      await service.commit(requestId, { wallet: service.wallet().address }),
    ]
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: failure('request_expired') })
    expect(await service.call('GET', `/quote-requests/${requestId}/stream`)).toMatchObject({ status: 404 })
  })

  it('a confirmation that runs when the request expires may finish (decision C6, fault C9)', async () => {
    const { maker, socket, makerStream, takerStream, requestId, quoteId, commit } = await committing()
    const other = await service.maker()
    const running = commit()
    const accepted = await askedToSign(socket, requestId)
    await eventually(
      () => other.quote(requestId),
      ({ status }) => status === 404,
    )
    const signature = await maker.sign(accepted)
    expect(await maker.confirm(quoteId, signature)).toMatchObject({ status: 200 })
    expect((await running).status).toBe(200)
    await takerStream.until('closed')
    await takerStream.ended
    await makerStream.until('quote_request_expired', (data) => data.requestId === requestId)
    await socket.until('quote:confirmed', requestId)
    expect((await poll(requestId)).body).toMatchObject({ status: 'committed', closed: true })
  })

  it('no new candidate starts after expiresAt; the commit is 503 and the request closes as expired (decision C6)', async () => {
    const { maker, socket, takerStream, requestId, quoteId, commit } = await committing()
    const next = await service.maker()
    const nextSocket = await next.connect()
    await next.quoted(requestId, { price: 0.2 })
    const running = commit()
    await askedToSign(socket, requestId)
    await eventually(
      () => next.quote(requestId),
      ({ status }) => status === 404,
    )
    await maker.call('POST', `/v1/mm/quotes/${quoteId}/decline`)
    expect(await running).toMatchObject({ status: 503, body: failure('no_maker_confirmed') })
    await takerStream.until('closed')
    expect(await poll(requestId)).toMatchObject({ status: 404, body: failure('request_expired') })
    expect(await nextSocket.until('quote:rejected', requestId)).toMatchObject({ reason: 'request_expired' })
    expect(nextSocket.messages.all().map(({ type }) => type)).toEqual(['connected', 'quote:rejected'])
    await socket.until('quote:rejected', requestId)
    expect(maker.makerId).not.toBe(next.makerId)
  })
})
