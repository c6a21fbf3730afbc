import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import type { Bus } from '../../../src/relay/core/ports/live.ts'
import { settle } from '../../support/fake-clock.ts'
import { fakeIdentity } from '../../support/fake-identity.ts'
import { CALL_BUY, START_MS } from '../../support/test-relay.ts'
import {
  holdLibraryTimers,
  rawSocket,
  startServer,
  type TestServer,
  type TestSocket,
  type TestStream,
} from './support.ts'

const STREAM = '/v1/mm/quote-requests/stream'

/** What a stream announces in bulk. */
const ANNOUNCED = {
  ...CALL_BUY,
  requestId: 'bulk',
  seriesId: '7',
  createdAt: START_MS,
  expiresAt: START_MS + 300_000,
  locked: false,
  takerSecretDigest: 'digest',
}

const start = (ports: NonNullable<Parameters<typeof startServer>[0]>['fixture'] = {}) =>
  startServer({ fixture: { ...ports, ports: { identity: fakeIdentity, ...ports.ports } } })

/** A second node on the same store, live market and clock; `bus`: one that loses what it should carry. */
const secondNode = ({ ports }: TestServer, bus?: Partial<Bus>) =>
  start({ ports: { ...ports, bus: { ...ports.bus, ...bus } } })

async function aKey({ relay }: TestServer) {
  const user = await relay.authenticateUser('token-of-ada')
  const { secret, apiKey } = await relay.createApiKey({ user, name: '' })
  return { user, secret, keyId: apiKey.keyId }
}

async function revoke({ call }: TestServer, keyId: string) {
  const headers = { authorization: 'Bearer token-of-ada' }
  expect((await call('DELETE', `/v1/user/api-keys/${keyId}`, { headers })).status).toBe(200)
}

async function openStream(node: TestServer, key: string): Promise<TestStream> {
  const stream = await node.stream(STREAM, { 'x-api-key': key })
  let frame = await stream.event()
  while (frame?.event !== 'snapshot_complete') frame = await stream.event()
  return stream
}

async function openSocket(node: TestServer, key: string): Promise<TestSocket> {
  const socket = node.socket(`/maker/v1/ws?apiKey=${key}`)
  expect(await socket.next()).toMatchObject({ type: 'connected' })
  return socket
}

/** Reads a stream until it is over; one that is cut off ends with a fault. */
async function expectOver(stream: TestStream) {
  for (let frame = await stream.next().catch(() => null); frame !== null; )
    frame = await stream.next().catch(() => null)
}

const restStatus = async ({ call }: TestServer, key: string) =>
  (await call('GET', '/v1/mm/quotes', { headers: { 'x-api-key': key } })).status

/** Whether a stream and a socket still carry what is sent. */
async function expectAlive(node: TestServer, stream: TestStream, socket: TestSocket) {
  const { requestId } = await node.open()
  expect(await stream.event()).toMatchObject({ event: 'quote_request', data: { requestId } })
  socket.send({ type: 'ping' })
  expect(await socket.next()).toMatchObject({ type: 'pong' })
}

