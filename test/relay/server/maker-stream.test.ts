import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { Book } from '../../../src/relay/core/ports/book.ts'
import type { MakerEvent, MakerFeed } from '../../../src/relay/core/ports/live.ts'
import { request as announced } from '../../protocol/wire/examples.ts'
import { settle } from '../../support/fake-clock.ts'
import { TAKER } from '../../support/test-relay.ts'
import {
  ADA,
  BOB,
  OPEN_MODE,
  openBody,
  rawExchange,
  rawSocket,
  startServer,
  type TestServer,
  type TestStream,
} from './support.ts'

const PATH = '/v1/mm/quote-requests/stream'

async function open(fixture: TestServer): Promise<string> {
  const { body } = await fixture.call('POST', '/quote-requests', { body: openBody() })
  return String(body.requestId)
}

async function cancel(fixture: TestServer): Promise<string> {
  const { body } = await fixture.call('POST', '/quote-requests', { body: openBody() })
  await fixture.call('POST', `/quote-requests/${body.requestId}/cancel`, { body: { takerSecret: body.takerSecret } })
  return String(body.requestId)
}

async function names(stream: TestStream, count: number): Promise<(string | undefined)[]> {
  const events = []
  for (let i = 0; i < count; i += 1) events.push((await stream.event())?.event)
  return events
}

