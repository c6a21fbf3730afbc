import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rawExchange } from '../kit/raw.ts'
import { type RelayProcess, startRelay } from '../kit/relay-process.ts'
import { openSocket } from '../kit/socket.ts'
import { failure } from './harness/match.ts'
import type { Created } from './harness/service.ts'
import { createService, type Service } from './harness/service.ts'

const PATH = '/v1/mm/quote-requests/stream'

const anonymousName = (key: string): string => `anon-${createHash('sha256').update(key).digest('hex').slice(0, 8)}`

/** A relay with no settings at all. Its tests run one after another: they count connections. */
describe('open dev mode and defaults', () => {
  let relay: RelayProcess
  let service: Service

  beforeAll(async () => {
    relay = await startRelay({ flags: ['--memory', '--no-chain'] })
    service = createService('simulated', relay.ready, [])
  })
  afterAll(() => relay.stop())

  const quote = async (requestId: string, headers: Record<string, string> = {}) =>
    service.call<{ quoteId: string }>('POST', '/v1/mm/quotes', {
      body: { requestId, quote: { maker: service.wallet().address, side: 'buy', price: 0.2, size: 100 } },
      headers,
    })
  const bestMaker = async (requestId: string) =>
    (await service.call<{ bestQuote: { maker_id: string } }>('GET', `/quote-requests/${requestId}/quotes`)).body
      .bestQuote.maker_id
  const socket = (query = '', options = {}) => openSocket(`${relay.ready.wsUrl}/maker/v1/ws${query}`, options)
  const connected = async () => (await service.open()).makersConnected

  it('makersConnected is 0 without listeners, and HEAD of the stream starts nothing (fault A16)', async () => {
    expect(await connected()).toBe(0)
    await rawExchange(relay.ready.url, `HEAD ${PATH} HTTP/1.1\r\nHost: relay\r\nConnection: close\r\n\r\n`)
    expect(await connected()).toBe(0)
  })

  it('makersConnected counts each makerId once, and streams without a key one each (decision M3)', async () => {
    const headers = { 'x-api-key': 'the-same-key' }
    const streams = [await service.stream(PATH, headers), await service.stream(PATH, headers)]
    streams.push(await service.stream(PATH), await service.stream(PATH))
    for (const stream of streams) await stream.until('snapshot_complete')
    expect(await connected()).toBe(3)
    for (const stream of streams) stream.close()
    for (let count = await connected(); count > 0; count = await connected()) await Promise.resolve()
  })

  it('in open mode anyone quotes without a key, as anonymous, on all three channels (protocol auth-4, decision M5)', async () => {
    const stream = await service.stream(PATH)
    expect((await stream.until('connected')).data).toMatchObject({ makerId: 'anonymous' })
    const { requestId } = await service.open()
    expect((await quote(requestId)).status).toBe(200)
    expect(await bestMaker(requestId)).toBe('anonymous')
    expect(await socket().until('connected')).toMatchObject({ makerId: 'anonymous', authenticated: true })
    stream.close()
  })

  it('a key string names an anonymous maker, the same over all three channels (decision M5)', async () => {
    const key = 'any string at all'
    const makerId = anonymousName(key)
    const stream = await service.stream(`${PATH}?apiKey=${encodeURIComponent(key)}`)
    expect((await stream.until('connected')).data).toMatchObject({ makerId })
    const { requestId } = await service.open()
    await quote(requestId, { 'x-api-key': key })
    expect(await bestMaker(requestId)).toBe(makerId)
    expect(await socket(`?apiKey=${encodeURIComponent(key)}`).until('connected')).toMatchObject({ makerId })
    const late = socket()
    await late.opened
    late.send({ type: 'auth', apiKey: key })
    expect(await late.messages.next()).toMatchObject({ type: 'connected', makerId })
    stream.close()
  })

  it('a page of another origin gets no socket, one of this machine does (decision M5, fault B16)', async () => {
    expect(await socket('', { origin: 'https://evil.example' }).refused).toBe(403)
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1:5173']) {
      await socket('', { origin }).until('connected')
    }
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
    const head = `GET /maker/v1/ws HTTP/1.1\r\nHost: relay\r\nOrigin: null\r\n${upgrade}${key}\r\n`
    const refused = await rawExchange(relay.ready.url, head)
    expect(refused.status).toBe(403)
    expect(JSON.parse(refused.body)).toMatchObject(failure('origin_not_allowed'))
  })

  it('the confirmation deadline is 10 seconds by default (protocol commit-3)', async () => {
    const wallet = service.wallet()
    const maker = socket('?apiKey=default-maker')
    await maker.until('connected')
    const { requestId } = await service.open()
    await service.call('POST', '/v1/mm/quotes?apiKey=default-maker', {
      body: { requestId, quote: { maker: wallet.address, side: 'buy', price: 0.2, size: 100 } },
    })
    const before = Date.now()
    const leave = new AbortController()
    const body = { wallet: service.wallet().address }
    service.call('POST', `/quote-requests/${requestId}/commit`, { body, signal: leave.signal }).catch(() => {})
    const accepted = await maker.until('quote:accepted', requestId)
    const deadline = Date.parse(String(accepted.confirmationDeadline))
    expect(deadline).toBeGreaterThanOrEqual(before + 10_000)
    expect(deadline).toBeLessThanOrEqual(Date.now() + 10_000)
    await service.call('POST', `/v1/mm/quotes/${accepted.quoteId}/decline?apiKey=default-maker`)
    leave.abort()
  })

  it('the 17th stream of a key is 429 with Retry-After, and so is its socket (4029) (decision M3, fault D14)', async () => {
    const headers = { 'x-api-key': 'a-greedy-maker' }
    const streams = await Promise.all(Array.from({ length: 16 }, () => service.stream(PATH, headers)))
    for (const stream of streams) await stream.until('connected')
    const { status, body, headers: sent } = await service.call('GET', PATH, { headers })
    expect({ status, body }).toMatchObject({
      status: 429,
      body: { ...failure('too_many_connections'), retryable: true },
    })
    expect(Number(sent.get('retry-after'))).toBeGreaterThan(0)
    expect(await socket('?apiKey=a-greedy-maker').closed).toBe(4029)
    const other = await service.stream(PATH, { 'x-api-key': 'a-modest-maker' })
    await other.until('connected')
    const { requestId } = await service.open()
    await streams[0]?.until('quote_request', (data) => data.requestId === requestId)
    for (const stream of [...streams, other]) stream.close()
  })

  it('there are no rate limits that an honest client meets', async () => {
    const { market, option } = await service.option()
    const body = { market, option, trade: { side: 'buy', budgetUsd: 1 } }
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => service.call<Created>('POST', '/quote-requests', { body })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })
})
