import { describe, expect, onTestFinished, test } from 'vitest'
import type { WebSocket } from 'ws'
import { createMakerClient } from '../../src/client/maker.ts'
import { contracts, usd6 } from '../../src/protocol/domain/units.ts'
import { encodeConnected } from '../../src/protocol/wire/maker-messages.ts'
import { encodeQuoted } from '../../src/protocol/wire/submit-quote.ts'
import { eventually } from '../kit/eventually.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { startFakeServer } from './fake-server.ts'
import { announced, BUY, CHAIN, DOMAIN, MAKER, NOW, offerOf, orderOf } from './trade-fixture.ts'

const REQUEST = announced(BUY)
const CONNECTED = encodeConnected('maker-1', NOW)
const { offers: _, ...OF_AN_OLD_RELAY } = CONNECTED

const STREAM = '/v1/mm/quote-requests/stream'
const AUTHENTICATED = [
  { type: 'auth', apiKey: 'mk_live_1' },
  { type: 'subscribe', to: 'orders' },
  { type: 'subscribe', to: 'standing' },
]
const ended = (id: number, requestId: string) => ({
  type: 'requests',
  id,
  event: 'quote_request_expired',
  data: { requestId },
})
const begun = { type: 'requests', event: 'connected', data: { makerId: 'maker-1', serverTime: CONNECTED.serverTime } }

type Connection = { socket: WebSocket; messages: string[] }

const told = ({ messages }: Connection) => messages.map((message) => JSON.parse(message))
const say = ({ socket }: Connection, message: object) => socket.send(JSON.stringify(message))

/** A maker that watches requests, and messages where it is to, as a bot does. */
async function watch({ orders = true, takesSockets = true }: { orders?: boolean; takesSockets?: boolean } = {}) {
  const server = await startFakeServer({ takesSockets })
  const clock = createFakeClock(NOW)
  const maker = createMakerClient({
    url: server.url,
    apiKey: 'mk_live_1',
    account: MAKER,
    chain: CHAIN,
    timing: { clock, random: () => 0.5 },
  })
  const [all, requests] = [new AbortController(), new AbortController()]
  onTestFinished(() => all.abort())
  const heard: unknown[] = []
  const lost: unknown[] = []
  const follow = async (events: AsyncGenerator<unknown, void>) => {
    for await (const event of events) heard.push(event)
  }
  const onConnectionState = (state: { kind: string }) => state.kind === 'lost' && lost.push(state)
  const signal = AbortSignal.any([all.signal, requests.signal])
  const watching = [follow(maker.watchQuoteRequests({ signal, onConnectionState }))]
  if (orders) watching.push(follow(maker.watchOrders({ signal: all.signal, onConnectionState })))
  for (const one of watching) one.catch(() => {})

  const quote = (price: bigint) => maker.submitQuote({ request: REQUEST, price: usd6(price), size: contracts(500n) })
  /** The next socket, connected and asked for requests. */
  async function subscribed(): Promise<Connection> {
    const connection = await server.nextSocket()
    say(connection, CONNECTED)
    await eventually(() => told(connection).at(-1)?.to === 'requests')
    return connection
  }
  return { server, clock, maker, heard, lost, quote, subscribed, stopRequests: () => requests.abort() }
}

