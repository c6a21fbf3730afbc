import { describe, expect, test } from 'vitest'
import { type ConnectionState, TIMING } from '../../src/client/connection.ts'
import { RelayError } from '../../src/client/errors.ts'
import { createHttp } from '../../src/client/http.ts'
import { followStream } from '../../src/client/sse.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { eventually } from '../kit/eventually.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { startFakeServer } from './fake-server.ts'

async function follow({ port }: { port?: number } = {}) {
  const server = await startFakeServer(port === undefined ? {} : { port })
  const clock = createFakeClock()
  const abort = new AbortController()
  const states: ConnectionState[] = []
  const timers = { set: 0 }
  const schedule: Clock['schedule'] = (at, run) => {
    timers.set += 1
    return clock.schedule(at, run)
  }
  const http = createHttp({ url: server.url, clock })
  const events = followStream({
    url: `${server.url}/stream`,
    open: (headers, link) => http.openStream('/stream', { headers, link }),
    signal: abort.signal,
    timing: { ...TIMING, clock: { ...clock, schedule }, random: () => 0.5 },
    onConnectionState: (state) => states.push(state),
  })
  const next = async () => (await events.next()).value
  const retries = () => states.flatMap((state) => (state.kind === 'lost' ? [state.retryInMs] : []))
  return { server, clock, timers, abort, states, events, next, retries }
}

