import { http } from 'viem'
import { describe, expect, test } from 'vitest'
import { createMakerClient } from '../../../src/client/maker.ts'
import { collateral, type Leg, normalPackage } from '../../../src/protocol/domain/option.ts'
import type { RequestTerms } from '../../../src/protocol/domain/request.ts'
import { seriesIdOf } from '../../../src/protocol/domain/series.ts'
import { contracts, type StrikeBps } from '../../../src/protocol/domain/units.ts'
import { settle } from '../../support/fake-clock.ts'
import { CALL_BUY, EXPIRY_S, makerAccount, refusal, registerSeries, TAKER, walletOf } from '../../support/test-relay.ts'
import { ADA, BOB, openBody, startServer, type TestServer, type TestSocket, type TestStream } from './support.ts'

const STREAM = '/v1/mm/quote-requests/stream'
const LEGS: readonly Leg[] = [
  { optionType: 'call', strikeBps: 4_000 as StrikeBps, quantity: 1 },
  { optionType: 'call', strikeBps: 6_000 as StrikeBps, quantity: -1 },
]
const SPREAD: RequestTerms = { ...CALL_BUY, option: { ...normalPackage(LEGS), expiryMs: EXPIRY_S * 1_000 } }
const { conditionId, yesTokenId } = CALL_BUY.market
const SPREAD_ID = seriesIdOf({ conditionId, yesTokenId, expiry: EXPIRY_S, ...normalPackage(LEGS) })

const packageBody = (legs: readonly object[] = LEGS) => ({
  ...openBody(),
  option: { legs, expiryMs: openBody().option.expiryMs },
})

const openPackage = async (fixture: TestServer, legs: readonly object[] = LEGS) =>
  (await fixture.call('POST', '/quote-requests', { body: packageBody(legs) })).body

const cancel = (fixture: TestServer, { requestId, takerSecret }: Record<string, unknown>) =>
  fixture.call('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } })

/** The events of a stream up to the end of its snapshot. */
async function snapshotOf(stream: TestStream): Promise<(string | undefined)[]> {
  const names = []
  for (;;) {
    const event = await stream.next()
    names.push(event?.event)
    if (event?.event === 'snapshot_complete') return names
  }
}

async function subscribed(fixture: TestServer, subscription: object): Promise<TestSocket> {
  const socket = fixture.socket(`/maker/v1/ws?apiKey=${ADA['x-api-key']}`)
  await socket.next()
  socket.send({ type: 'subscribe', to: 'requests', ...subscription })
  return socket
}

describe('a request about a package', () => {
  test('is answered with the package that it is of, its legs in any order (protocol open-5)', async () => {
    const fixture = await startServer()
    const { status, body } = await fixture.call('POST', '/quote-requests', { body: packageBody(LEGS.toReversed()) })
    expect(status).toBe(200)
    expect(body).toMatchObject({ seriesId: SPREAD_ID, packageId: SPREAD_ID, maxPayoff: 0.2, floor: 0 })
    const single = await fixture.call('POST', '/quote-requests', { body: openBody() })
    expect(Object.keys(single.body)).not.toEqual(expect.arrayContaining(['packageId']))
  })

  test.each<[string, object, string]>([
    ['both forms', { legs: LEGS, strikeBps: 4_500 }, 'option.strikeBps must be absent when legs are given, got 4500'],
    ['five legs', { legs: Array(5).fill(LEGS[0]) }, 'option.legs must be a list of 2 to 4 legs, got a list'],
    [
      'a quantity of 5',
      { legs: [LEGS[0], { ...LEGS[1], quantity: 5 }] },
      'option.legs.1.quantity must be an integer -4..4 other than 0, got 5',
    ],
    ['no such list', { legs: 'spread' }, 'option.legs must be a list of 2 to 4 legs, got "spread"'],
  ])('with %s is refused, naming the field', async (_, option, error) => {
    const fixture = await startServer()
    const body = { ...openBody(), option: { expiryMs: openBody().option.expiryMs, ...option } }
    const answer = await fixture.call('POST', '/quote-requests', { body })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', error } })
  })

  test('is refused when its legs are no package', async () => {
    const fixture = await startServer()
    const answer = await fixture.call('POST', '/quote-requests', { body: packageBody([LEGS[0], LEGS[0]] as object[]) })
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'invalid_package', error: 'The package has the same option twice.' },
    })
  })
})