describe('a maker on its socket', () => {
  test('receives requests on the one connection on which it is asked to sign', async () => {
    const { server, heard, subscribed } = await watch()
    const connection = await subscribed()
    expect(told(connection)).toEqual([...AUTHENTICATED, { type: 'subscribe', to: 'requests' }])
    for (const message of [begun, ended(7, 'r7'), { type: 'quote:confirmed', requestId: 'r1', quoteId: 'q1' }])
      say(connection, message)
    await eventually(() => heard.length === 4)
    expect(heard).toContainEqual({ kind: 'quote_request_expired', requestId: 'r7' })
    expect(heard).toContainEqual({ kind: 'confirmed', requestId: 'r1', quoteId: 'q1' })
    expect(server.calls).toEqual([])
  })

  test('has no socket while it does not watch for orders: one says that it can sign', async () => {
    const { server, quote } = await watch({ orders: false })
    expect((await server.nextCall()).path).toBe(STREAM)
    void quote(120_000n).catch(() => {})
    expect((await server.nextCall()).path).toBe('/v1/mm/quotes')
  })

  test('comes back for what it missed, on the stream where the relay has gone back to an older version', async () => {
    const { server, clock, heard, subscribed } = await watch()
    const first = await subscribed()
    for (const message of [begun, ended(7, 'r7')]) say(first, message)
    await eventually(() => heard.length === 3)
    first.socket.terminate()
    await eventually(() => clock.pending() === 2)
    await clock.advance(75)
    const second = await subscribed()
    expect(told(second).at(-1)).toEqual({ type: 'subscribe', to: 'requests', lastEventId: '7' })
    for (const message of [begun, ended(8, 'r8')]) say(second, message)
    await eventually(() => heard.length === 6)
    second.socket.terminate()
    await eventually(() => clock.pending() === 2)
    await clock.advance(150)
    say(await server.nextSocket(), OF_AN_OLD_RELAY)
    const call = await server.nextCall()
    expect(call).toMatchObject({ path: STREAM, headers: { 'last-event-id': '8' } })
  })

  test('receives requests on the stream where the relay has no socket at all', async () => {
    const { server } = await watch({ takesSockets: false })
    const refused = await server.nextCall()
    expect(refused.path).toBe('/maker/v1/ws')
    refused.answer(404, {})
    expect((await server.nextCall()).path).toBe(STREAM)
  })

  test('asks again on the same connection for requests that the relay has ended, on request', async () => {
    const { clock, lost, subscribed } = await watch()
    const connection = await subscribed()
    for (const message of [begun, ended(7, 'r7'), { type: 'requests', event: 'ended', data: { retryMs: 1_500 } }])
      say(connection, message)
    await eventually(() => lost.length === 1)
    expect(lost[0]).toMatchObject({ retryInMs: 1_500 })
    await clock.advance(1_500)
    const again = { type: 'subscribe', to: 'requests', lastEventId: '7' }
    await eventually(() => told(connection).at(-1)?.lastEventId === '7')
    expect(told(connection).at(-1)).toEqual(again)
  })

  test('that stops to hear requests still signs', async () => {
    const { heard, lost, subscribed, stopRequests } = await watch()
    const connection = await subscribed()
    say(connection, begun)
    await eventually(() => heard.length === 2)
    stopRequests()
    await eventually(() => told(connection).at(-1)?.type === 'unsubscribe')
    expect(told(connection).at(-1)).toEqual({ type: 'unsubscribe', from: 'requests' })
    for (const message of [ended(7, 'r7'), { type: 'quote:confirmed', requestId: 'r1', quoteId: 'q1' }])
      say(connection, message)
    await eventually(() => heard.length === 3)
    expect(heard.at(-1)).toEqual({ kind: 'confirmed', requestId: 'r1', quoteId: 'q1' })
    expect(lost).toEqual([])
  })
})