describe('a followed stream', () => {
  test('yields events as they come', async () => {
    const { server, next } = await follow()
    const first = next()
    const stream = (await server.nextCall()).stream()
    stream.write('id: 7\nevent: quote_re')
    stream.write('quest\ndata: {"a":1}\n\n: ping\n\nevent: snapshot_complete\ndata: {}\n\n')
    expect(await first).toMatchObject({ id: '7', event: 'quote_request', data: '{"a":1}' })
    expect(await next()).toMatchObject({ event: 'snapshot_complete', data: '{}' })
  })

  test('puts characters together again that were cut into bytes', async () => {
    const bytes = new TextEncoder().encode('data: naïve – 🌧\n\n')
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      },
    })
    const timing = { ...TIMING, clock: createFakeClock() }
    const events = followStream({ url: 'test', open: async () => body, signal: undefined, timing })
    expect((await events.next()).value).toMatchObject({ data: 'naïve – 🌧' })
    await events.return(undefined as never)
  })

  test('asks with the last event id when it lost the connection, and not on the first', async () => {
    const { server, clock, next } = await follow()
    const first = next()
    const call = await server.nextCall()
    expect(call.headers['last-event-id']).toBeUndefined()
    const stream = call.stream()
    stream.write('id: 42\ndata: a\n\ndata: b without an id\n\nid: 43\ndata: half')
    await first
    await next()
    const third = next()
    stream.end()
    await eventually(() => clock.pending() === 1)
    await clock.advance(75)
    const again = await server.nextCall()
    expect(again.headers['last-event-id']).toBe('42')
    again.stream().write('id: 43\ndata: c\n\n')
    expect(await third).toMatchObject({ id: '43', data: 'c' })
  })

  test('comes back after doubling pauses while the relay is away, and starts short after a good connection', async () => {
    const { server, clock, next, states, retries } = await follow()
    const port = Number(new URL(server.url).port)
    await server.close()
    const first = next()
    for (const pause of [75, 150, 300, 600, 1_200, 1_200]) {
      await eventually(() => retries().at(-1) === pause && clock.pending() === 1)
      if (retries().length < 6) await clock.advance(pause)
    }
    const back = await startFakeServer({ port })
    await clock.advance(1_200)
    const stream = (await back.nextCall()).stream()
    stream.write('data: hello\n\n')
    expect(await first).toMatchObject({ data: 'hello' })
    expect(states.at(-1)).toEqual({ kind: 'open' })
    await clock.advance(5_000)
    void next()
    stream.end()
    await eventually(() => retries().length === 7)
    expect(retries().at(-1)).toBe(75)
  })

  test('comes back when the relay asks it to, if the relay ended the stream itself', async () => {
    const { server, next, retries } = await follow()
    void next().catch(() => {})
    const stream = (await server.nextCall()).stream()
    stream.write('retry: 2500\n\n')
    stream.end()
    await eventually(() => retries().length === 1)
    expect(retries()).toEqual([2_500])
  })

  test('comes back after a pause of its own when the relay was cut off, whatever it asked for', async () => {
    const { server, next, states, retries } = await follow()
    const first = next()
    const call = await server.nextCall()
    call.stream().write('retry: 2500\n\ndata: a\n\n')
    await first
    void next().catch(() => {})
    call.cut()
    await eventually(() => retries().length === 1)
    expect(states.at(-1)).toMatchObject({
      retryInMs: 75,
      error: { message: expect.stringContaining('was interrupted') },
    })
  })

  test('waits as long as a busy relay asks it to, within reason', async () => {
    const { server, clock, next, retries } = await follow()
    void next().catch(() => {})
    const busy = { success: false, error: 'Too many.', code: 'too_many_connections' }
    ;(await server.nextCall()).answer(429, busy, { 'retry-after': '4' })
    await eventually(() => retries().length === 1 && clock.pending() === 1)
    await clock.advance(4_000)
    ;(await server.nextCall()).answer(503, busy, { 'retry-after': '86400' })
    await eventually(() => retries().length === 2)
    expect(retries()).toEqual([4_000, 30_000])
  })

  test('drops a connection on which no byte came for 40 s; a comment is a byte', async () => {
    const { server, clock, timers, next, states } = await follow()
    void next()
    const stream = (await server.nextCall()).stream()
    await eventually(() => timers.set === 1)
    await clock.advance(39_000)
    stream.write(': ping\n\n')
    await eventually(() => timers.set === 2)
    await clock.advance(39_000)
    expect(states).toEqual([{ kind: 'open' }])
    await clock.advance(1_000)
    await stream.closed
    expect(states.at(-1)).toMatchObject({
      kind: 'lost',
      error: { message: expect.stringContaining('no byte for 40000 ms') },
    })
  })

  test('tries again when the relay is busy or failing, and ends with a final refusal', async () => {
    const { server, clock, next, retries } = await follow()
    const first = next().catch((error: unknown) => error)
    ;(await server.nextCall()).answer(503, { success: false, error: 'Too many.', code: 'too_many_connections' })
    await eventually(() => retries().length === 1 && clock.pending() === 1)
    await clock.advance(75)
    ;(await server.nextCall()).answer(401, { success: false, error: 'Revoked.', code: 'invalid_api_key' })
    const error = await first
    expect(error).toBeInstanceOf(RelayError)
    expect(error).toMatchObject({ code: 'invalid_api_key', status: 401 })
    expect(clock.pending()).toBe(0)
  })

  test('ends when what answers is no event stream', async () => {
    const { server, next } = await follow()
    const first = next().catch((error: unknown) => error)
    ;(await server.nextCall()).answer(200, { success: true })
    expect(await first).toMatchObject({ code: 'unexpected_answer' })
  })

  test('ends with the signal’s reason while it reads, and closes the connection', async () => {
    const { server, clock, abort, next, states, retries } = await follow()
    const first = next().catch((error: unknown) => error)
    const stream = (await server.nextCall()).stream()
    await eventually(() => states.length === 1 && clock.pending() === 1)
    const reason = new Error('enough')
    abort.abort(reason)
    expect(await first).toBe(reason)
    await stream.closed
    expect(retries()).toEqual([])
    expect(clock.pending()).toBe(0)
  })

  test('ends with the signal’s reason, and lets go of the body, where fetch does not hear the signal any more', async () => {
    let letGo = () => {}
    const cancelled = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const body = new ReadableStream<Uint8Array>({ cancel: () => letGo() })
    const clock = createFakeClock()
    const abort = new AbortController()
    const timing = { ...TIMING, clock }
    const events = followStream({ url: 'test', open: async () => body, signal: abort.signal, timing })
    const first = events.next().catch((error: unknown) => error)
    await eventually(() => clock.pending() === 1)
    const reason = new Error('enough')
    abort.abort(reason)
    expect(await first).toBe(reason)
    await cancelled
    expect(clock.pending()).toBe(0)
  })

  test('ends with the signal’s reason while it waits to try again', async () => {
    const { server, clock, abort, next, retries } = await follow()
    await server.close()
    const first = next().catch((error: unknown) => error)
    await eventually(() => retries().length === 1)
    abort.abort(new Error('enough'))
    expect(await first).toMatchObject({ message: 'enough' })
    expect(clock.pending()).toBe(0)
  })

  test('closes its connection when the reader has had enough', async () => {
    const { server, clock, next, events } = await follow()
    const first = next()
    const stream = (await server.nextCall()).stream()
    stream.write('data: a\n\n')
    await first
    await events.return(undefined as never)
    await stream.closed
    expect(clock.pending()).toBe(0)
  })
})
