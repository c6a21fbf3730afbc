import { describe, expect, test } from 'vitest'
import { type ConnectionState, TIMING } from '../../src/client/connection.ts'
import { createMakerSocket } from '../../src/client/maker-socket.ts'
import { eventually } from '../kit/eventually.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { startFakeServer } from './fake-server.ts'

async function follow({ apiKey = 'mk_live_key' }: { apiKey?: string | null } = {}) {
  const server = await startFakeServer()
  const clock = createFakeClock()
  const abort = new AbortController()
  const states: ConnectionState[] = []
  const socket = createMakerSocket({
    url: `${server.url.replace('http', 'ws')}/maker/v1/ws`,
    apiKey,
    timing: { ...TIMING, clock, random: () => 0.5 },
  })
  const messages = socket.followMessages({
    signal: abort.signal,
    onConnectionState: (state) => states.push(state),
  })
  const next = async () => (await messages.next()).value
  return { server, clock, abort, states, next, messages }
}

describe('a followed socket', () => {
  test('sends the key as its first message and never in the address, and asks for the ends of orders and what comes of the record', async () => {
    const { server, next } = await follow()
    const first = next()
    const { socket, url, messages } = await server.nextSocket()
    await eventually(() => messages.length === 3)
    expect(url).toBe('/maker/v1/ws')
    expect(messages.map((message) => JSON.parse(message))).toEqual([
      { type: 'auth', apiKey: 'mk_live_key' },
      { type: 'subscribe', to: 'orders' },
      { type: 'subscribe', to: 'standing' },
    ])
    socket.send('{"type":"connected","protocolVersion":3}')
    expect(await first).toEqual({ type: 'connected', protocolVersion: 3 })
  })

  test('sends no key where it has none', async () => {
    const { server, next } = await follow({ apiKey: null })
    const first = next()
    const { socket, messages } = await server.nextSocket()
    socket.send('{"type":"connected"}')
    await first
    const ponged = new Promise((resolve) => socket.once('pong', resolve))
    socket.ping()
    await ponged
    expect(messages.map((message) => JSON.parse(message))).toEqual([
      { type: 'subscribe', to: 'orders' },
      { type: 'subscribe', to: 'standing' },
    ])
  })

  test('passes over what is no message, and reads binary frames', async () => {
    const { server, next } = await follow()
    const first = next()
    const { socket } = await server.nextSocket()
    for (const noise of ['', 'text', '[]', 'null', '{"type":3}']) socket.send(noise)
    socket.send(Buffer.from('{"type":"pong","timestamp":1}'))
    expect(await first).toEqual({ type: 'pong', timestamp: 1 })
  })

  test('answers pings, and they keep the connection alive', async () => {
    const { server, clock, next, states } = await follow()
    void next()
    const { socket } = await server.nextSocket()
    await eventually(() => states.length === 1)
    for (let round = 0; round < 3; round += 1) {
      await clock.advance(39_000)
      const ponged = new Promise((resolve) => socket.once('pong', resolve))
      socket.ping()
      await ponged
    }
    expect(states).toEqual([{ kind: 'open' }])
  })

  test('drops a connection that is silent for 40 s and opens another', async () => {
    const { server, clock, next, states } = await follow()
    void next()
    const { socket } = await server.nextSocket()
    await eventually(() => states.length === 1)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await clock.advance(40_000)
    await closed
    expect(states.at(-1)).toMatchObject({ kind: 'lost', retryInMs: 75 })
    await clock.advance(75)
    await server.nextSocket()
  })

  test('opens another connection when the relay goes away, and authenticates again', async () => {
    const { server, clock, next, states } = await follow()
    const first = next()
    const { socket } = await server.nextSocket()
    socket.close(1001)
    await eventually(() => states.at(-1)?.kind === 'lost' && clock.pending() === 1)
    await clock.advance(75)
    const again = await server.nextSocket()
    await eventually(() => again.messages.length === 3)
    again.socket.send('{"type":"connected"}')
    expect(await first).toEqual({ type: 'connected' })
  })

  test('ends with `invalid_api_key` when the relay closes with 4001', async () => {
    const { server, clock, next } = await follow()
    const first = next().catch((error: unknown) => error)
    const { socket } = await server.nextSocket()
    socket.close(4001)
    expect(await first).toMatchObject({ name: 'RelayError', code: 'invalid_api_key', status: 401 })
    expect(clock.pending()).toBe(0)
  })

  test('ends with `maker_blocked` when that is why', async () => {
    const { server, next } = await follow()
    const first = next().catch((error: unknown) => error)
    const { socket } = await server.nextSocket()
    socket.close(4001, 'maker_blocked')
    expect(await first).toMatchObject({ name: 'RelayError', code: 'maker_blocked', status: 403 })
  })

  test('comes back while nothing listens', async () => {
    const { server, clock, next, states } = await follow()
    await server.close()
    void next().catch(() => {})
    await eventually(() => states.length === 1 && clock.pending() === 1)
    expect(states[0]).toMatchObject({ kind: 'lost', retryInMs: 75, error: { name: 'RelayUnreachableError' } })
    await clock.advance(75)
    await eventually(() => states.length === 2)
    expect(states[1]).toMatchObject({ kind: 'lost', retryInMs: 150 })
  })

  test('ends with the signal’s reason and closes the connection', async () => {
    const { server, clock, abort, next } = await follow()
    const first = next().catch((error: unknown) => error)
    const { socket } = await server.nextSocket()
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const reason = new Error('enough')
    abort.abort(reason)
    expect(await first).toBe(reason)
    await closed
    expect(clock.pending()).toBe(0)
  })

  test('yields what came before the connection was lost', async () => {
    const { server, next } = await follow()
    const first = next()
    const { socket } = await server.nextSocket()
    socket.send('{"type":"a"}')
    socket.send('{"type":"b"}')
    socket.close(1001)
    expect(await first).toEqual({ type: 'a' })
    expect(await next()).toEqual({ type: 'b' })
  })
})