describe('a maker that comes again and again', () => {
  /** A relay with so many requests open that a maker may begin twice at once. */
  async function startFull(options: Parameters<typeof startServer>[0] = {}) {
    const fixture = await startServer(options)
    fixture.relay.countOpen = () => 49_999
    const begin = (headers: Record<string, string> = ADA) => {
      const state = { hasBegun: false }
      const stream = fixture.stream(PATH, headers)
      void stream.then(() => {
        state.hasBegun = true
      })
      return { state, stream }
    }
    return { ...fixture, begin }
  }

  test('is let in when it has rested, and receives all of it then; others do not wait for it', async () => {
    const { begin, clock } = await startFull()
    for (let n = 0; n < 2; n += 1) (await begin().stream).destroy()
    const { state, stream } = begin()
    expect((await (await begin(BOB).stream).event())?.event).toBe('connected')
    await clock.advance(4_999)
    expect(state.hasBegun).toBe(false)
    await clock.advance(1)
    expect(await names(await stream, 3)).toEqual(['connected', 'snapshot_begin', 'snapshot_complete'])
  })

  test('is not kept waiting for what it asked for and left', async () => {
    const { begin, clock, port, relay } = await startFull()
    for (let n = 0; n < 2; n += 1) (await begin().stream).destroy()
    let asked = 0
    const { countOpen } = relay
    relay.countOpen = () => {
      asked += 1
      return countOpen()
    }
    const left = rawSocket(port)
    left.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${ADA['x-api-key']}\r\n\r\n`)
    await expect.poll(() => asked).toBe(1)
    left.destroy()
    await once(left, 'close')
    await settle()
    const { state, stream } = begin()
    await expect.poll(() => asked).toBe(2)
    await clock.advance(5_000)
    await stream
    expect(state.hasBegun).toBe(true)
  })

  test('on its socket waits together with its streams', async () => {
    const { begin, clock, socket } = await startFull()
    for (let n = 0; n < 2; n += 1) (await begin().stream).destroy()
    const { send, next } = socket('/maker/v1/ws', { headers: ADA })
    await next()
    send({ type: 'subscribe', to: 'requests' })
    send({ type: 'ping' })
    expect(await next()).toMatchObject({ type: 'pong' })
    await clock.advance(5_000)
    expect(await next()).toMatchObject({ type: 'requests', event: 'connected' })
  })

  test('waits by its address where a relay is open, whatever it calls itself', async () => {
    const { begin, clock } = await startFull({ relay: OPEN_MODE })
    for (const key of ['one', 'two']) (await begin({ 'x-api-key': key }).stream).destroy()
    const { state, stream } = begin({ 'x-api-key': 'three' })
    await clock.advance(4_999)
    expect(state.hasBegun).toBe(false)
    await clock.advance(1)
    await stream
  })
})

describe('a maker stream', () => {
  test('starts with connected and a snapshot, then live events follow (fault D1)', async () => {
    const fixture = await startServer()
    const first = await open(fixture)
    const second = await open(fixture)
    const stream = await fixture.stream(PATH, ADA)
    expect(stream).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      },
    })
    expect(await stream.next()).toEqual({
      retry: expect.stringMatching(/^[123]\d{3}$/),
      event: 'connected',
      data: { makerId: 'ada', serverTime: '2026-01-01T00:00:00.000Z' },
    })
    expect(await stream.next()).toEqual({ event: 'snapshot_begin', data: {} })
    const [one, two] = [await stream.next(), await stream.next()]
    expect(one).toEqual({
      id: expect.stringMatching(/^\d+$/),
      event: 'quote_request',
      data: { requestId: first, expiresAt: '2026-01-01T00:05:00.000Z', params: { wallet: null, ...openBody() } },
    })
    expect(two).toMatchObject({ event: 'quote_request', data: { requestId: second } })
    expect(await stream.next()).toEqual({ id: two?.id, event: 'snapshot_complete', data: {} })
    const third = await cancel(fixture)
    expect(await stream.next()).toMatchObject({ id: String(Number(two?.id) + 1), data: { requestId: third } })
    expect(await stream.next()).toEqual({
      id: String(Number(two?.id) + 2),
      event: 'quote_request_expired',
      data: { requestId: third },
    })
  })

  test('replays exactly what was missed, with no snapshot (fault D3)', async () => {
    const fixture = await startServer()
    const seen = await fixture.stream(PATH, ADA)
    await names(seen, 3)
    await open(fixture)
    const last = await seen.event()
    seen.destroy()
    const gone = await cancel(fixture)
    const again = await fixture.stream(PATH, { ...ADA, 'last-event-id': String(last?.id) })
    expect(await again.event()).toMatchObject({ event: 'connected' })
    expect(await again.event()).toMatchObject({ event: 'quote_request', data: { requestId: gone } })
    expect(await again.event()).toMatchObject({ event: 'quote_request_expired', data: { requestId: gone } })
    const live = await open(fixture)
    expect(await again.event()).toMatchObject({ event: 'quote_request', data: { requestId: live } })
  })

  test.each(['abc', '-1', '5', '99999999999999999999', String(Number.MAX_SAFE_INTEGER)])(
    'answers the Last-Event-ID %s with a fresh snapshot (faults D4, D5)',
    async (id) => {
      const fixture = await startServer()
      const stream = await fixture.stream(PATH, { ...ADA, 'last-event-id': id })
      expect(await names(stream, 3)).toEqual(['connected', 'snapshot_begin', 'snapshot_complete'])
    },
  )

  test('loses nothing and repeats nothing while requests are opened during the opening (fault D2)', async () => {
    const fixture = await startServer({ server: { maxStreamsPerKey: 1_000 } })
    const opened: Promise<string>[] = []
    const streams: Promise<TestStream>[] = []
    for (let i = 0; i < 60; i += 1) {
      opened.push(open(fixture))
      if (i % 3 === 0) streams.push(fixture.stream(PATH, ADA))
    }
    const ids = new Set(await Promise.all(opened))
    for (const stream of await Promise.all(streams)) {
      const seen: string[] = []
      const eventIds: number[] = []
      while (seen.length < ids.size) {
        const event = await stream.event()
        if (event?.event !== 'quote_request') continue
        seen.push(String(event.data?.requestId))
        eventIds.push(Number(event.id))
      }
      expect(new Set(seen)).toEqual(ids)
      expect(eventIds).toEqual([...new Set(eventIds)].sort((a, b) => a - b))
    }
  })

  test('replays what its feed has, then what came meanwhile, each event once (fault D2)', async () => {
    const feed = createFakeFeed()
    for (let i = 0; i < 3; i += 1) feed.emit()
    const { since } = feed
    const fixture = await startServer({
      fixture: {
        ports: {
          feed: {
            ...feed,
            since: async (id) => {
              feed.emit()
              const events = await since(id)
              feed.emit()
              return events
            },
          },
        },
      },
    })
    const stream = await fixture.stream(PATH, { ...ADA, 'last-event-id': '1' })
    await stream.event()
    feed.emit()
    const ids = []
    for (let i = 0; i < 5; i += 1) ids.push((await stream.event())?.id)
    expect(ids).toEqual(['2', '3', '4', '5', '6'])
  })

  test('does not repeat what a snapshot already tells (fault D2, invariant V6)', async () => {
    const feed = createFakeFeed()
    for (let i = 0; i < 3; i += 1) feed.emit()
    const openRequests = async () => {
      const id = feed.emit()
      return [{ id, request: { ...announced, expiresAt: Date.UTC(2100, 0) } }]
    }
    const fixture = await startServer({
      fixture: { ports: { feed, book: { openRequests, countKnown: () => 1 } as unknown as Book } },
    })
    const stream = await fixture.stream(PATH, ADA)
    expect(await names(stream, 2)).toEqual(['connected', 'snapshot_begin'])
    expect(await stream.event()).toMatchObject({ id: '4', event: 'quote_request' })
    expect(await stream.event()).toMatchObject({ id: '4', event: 'snapshot_complete' })
    feed.emit()
    expect(await stream.event()).toMatchObject({ id: '5', event: 'quote_request' })
  })

  test('is cut, and nothing is mixed into it, when its reader sends what is no HTTP', async () => {
    const fixture = await startServer()
    const socket = await startReading(fixture, '')
    socket.write('GARBAGE\r\n\r\n')
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text).toContain('snapshot_complete')
    expect(text).not.toContain('invalid_request')
  })

  test('is the same bytes to everyone', async () => {
    const fixture = await startServer()
    const streams = await Promise.all([fixture.stream(PATH, ADA), fixture.stream(PATH, BOB)])
    for (const stream of streams) await names(stream, 3)
    await open(fixture)
    const [a, b] = await Promise.all(streams.map((stream) => stream.next()))
    expect(a).toEqual(b)
  })

  test('pings about every 25 seconds', async () => {
    const fixture = await startServer()
    const stream = await fixture.stream(PATH, ADA)
    await names(stream, 3)
    for (let ping = 0; ping < 2; ping += 1) {
      await fixture.clock.advance(25_000)
      expect(await stream.next()).toEqual({ comment: 'ping' })
    }
  })

  test('needs a key, and says so in JSON (fault B4)', async () => {
    const { call } = await startServer()
    for (const headers of [{}, { 'x-api-key': 'wrong' }] as Record<string, string>[]) {
      const answer = await call('GET', PATH, { headers })
      expect(answer).toMatchObject({ status: 401, body: { success: false, code: 'invalid_api_key' } })
    }
  })

  test('takes its key in the query too', async () => {
    const fixture = await startServer()
    const stream = await fixture.stream(`${PATH}?apiKey=key-of-bob`)
    expect((await stream.event())?.data).toMatchObject({ makerId: 'bob' })
  })

  test('needs none in open mode, and is anonymous there', async () => {
    const fixture = await startServer({ relay: OPEN_MODE })
    expect((await (await fixture.stream(PATH)).event())?.data).toMatchObject({ makerId: 'anonymous' })
    const named = await fixture.stream(PATH, { 'x-api-key': 'mine' })
    expect((await named.event())?.data?.makerId).toMatch(/^anon-[0-9a-f]{8}$/)
  })

  test('counts its maker while it lasts, each maker once (decision M3)', async () => {
    const fixture = await startServer()
    const makersConnected = async () =>
      (await fixture.call('POST', '/quote-requests', { body: openBody() })).body.makersConnected
    const [one] = await Promise.all([fixture.stream(PATH, ADA), fixture.stream(PATH, ADA), fixture.stream(PATH, BOB)])
    expect(await makersConnected()).toBe(2)
    one.destroy()
    await fixture.call('HEAD', PATH, { headers: { 'x-api-key': 'key-of-bob' } })
    expect(await makersConnected()).toBe(2)
  })

  test('is refused beyond the limit of its key, others are not (fault D14)', async () => {
    const fixture = await startServer({ server: { maxStreamsPerKey: 2 } })
    const [first] = await Promise.all([fixture.stream(PATH, ADA), fixture.stream(PATH, ADA)])
    const third = await fixture.call('GET', PATH, { headers: ADA })
    expect(third).toMatchObject({
      status: 429,
      headers: { 'retry-after': expect.any(String) },
      body: { code: 'too_many_connections', retryable: true },
    })
    expect((await fixture.stream(PATH, BOB)).status).toBe(200)
    first.destroy()
    await expect.poll(async () => (await fixture.stream(PATH, ADA)).status).toBe(200)
  })

  test('is a JSON refusal when the feed cannot be read', async () => {
    const fixture = await startServer({
      fixture: {
        ports: {
          feed: {
            position: () => Promise.reject(new Error('down')),
            since: async () => null,
            listen: () => () => {},
            onBreak: () => () => {},
          },
        },
      },
    })
    expect(await fixture.call('GET', PATH, { headers: ADA })).toMatchObject({ status: 500, body: { success: false } })
  })

  test('works for a reader that speaks HTTP 1.0, as some proxies do', async () => {
    const fixture = await startServer()
    const socket = rawSocket(fixture.port)
    socket.write(`GET ${PATH} HTTP/1.0\r\nX-API-Key: key-of-ada\r\n\r\n`)
    let text = ''
    for await (const chunk of socket) {
      text += chunk
      if (text.includes('snapshot_complete')) break
    }
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(text).toContain('\r\n\r\nretry: ')
  })

  test('that is closed by its reader leaves nothing behind', async () => {
    const fixture = await startServer({ server: { maxStreamsPerKey: 1 } })
    for (let i = 0; i < 5; i += 1) {
      const socket = rawSocket(fixture.port)
      socket.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-ada\r\n\r\n`)
      await once(socket, 'data')
      socket.destroy()
      await expect
        .poll(async () => (await fixture.call('POST', '/quote-requests', { body: openBody() })).body.makersConnected)
        .toBe(0)
    }
  })

  test('drops a reader that leaves a mebibyte unread, and no other (fault D8)', async () => {
    const feed = createFakeFeed()
    const fixture = await startServer({ fixture: { ports: { feed } } })
    const slow = await startReading(fixture, '')
    slow.pause()
    const well = await fixture.stream(PATH, BOB)
    await names(well, 3)
    const dropped = () => fixture.log.lines.filter(({ event }) => event === 'stream_dropped')
    let count = 0
    while (dropped().length === 0 && count < 40_000) {
      for (let i = 0; i < 500; i += 1) feed.emit()
      for (let i = 0; i < 500; i += 1) count += (await well.event()) === null ? 0 : 1
    }
    const id = feed.emit()
    expect(await well.event()).toMatchObject({ id: String(id), event: 'quote_request' })
    expect(dropped()).toHaveLength(1)
  })

  test('sends megabytes only as fast as its reader reads, and does not drop it (fault D10)', async () => {
    const feed = createFakeFeed()
    for (let i = 0; i < 6_000; i += 1) feed.emit()
    const fixture = await startServer({ fixture: { ports: { feed } } })
    const slow = await startReading(fixture, '0')
    let bytes = 0
    let text = ''
    for await (const chunk of slow) {
      bytes += (chunk as Buffer).length
      text = (text + chunk).slice(-2_000)
      await fixture.clock.advance(1_000)
      if (text.includes('id: 6000\n')) break
    }
    expect(bytes).toBeGreaterThan(3_000_000)
    expect(fixture.log.lines).toEqual([])
  })

  test('drops a reader that drains nothing for 30 seconds', async () => {
    const feed = createFakeFeed()
    for (let i = 0; i < 12_000; i += 1) feed.emit()
    const fixture = await startServer({ fixture: { ports: { feed } } })
    const stuck = await startReading(fixture, '0')
    stuck.pause()
    await settle()
    await fixture.clock.advance(25_000)
    expect(fixture.log.lines).toEqual([])
    await fixture.clock.advance(10_000)
    expect(fixture.log.lines).toMatchObject([{ event: 'stream_dropped', fields: { reason: 'slow' } }])
  })
})