describe('a revoked key', () => {
  it('is 401 on the next call, and its streams and sockets on both nodes are closed; others are not (fault B6)', async () => {
    const first = await start()
    const second = await secondNode(first)
    const key = await aKey(first)
    const other = await aKey(first)
    const streams = [
      await openStream(first, key.secret),
      await openStream(first, key.secret),
      await openStream(second, key.secret),
    ]
    const sockets = [await openSocket(first, key.secret), await openSocket(second, key.secret)]
    const kept = [await openStream(first, other.secret), await openStream(second, other.secret)] as const
    const keptSockets = [await openSocket(first, other.secret), await openSocket(second, other.secret)] as const
    await revoke(first, key.keyId)
    expect(await Promise.all([first, second].map((node) => restStatus(node, key.secret)))).toEqual([401, 401])
    expect(await Promise.all(sockets.map((socket) => socket.next()))).toEqual([4001, 4001])
    await Promise.all(streams.map(expectOver))
    expect(await Promise.all([first, second].map((node) => restStatus(node, other.secret)))).toEqual([200, 200])
    const { requestId } = await first.open()
    for (const stream of kept) expect((await stream.event())?.data).toMatchObject({ requestId })
    for (const socket of keptSockets) {
      socket.send({ type: 'ping' })
      expect(await socket.next()).toMatchObject({ type: 'pong' })
    }
    expect(await first.ports.presence.list()).toEqual([{ makerId: key.user.makerId, streams: 2, sockets: 2 }])
    expect((await first.call('GET', STREAM, { headers: { 'x-api-key': key.secret } })).status).toBe(401)
    const late = second.socket(`/maker/v1/ws?apiKey=${key.secret}`)
    expect(await late.next()).toBe(4001)
  })

  it('closes connections within 30 s where the message was lost (fault B7)', async () => {
    const first = await start()
    const second = await secondNode(first, { subscribe: () => () => {} })
    await second.relay.start()
    const key = await aKey(first)
    const other = await aKey(first)
    const [stream, socket] = [await openStream(second, key.secret), await openSocket(second, key.secret)]
    const [kept, keptSocket] = [await openStream(second, other.secret), await openSocket(second, other.secret)]
    await revoke(first, key.keyId)
    await settle()
    await expectAlive(second, kept, keptSocket)
    await first.clock.advance(30_000)
    expect(await socket.next()).toBe(4001)
    await expectOver(stream)
    await expectAlive(second, kept, keptSocket)
    expect(await restStatus(second, key.secret)).toBe(401)
    second.relay.stop()
  })

  it('is cut off after a second when its maker does not answer the close', async () => {
    const fixture = await start()
    const key = await aKey(fixture)
    const { socket } = await openSocket(fixture, key.secret)
    socket.pause()
    holdLibraryTimers()
    await revoke(fixture, key.keyId)
    expect(await fixture.ports.presence.hasSocket(key.user.makerId)).toBe(false)
    const connected = () => fixture.meter.vitals().connections.maker_socket
    await fixture.clock.advance(999)
    expect(connected()).toBe(1)
    await fixture.clock.advance(1)
    await expect.poll(connected).toBe(0)
    socket.resume()
  })

  it('cuts off a reader that has megabytes unread', async () => {
    const { ports } = await start()
    const request = { ...ANNOUNCED, market: { ...ANNOUNCED.market, question: 'q'.repeat(300) } }
    const events = Array.from({ length: 12_000 }, (_, i) => ({ id: i + 1, kind: 'quote_request', request }) as const)
    const feed = {
      position: async () => events.length,
      since: async () => events,
      listen: () => () => {},
      onBreak: () => () => {},
    }
    const fixture = await start({ ports: { ...ports, feed } })
    const key = await aKey(fixture)
    const reader = rawSocket(fixture.port)
    reader.write(`GET ${STREAM} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key.secret}\r\nLast-Event-ID: 0\r\n\r\n`)
    await once(reader, 'readable')
    reader.pause()
    await revoke(fixture, key.keyId)
    await expect.poll(() => fixture.meter.vitals().connections.maker_stream).toBe(0)
  })

  it('gives the places of its connections back', async () => {
    const fixture = await start()
    const key = await aKey(fixture)
    await openStream(fixture, key.secret)
    await openSocket(fixture, key.secret)
    await revoke(fixture, key.keyId)
    await expect.poll(() => fixture.meter.vitals().connections).toMatchObject({ maker_stream: 0, maker_socket: 0 })
    expect(await fixture.ports.presence.list()).toEqual([])
  })

  it('while its maker is asked to sign: confirm is 401, the next maker is asked at once, one commit gets its order (fault B8)', async () => {
    const fixture = await start()
    const key = await aKey(fixture)
    const socket = await openSocket(fixture, key.secret)
    const bob = await fixture.connect('bob')
    const { requestId } = await fixture.open()
    const quoteId = await fixture.quote(key.user.makerId, requestId, { price: usd6(100_000n) })
    await fixture.quote('bob', requestId)
    const commit = fixture.commit(requestId)
    expect(await socket.next()).toMatchObject({ type: 'quote:accepted', quoteId })
    await revoke(fixture, key.keyId)
    expect(await socket.next()).toBe(4001)
    const confirmed = await fixture.call('POST', `/v1/mm/quotes/${quoteId}/confirm`, {
      headers: { 'x-api-key': key.secret },
      body: { signature: `0x${'11'.repeat(65)}` },
    })
    expect(confirmed).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } })
    await settle()
    await bob.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('bob')
  })
})