describe('a call on the socket', () => {
  const answer = (connection: Connection, fields: object) => {
    const { ref } = told(connection).at(-1)
    say(connection, { ref, ...fields })
  }
  const isQuote = (connection: Connection, price: number) => () => told(connection).at(-1)?.quote?.price === price

  test('is a quote, a withdrawal or a confirm, and its answer is that of HTTP', async () => {
    const { server, maker, quote, subscribed } = await watch()
    const connection = await subscribed()
    const quoted = quote(120_000n)
    await eventually(isQuote(connection, 0.12))
    expect(told(connection).at(-1)).toMatchObject({ type: 'quote', requestId: 'request-1' })
    answer(connection, { type: 'quote:ok', quoteId: 'q1', price: 0.12 })
    expect(await quoted).toEqual({ quoteId: 'q1', price: 120_000n })
    const withdrawn = maker.withdrawQuote({ quoteId: 'q1' })
    await eventually(() => told(connection).at(-1)?.type === 'quote:withdraw')
    answer(connection, { type: 'quote:ok', quoteId: 'q1' })
    await withdrawn
    const refused = quote(130_000n)
    await eventually(isQuote(connection, 0.13))
    answer(connection, { type: 'quote:error', status: 409, error: 'Locked.', code: 'quote_locked' })
    await expect(refused).rejects.toMatchObject({ name: 'RelayError', code: 'quote_locked', status: 409 })
    expect(server.calls).toEqual([])
  })

  test('is the signature of an order that is to be firm, which a refusal leaves soft', async () => {
    const { server, maker, subscribed } = await watch()
    const connection = await subscribed()
    const order = orderOf(offerOf(BUY))
    for (const [price, refusal] of [
      [120_000n, null],
      [120_000n, 'invalid_signature'],
    ] as const) {
      const before = told(connection).length
      const quoted = maker.submitQuote({
        request: announced(BUY),
        price: usd6(price),
        size: contracts(500n),
        firm: true,
      })
      await eventually(() => told(connection).length > before)
      const taken = { quoteId: 'q1', price: usd6(price) }
      answer(connection, { ...encodeQuoted({ ...taken, order, domain: DOMAIN }), type: 'quote:ok' })
      await eventually(() => told(connection).at(-1)?.type === 'quote:firm')
      expect(told(connection).at(-1)).toMatchObject({ quoteId: 'q1', signature: expect.stringMatching(/^0x/) })
      if (refusal === null) answer(connection, { type: 'quote:ok', quoteId: 'q1' })
      else answer(connection, { type: 'quote:error', status: 400, error: 'No.', code: refusal })
      expect(await quoted).toEqual(refusal === null ? { ...taken, isFirm: true } : taken)
    }
    expect(server.calls).toEqual([])
  })

  test('goes over HTTP to a relay whose socket takes none', async () => {
    const { server, quote } = await watch()
    say(await server.nextSocket(), OF_AN_OLD_RELAY)
    expect((await server.nextCall()).path).toBe(STREAM)
    void quote(120_000n).catch(() => {})
    expect((await server.nextCall()).path).toBe('/v1/mm/quotes')
  })

  test('that was under way when the socket fell is made again over HTTP, each in its turn', async () => {
    const { server, quote, subscribed } = await watch()
    const connection = await subscribed()
    const quotes = [quote(120_000n), quote(130_000n)]
    await eventually(isQuote(connection, 0.13))
    connection.socket.terminate()
    const first = await server.nextCall()
    expect(first).toMatchObject({ path: '/v1/mm/quotes', body: { quote: { price: 0.12 } } })
    const later = quote(140_000n)
    first.answer(200, { success: true, quoteId: 'q1', price: 0.12 })
    for (const price of [0.13, 0.14]) {
      const call = await server.nextCall()
      expect(call.body).toMatchObject({ quote: { price } })
      call.answer(200, { success: true, quoteId: 'q1', price })
    }
    expect((await Promise.all([...quotes, later])).map(({ price }) => price)).toEqual([120_000n, 130_000n, 140_000n])
  })

  test('that withdrew a quote before the socket fell has done so', async () => {
    const { server, maker, subscribed } = await watch()
    const connection = await subscribed()
    const withdrawn = maker.withdrawQuote({ quoteId: 'q1' })
    await eventually(() => told(connection).at(-1)?.type === 'quote:withdraw')
    connection.socket.terminate()
    ;(await server.nextCall()).answer(404, { success: false, error: 'None.', code: 'quote_not_found' })
    await withdrawn
  })

  test('is not made again when it is old: the price was of another time', async () => {
    const { server, clock, quote, subscribed } = await watch()
    const connection = await subscribed()
    const quoted = quote(120_000n)
    await eventually(isQuote(connection, 0.12))
    await clock.advance(2_001)
    connection.socket.terminate()
    await expect(quoted).rejects.toMatchObject({ name: 'RelayUnreachableError' })
    expect(server.calls).toEqual([])
  })

  test('that is not answered for 15 seconds is lost, and the connection stays', async () => {
    const { clock, lost, quote, subscribed } = await watch()
    const connection = await subscribed()
    const quoted = quote(120_000n).catch((error: unknown) => error)
    await eventually(isQuote(connection, 0.12))
    await clock.advance(15_000)
    expect(await quoted).toMatchObject({ name: 'RelayUnreachableError' })
    expect(lost).toEqual([])
  })
})