describe('a maker that did not ask for packages', () => {
  test('receives none on its stream, no end of one, in no snapshot and no replay (protocol stream-8, decision K4)', async () => {
    const fixture = await startServer()
    const before = await openPackage(fixture)
    const plain = await fixture.stream(STREAM, ADA)
    const asking = await fixture.stream(`${STREAM}?packages=true`, BOB)
    expect(await snapshotOf(plain)).toEqual(['connected', 'snapshot_begin', 'snapshot_complete'])
    expect(await snapshotOf(asking)).toEqual(['connected', 'snapshot_begin', 'quote_request', 'snapshot_complete'])
    const live = await openPackage(fixture)
    await cancel(fixture, before)
    const single = (await fixture.call('POST', '/quote-requests', { body: openBody() })).body
    expect(await plain.next()).toMatchObject({ event: 'quote_request', data: { requestId: single.requestId } })
    expect(await asking.next()).toMatchObject({
      event: 'quote_request',
      data: { requestId: live.requestId, params: { option: { legs: LEGS, expiryMs: EXPIRY_S * 1_000 } } },
    })
    expect(await asking.next()).toMatchObject({ event: 'quote_request_expired', data: { requestId: before.requestId } })
    const last = await asking.next()
    expect(last).toMatchObject({ event: 'quote_request', data: { requestId: single.requestId } })

    const first = String(Number(last?.id) - 3)
    const replayed = await fixture.stream(STREAM, { ...ADA, 'last-event-id': first })
    expect(await replayed.next()).toMatchObject({ event: 'connected' })
    expect(await replayed.next()).toMatchObject({ id: last?.id, data: { requestId: single.requestId } })
  })

  test('receives none on its socket, and one that did receives all', async () => {
    const fixture = await startServer()
    await openPackage(fixture)
    const plain = await subscribed(fixture, {})
    const asking = await subscribed(fixture, { packages: true })
    const names = async (socket: TestSocket, count: number) => {
      const found = []
      for (let i = 0; i < count; i += 1) found.push(((await socket.next()) as { event?: string }).event)
      return found
    }
    expect(await names(plain, 3)).toEqual(['connected', 'snapshot_begin', 'snapshot_complete'])
    expect(await names(asking, 4)).toEqual(['connected', 'snapshot_begin', 'quote_request', 'snapshot_complete'])
    await openPackage(fixture)
    await fixture.call('POST', '/quote-requests', { body: openBody() })
    expect(await plain.next()).toMatchObject({
      event: 'quote_request',
      data: { params: { option: { strikeBps: 4_500 } } },
    })
    expect(await asking.next()).toMatchObject({ event: 'quote_request', data: { params: { option: { legs: LEGS } } } })
  })

  test('does not count in makersConnected of a package, and does in that of a single option', async () => {
    const fixture = await startServer()
    const connectedFor = async (body: object) =>
      (await fixture.call('POST', '/quote-requests', { body })).body.makersConnected
    await snapshotOf(await fixture.stream(STREAM, ADA))
    expect([await connectedFor(openBody()), await connectedFor(packageBody())]).toEqual([1, 0])
    await snapshotOf(await fixture.stream(`${STREAM}?packages=true`, BOB))
    expect([await connectedFor(openBody()), await connectedFor(packageBody())]).toEqual([2, 1])
  })

  test('gets an error when its parameter is neither true nor false', async () => {
    const fixture = await startServer()
    const answer = await fixture.call('GET', `${STREAM}?packages=yes`, { headers: ADA })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })
})

describe('the client of a maker', () => {
  test.each(['stream', 'socket'] as const)('receives packages by its %s where it asks, and else none', async (way) => {
    const fixture = await startServer()
    const { requestId } = await openPackage(fixture)
    const { chainId, settlementAddress, coreAddress } = fixture.relay.environment
    const chain = { chainId, settlementAddress, coreAddress, transport: http('http://127.0.0.1:1') }
    const heardBy = async (packages: boolean) => {
      const stop = new AbortController()
      const client = createMakerClient({
        url: fixture.url,
        apiKey: ADA['x-api-key'],
        account: makerAccount('ada'),
        chain,
      })
      const orders = way === 'socket' ? client.watchOrders({ signal: stop.signal }).next() : null
      orders?.catch(() => {})
      const found = []
      for await (const event of client.watchQuoteRequests({ packages, signal: stop.signal })) {
        if (event.kind === 'quote_request') found.push([event.request.requestId, event.request.terms.option])
        if (event.kind === 'snapshot_complete') break
      }
      stop.abort()
      return found
    }
    expect(await heardBy(true)).toEqual([[requestId, SPREAD.option]])
    expect(await heardBy(false)).toEqual([])
  })
})