/** A feed of many cheap events: each announces one and the same request, with a question of full length. */
function createFakeFeed(): MakerFeed & { emit: () => number } {
  const request = { ...announced, market: { ...announced.market, question: 'q'.repeat(300) } }
  const events: MakerEvent[] = []
  const listeners = new Set<(event: MakerEvent) => void>()
  return {
    position: async () => events.length,
    since: async (id) => events.slice(id),
    onBreak: () => () => {},
    listen: (onEvent) => {
      listeners.add(onEvent)
      return () => listeners.delete(onEvent)
    },
    emit: () => {
      const event = { id: events.length + 1, kind: 'quote_request', request } as const
      events.push(event)
      for (const listener of listeners) listener(event)
      return event.id
    },
  }
}

/** A bare connection on which the stream has begun. */
async function startReading({ port }: TestServer, lastEventId: string): Promise<Socket> {
  const socket = rawSocket(port)
  const headers = `Host: x\r\nX-API-Key: key-of-ada\r\nLast-Event-ID: ${lastEventId}\r\n`
  socket.write(`GET ${PATH} HTTP/1.1\r\n${headers}\r\n`)
  await once(socket, 'readable')
  return socket
}

test('a request for an event stream never keeps the connection for another one', async () => {
  const { port } = await startServer()
  const answer = await rawExchange(port, `GET ${PATH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1\.1 401 /)
})

test('a stream that is asked for before the last answer has come is refused, and holds no connection', async () => {
  const fixture = await startServer()
  const ada = fixture.socket(`/maker/v1/ws?apiKey=${ADA['x-api-key']}`)
  await ada.next()
  const { requestId } = await fixture.open()
  await fixture.quote('ada', requestId)
  const body = JSON.stringify({ wallet: TAKER })
  const commit = `POST /quote-requests/${requestId}/commit HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`
  const stream = `GET ${PATH} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${ADA['x-api-key']}\r\nConnection: close\r\n\r\n`
  const answers = rawExchange(fixture.port, `${commit}Content-Length: ${body.length}\r\n\r\n${body}${stream}`)
  await ada.next()
  await fixture.clock.advance(10_000)
  expect((await answers).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 503', 'HTTP/1.1 400'])
})
