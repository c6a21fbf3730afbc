import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { Book } from '../../../src/relay/core/ports/book.ts'
import type { MakerEvent, MakerFeed } from '../../../src/relay/core/ports/live.ts'
import { request as announced } from '../../protocol/wire/examples.ts'
import { settle } from '../../support/fake-clock.ts'
import { ADA, BOB, openBody, SERVER_SETTINGS, startServer, type TestServer, type TestSocket } from './support.ts'

const KEY = ADA['x-api-key']
const SUBSCRIBE = { type: 'subscribe', to: 'requests' }
const UNSUBSCRIBE = { type: 'unsubscribe', from: 'requests' }
const STREAM = '/v1/mm/quote-requests/stream'

/** A feed whose events the test emits, and which it breaks. */
function createFakeFeed() {
  const log: MakerEvent[] = []
  const listeners = new Set<(event: MakerEvent) => void>()
  const breaks = new Set<() => void>()
  return {
    position: async () => log.at(-1)?.id ?? 0,
    since: async (id: number) => (id < 0 || id > log.length ? null : log.slice(id)),
    listen: (listener: (event: MakerEvent) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    onBreak: (onBreak: () => void) => {
      breaks.add(onBreak)
      return () => void breaks.delete(onBreak)
    },
    emit: (question = 'Will it?') => {
      const id = log.length + 1
      const request = { ...announced, requestId: `r${id}`, market: { ...announced.market, question } }
      const event: MakerEvent = { id, kind: 'quote_request', request }
      log.push(event)
      for (const listener of listeners) listener(event)
      return id
    },
    break: () => {
      for (const onBreak of breaks) onBreak()
    },
  } satisfies MakerFeed & Record<string, unknown>
}

const noRequests = { openRequests: async () => [], countKnown: () => 0 } as unknown as Book

async function connect(fixture: TestServer): Promise<TestSocket> {
  const socket = fixture.socket(`/maker/v1/ws?apiKey=${KEY}`)
  await socket.next()
  return socket
}

async function subscribed(fixture: TestServer): Promise<TestSocket> {
  const socket = await connect(fixture)
  socket.send(SUBSCRIBE)
  for (const event of ['connected', 'snapshot_begin', 'snapshot_complete'])
    expect(await socket.next()).toMatchObject({ type: 'requests', event })
  return socket
}

/** Waits until the server has carried out all that was sent so far. */
async function obeyed({ socket }: TestSocket): Promise<void> {
  socket.ping()
  await once(socket, 'pong')
}

const makersConnected = async (fixture: TestServer) =>
  (await fixture.call('GET', '/maker/v1/status')).body.makersConnected

describe('requests on a maker socket', () => {
  test('are the events of the stream, among the other messages (decision X6)', async () => {
    const fixture = await startServer()
    const stream = await fixture.stream(STREAM, BOB)
    for (let i = 0; i < 3; i += 1) await stream.event()
    const socket = await subscribed(fixture)
    socket.send({ type: 'ping' })
    expect(await socket.next()).toMatchObject({ type: 'pong' })
    await fixture.call('POST', '/quote-requests', { body: openBody() })
    const { id, event, data } = (await stream.next()) as Record<string, unknown>
    expect(await socket.next()).toEqual({ type: 'requests', id: Number(id), event, data })
  })

  test('for some makers reach those alone, live, in a snapshot and in a replay, by stream and by socket (protocol open-9)', async () => {
    const fixture = await startServer()
    const stream = await fixture.stream(STREAM, BOB)
    for (let i = 0; i < 3; i += 1) await stream.event()
    const socket = await subscribed(fixture)
    const open = async (more: object) =>
      (await fixture.call('POST', '/quote-requests', { body: { ...openBody(), locked: false, ...more } })).body
    const forAda = await open({ makers: ['ada'] })
    const forBob = await open({ exceptMakers: ['ada'] })
    await open({})
    expect([forAda.makersConnected, forBob.makersConnected]).toEqual([1, 1])
    const { requestId, takerSecret } = forAda as { requestId: string; takerSecret: string }
    await fixture.call('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } })
    const heard = [await socket.next(), await socket.next(), await socket.next()] as Record<string, unknown>[]
    expect(heard.map(({ id, event }) => `${event} ${Number(id) % 1_000}`)).toEqual([
      'quote_request 1',
      'quote_request 3',
      'quote_request_expired 4',
    ])
    const ofBob = [await stream.event(), await stream.event()]
    expect(ofBob.map((event) => Number(event?.id) % 1_000)).toEqual([2, 3])
    expect(JSON.stringify([heard, ofBob])).not.toMatch(/akers"?:/)
    const again = await fixture.stream(STREAM, BOB)
    const names: unknown[] = []
    for (let event = await again.event(); event?.event !== 'snapshot_complete'; event = await again.event())
      if (event?.event === 'quote_request') names.push(Number(event.id) % 1_000)
    expect(names).toEqual([2, 3])
    const replayed = await fixture.stream(STREAM, { ...BOB, 'last-event-id': `${Number(ofBob[0]?.id) - 2}` })
    const ids = [await replayed.event(), await replayed.event(), await replayed.event()].map((event) => event?.id)
    expect(ids.slice(1).map((id) => Number(id) % 1_000)).toEqual([2, 3])
  })

  test('carry any text, and any length of it', async () => {
    const feed = createFakeFeed()
    const fixture = await startServer({ fixture: { ports: { feed, book: noRequests } } })
    const socket = await subscribed(fixture)
    for (const question of ['a\u2028b"\\\n€', 'x'.repeat(70_000)]) {
      feed.emit(question)
      expect(await socket.next()).toMatchObject({ event: 'quote_request', data: { params: { market: { question } } } })
    }
  })

  test('may be asked for before the maker is connected, and come behind that', async () => {
    const fixture = await startServer()
    const socket = fixture.socket()
    await socket.opened
    socket.send(SUBSCRIBE)
    socket.send({ type: 'auth', apiKey: KEY })
    expect(await socket.next()).toMatchObject({ type: 'connected' })
    expect(await socket.next()).toMatchObject({ type: 'requests', event: 'connected', data: { makerId: 'ada' } })
  })

  test('are sent once to one that asks twice, and begin at most once a second', async () => {
    const feed = createFakeFeed()
    const fixture = await startServer({ fixture: { ports: { feed, book: noRequests } } })
    const socket = await subscribed(fixture)
    for (let i = 0; i < 50; i += 1) socket.send(SUBSCRIBE)
    await obeyed(socket)
    feed.emit()
    expect(await socket.next()).toMatchObject({ id: 1 })
    for (let i = 0; i < 50; i += 1) {
      socket.send(UNSUBSCRIBE)
      socket.send({ ...SUBSCRIBE, lastEventId: 1 })
    }
    await obeyed(socket)
    feed.emit()
    socket.send({ type: 'ping' })
    expect(await socket.next()).toMatchObject({ type: 'pong' })
    await fixture.clock.advance(1_000)
    expect([await socket.next(), await socket.next()]).toMatchObject([{ event: 'connected' }, { id: 2 }])
  })

  test('begin again for a maker that leaves and asks once more while the first is being looked up', async () => {
    const feed = createFakeFeed()
    const fixture = await startServer({ fixture: { ports: { feed, book: noRequests } } })
    const socket = await connect(fixture)
    feed.emit()
    socket.send(SUBSCRIBE)
    socket.send(UNSUBSCRIBE)
    socket.send({ ...SUBSCRIBE, lastEventId: 0 })
    await obeyed(socket)
    await fixture.clock.advance(1_000)
    expect([await socket.next(), await socket.next()]).toMatchObject([{ event: 'connected' }, { id: 1 }])
    expect(feed.emit()).toBe(2)
    expect(await socket.next()).toMatchObject({ id: 2 })
  })

  test('count their maker as a stream does, and no longer than they come (decision M3)', async () => {
    const fixture = await startServer()
    const socket = await connect(fixture)
    expect(await makersConnected(fixture)).toBe(0)
    socket.send(SUBSCRIBE)
    await socket.next()
    expect(await makersConnected(fixture)).toBe(1)
    await fixture.stream(STREAM, ADA)
    expect(await makersConnected(fixture)).toBe(1)
    const other = await subscribed(fixture)
    other.socket.terminate()
    socket.send(UNSUBSCRIBE)
    await obeyed(socket)
    expect(await fixture.ports.presence.list()).toMatchObject([{ makerId: 'ada', streams: 1 }])
  })

  test('that a maker does not read are cut with its socket, and no one else is (fault D8)', async () => {
    const feed = createFakeFeed()
    const fixture = await startServer({ fixture: { ports: { feed, book: noRequests } } })
    const [slow, well] = [await subscribed(fixture), await subscribed(fixture)]
    slow.socket.pause()
    const dropped = () => fixture.log.lines.filter(({ event }) => event === 'stream_dropped')
    for (let told = 0; dropped().length === 0 && told < 40_000; told += 500) {
      for (let i = 0; i < 500; i += 1) feed.emit()
      for (let i = 0; i < 500; i += 1) await well.next()
    }
    expect(dropped()).toHaveLength(1)
    const id = feed.emit()
    expect(await well.next()).toMatchObject({ id })
    await expect.poll(() => fixture.ports.presence.list()).toMatchObject([{ streams: 1, sockets: 1 }])
  })

  test('end when the market is lost, and go on by their id on the same socket', async () => {
    const feed = createFakeFeed()
    const fixture = await startServer({ fixture: { ports: { feed, book: noRequests } } })
    const socket = await subscribed(fixture)
    feed.emit()
    await socket.next()
    feed.break()
    const ended = (await socket.next()) as { event: string; data: { retryMs: number } }
    expect(ended).toMatchObject({ event: 'ended' })
    expect(ended.data.retryMs).toBeGreaterThanOrEqual(1_000)
    feed.emit()
    socket.send({ ...SUBSCRIBE, lastEventId: 1 })
    await obeyed(socket)
    await fixture.clock.advance(1_000)
    expect([await socket.next(), await socket.next()]).toMatchObject([{ event: 'connected' }, { id: 2 }])
  })

  test('are ended where the feed cannot be read, and the socket stays', async () => {
    const feed = { ...createFakeFeed(), position: () => Promise.reject(new Error('down')) }
    const fixture = await startServer({ fixture: { ports: { feed, book: noRequests } } })
    const socket = await connect(fixture)
    socket.send(SUBSCRIBE)
    expect(await socket.next()).toMatchObject({ type: 'requests', event: 'ended' })
    socket.send({ type: 'ping' })
    expect(await socket.next()).toMatchObject({ type: 'pong' })
    expect(fixture.log.lines).toContainEqual(expect.objectContaining({ event: 'maker_requests_failed' }))
  })

  test('are not sent to a maker whose key was refused, or that left while they were looked up', async () => {
    const feed = createFakeFeed()
    let answer = () => {}
    const position = () =>
      new Promise<number>((resolve) => {
        answer = () => resolve(0)
      })
    const fixture = await startServer({ fixture: { ports: { feed: { ...feed, position }, book: noRequests } } })
    const stranger = fixture.socket()
    await stranger.opened
    stranger.send(SUBSCRIBE)
    await obeyed(stranger)
    await fixture.clock.advance(SERVER_SETTINGS.wsAuthTimeoutMs)
    expect(await stranger.next()).toBe(4001)
    const socket = await connect(fixture)
    socket.send(SUBSCRIBE)
    await obeyed(socket)
    socket.socket.terminate()
    await expect.poll(() => fixture.ports.presence.list()).toEqual([])
    answer()
    await settle()
    expect(await fixture.ports.presence.list()).toEqual([])
  })
})