describe('a package', () => {
  test('is listed for those that ask, and by its id; markets do not count it (protocol series-5)', async () => {
    const fixture = await startServer()
    registerSeries(fixture.chain, SPREAD)
    const list = async (query: string) => (await fixture.call('GET', `/v1/series${query}`)).body.series as object[]
    const [series] = (await list('?packages=true')).filter((one) => 'legs' in one)
    expect(series).toEqual({
      seriesId: SPREAD_ID,
      conditionId,
      yesClobTokenId: yesTokenId,
      expiry: EXPIRY_S,
      legs: LEGS,
      maxPayoff: 0.2,
      floor: 0,
      breakpoints: [
        { resolutionBps: 0, payoff: 0 },
        { resolutionBps: 40, payoff: 0 },
        { resolutionBps: 60, payoff: 0.2 },
        { resolutionBps: 100, payoff: 0.2 },
      ],
      settled: false,
      resolutionBps: null,
    })
    const singles = await list('')
    expect(singles).toEqual(await list('?packages=false'))
    expect(singles.filter((one) => 'legs' in one)).toEqual([])
    expect(await list('?packages=true&optionType=call')).toEqual(await list('?optionType=call'))
    const { markets } = (await fixture.call('GET', '/v1/markets')).body as { markets: { seriesCount: number }[] }
    expect(markets.reduce((sum, { seriesCount }) => sum + seriesCount, 0)).toBe(singles.length)
    expect((await fixture.call('GET', `/v1/series/${SPREAD_ID}`)).body.series).toEqual(series)
  })

  test('is quoted, committed and signed like a single option, for its own collateral (decision K1)', async () => {
    const fixture = await startServer()
    registerSeries(fixture.chain, SPREAD)
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open(SPREAD)
    const quote = (price: number) => ({
      body: { requestId, quote: { maker: walletOf('ada'), side: 'buy', price, size: 1_000 } },
      headers: ADA,
    })
    expect(await fixture.call('POST', '/v1/mm/quotes', quote(0.21))).toMatchObject({
      status: 400,
      body: { code: 'price_above_max_payoff' },
    })
    expect((await fixture.call('POST', '/v1/mm/quotes', quote(0.1))).status).toBe(200)
    const running = fixture.commit(requestId)
    await settle()
    await ada.confirm()
    const { execution } = await running
    expect(execution.acceptance.order).toMatchObject({
      seriesId: SPREAD_ID,
      optionAmount: 1_000n,
      premiumAmount: 100_000_000n,
    })
    expect(collateral(SPREAD.option, contracts(1_000n))).toBe(200_000_000n)
  })

  test('may cost more than a dollar, where a single option may not', async () => {
    const fixture = await startServer()
    const legs = [
      { optionType: 'call', strikeBps: 1_000, quantity: 3 },
      { optionType: 'put', strikeBps: 1_000, quantity: 4 },
    ]
    const { requestId, maxPayoff } = await openPackage(fixture, legs)
    expect(maxPayoff).toBe(2.7)
    const quote = { maker: walletOf('ada'), side: 'buy', price: 1.5, size: 10 }
    const answer = await fixture.call('POST', '/v1/mm/quotes', { body: { requestId, quote }, headers: ADA })
    expect(answer).toMatchObject({ status: 200, body: { price: 1.5 } })
    const single = await fixture.open()
    const commit = (id: unknown, limitPrice: number) =>
      fixture.call('POST', `/quote-requests/${id}/commit`, { body: { wallet: TAKER, limitPrice } })
    expect(await commit(single.requestId, 1.5)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', error: 'limitPrice must be a number of dollars 0..1, got 1.5' },
    })
    expect(await commit(requestId, 1.4)).toMatchObject({ body: { code: expect.not.stringMatching('invalid_request') } })
  })

  test('with a halted leg is not committed; nor is one that is not registered (decision K5)', async () => {
    const fixture = await startServer()
    const { requestId } = await fixture.open(SPREAD)
    await fixture.quote('ada', requestId)
    expect(await refusal(fixture.commit(requestId))).toBe('series_not_registered')
    registerSeries(fixture.chain, SPREAD)
    const { expiryMs } = SPREAD.option
    const { optionType, strikeBps } = LEGS[1] as Leg
    registerSeries(fixture.chain, { ...SPREAD, option: { optionType, strikeBps, expiryMs } }, true)
    expect(await refusal(fixture.commit(requestId))).toBe('series_halted')
  })
})
