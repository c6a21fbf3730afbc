import { describe, expect, it } from 'vitest'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import type { SseBlock } from '../../kit/sse-parser.ts'
import { settle } from '../../support/fake-clock.ts'
import { ADA, openBody, rawSocket, startServer, type TestServer, type TestStream } from './support.ts'

const TOKEN = 'canary-operator-token'
const OPERATOR = { authorization: `Bearer ${TOKEN}` }

const start = (options: Parameters<typeof startServer>[0] = {}) =>
  startServer({ ...options, server: { operatorToken: TOKEN, ...options.server } })

async function openRequest({ call }: TestServer) {
  const { body } = await call('POST', '/quote-requests', { body: openBody() })
  return body as { requestId: string; takerSecret: string }
}

/** The events of a stream up to one of that name, which comes last. */
async function readUntil(stream: TestStream, name: string): Promise<SseBlock[]> {
  const frames: SseBlock[] = []
  for (let frame = await stream.event(); frame !== null; frame = await stream.event()) {
    frames.push(frame)
    if (frame.event === name) return frames
  }
  throw new Error(`the stream ended before ${name}`)
}

const namesOf = (frames: readonly SseBlock[]) => frames.map(({ event }) => event)

describe('GET /ops/v1/events', () => {
  it('is for the operator only, whatever else is configured', async () => {
    const { call, stream } = await start()
    for (const headers of [{}, ADA, { authorization: 'Bearer wrong' }, { authorization: TOKEN }]) {
      expect(await call('GET', '/ops/v1/events', { headers })).toMatchObject({
        status: 401,
        body: { success: false, code: 'operator_token_required' },
      })
    }
    expect((await call('GET', `/ops/v1/events?token=${TOKEN}`)).status).toBe(401)
    expect((await stream('/ops/v1/events', OPERATOR)).status).toBe(200)
  })

  it('is closed without a token', async () => {
    const { call } = await startServer()
    expect((await call('GET', '/ops/v1/events', { headers: OPERATOR })).status).toBe(401)
  })

  it('starts with a snapshot, the audit log before the standings', async () => {
    const fixture = await start()
    const { requestId } = await openRequest(fixture)
    await fixture.quote('ada', requestId, { price: usd6(100_000n) })
    const stream = await fixture.stream('/ops/v1/events', OPERATOR)
    expect(stream.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
    const frames = await readUntil(stream, 'snapshot_complete')
    expect(namesOf(frames)).toEqual([
      'connected',
      'snapshot_begin',
      'opened',
      'quoted',
      'request',
      'maker',
      'series',
      'series',
      'health',
      'snapshot_complete',
    ])
    const request = frames.find(({ event }) => event === 'request')?.data
    expect(request).toMatchObject({ requestId, quotes: [{ makerId: 'ada', price: 0.1 }], pending: null })
    expect(frames.at(-1)?.id).toBe(frames.find(({ event }) => event === 'quoted')?.id)
  })

  it('continues with live events, with ids, and after a break with what was missed', async () => {
    const fixture = await start()
    const stream = await fixture.stream('/ops/v1/events', OPERATOR)
    const position = (await readUntil(stream, 'snapshot_complete')).at(-1)?.id as string
    const { requestId } = await openRequest(fixture)
    await fixture.quote('ada', requestId)
    const live = await readUntil(stream, 'quoted')
    expect(namesOf(live)).toEqual(['opened', 'quoted'])
    expect(live.map(({ id }) => Number(id))).toEqual([Number(position) + 1, Number(position) + 2])
    stream.destroy()
    const again = await fixture.stream('/ops/v1/events', { ...OPERATOR, 'last-event-id': live[0]?.id as string })
    const replay = await readUntil(again, 'health')
    expect(namesOf(replay)).toEqual(['connected', 'quoted', 'maker', 'series', 'series', 'health'])
    await fixture.quote('bob', requestId)
    expect(namesOf(await readUntil(again, 'quoted'))).toEqual(['quoted'])
  })

  it('tells every operator the same, and looks at nothing once they left', async () => {
    const fixture = await start()
    const streams = [await fixture.stream('/ops/v1/events', OPERATOR), await fixture.stream('/ops/v1/events', OPERATOR)]
    for (const stream of streams) await readUntil(stream, 'snapshot_complete')
    expect(fixture.meter.vitals().connections.operator_stream).toBe(2)
    await openRequest(fixture)
    for (const stream of streams) expect(namesOf(await readUntil(stream, 'opened'))).toEqual(['opened'])
    const timers = fixture.clock.pending()
    for (const stream of streams) stream.destroy()
    while (fixture.meter.vitals().connections.operator_stream > 0) await settle()
    expect(fixture.clock.pending()).toBe(timers - 1)
  })

  it('tells once what happens while the snapshot is put together', async () => {
    const fixture = await start()
    const { presence } = fixture.ports
    const list = presence.list
    let release = () => {}
    presence.list = async () => {
      await new Promise<void>((resolve) => {
        release = resolve
      })
      return list()
    }
    const connecting = fixture.stream('/ops/v1/events', OPERATOR)
    await openRequest(fixture)
    await settle()
    presence.list = list
    release()
    const stream = await connecting
    const snapshot = await readUntil(stream, 'snapshot_complete')
    await openRequest(fixture)
    const live = await readUntil(stream, 'opened')
    expect(namesOf(snapshot).filter((name) => name === 'opened')).toHaveLength(1)
    expect(namesOf(live)).toEqual(['opened'])
    expect(Number(live[0]?.id)).toBe(Number(snapshot.at(-1)?.id) + 1)
  })

  it('drops an operator that does not read, counts it, and leaves the others alone', async () => {
    const fixture = await start()
    const reader = await fixture.stream('/ops/v1/events', OPERATOR)
    await readUntil(reader, 'snapshot_complete')
    const socket = rawSocket(fixture.port)
    socket.pause()
    socket.write(`GET /ops/v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`)
    while (fixture.meter.vitals().connections.operator_stream < 2) await settle()
    const { requestId } = await openRequest(fixture)
    for (let sent = 0; fixture.meter.vitals().droppedSlow === 0; sent += 1) {
      if (sent > 200_000) throw new Error('never dropped')
      await Promise.resolve(
        fixture.relay.submitQuote({
          makerId: 'ada',
          requestId,
          submission: {
            maker: `0x${'11'.repeat(20)}`,
            side: 'sell',
            price: usd6(1n),
            size: 1n as never,
            expiresInMs: null,
          },
        }),
      ).catch(() => {})
      if (sent % 500 === 0) await settle()
    }
    expect(fixture.log.lines).toContainEqual(expect.objectContaining({ event: 'stream_dropped' }))
    expect((await readUntil(reader, 'opened')).at(-1)?.data).toMatchObject({ requestId })
  })

  it('never shows a secret', async () => {
    const fixture = await start()
    const stream = await fixture.stream('/ops/v1/events', OPERATOR)
    const ada = await fixture.connect('ada')
    const { requestId, takerSecret } = await openRequest(fixture)
    await fixture.quote('ada', requestId)
    const commit = fixture.commit(requestId)
    await settle()
    const signature = await ada.sign()
    await ada.confirm()
    await commit
    const again = await fixture.stream('/ops/v1/events', OPERATOR)
    const frames = [...(await readUntil(stream, 'closed')), ...(await readUntil(again, 'snapshot_complete'))]
    const text = JSON.stringify(frames) + (await fixture.call('GET', '/metrics')).text
    for (const secret of [TOKEN, takerSecret, signature, ADA['x-api-key'], fixture.ports.ids.digest(takerSecret)]) {
      expect(text).not.toContain(secret)
    }
  })

  it('takes no other method', async () => {
    const { call } = await start()
    expect((await call('POST', '/ops/v1/events', { headers: OPERATOR })).status).toBe(405)
  })
})

describe('GET /ops/v1/audit/{requestId}', () => {
  it('tells the life of a request, oldest first', async () => {
    const fixture = await start()
    const { requestId } = await openRequest(fixture)
    await fixture.quote('ada', requestId)
    await settle()
    const { status, body } = await fixture.call('GET', `/ops/v1/audit/${requestId}`, { headers: OPERATOR })
    expect(status).toBe(200)
    expect(body).toMatchObject({ success: true, entries: [{ kind: 'opened', requestId }, { kind: 'quoted' }] })
  })

  it('refuses strangers, and unknown requests', async () => {
    const { call } = await start()
    expect((await call('GET', '/ops/v1/audit/x')).status).toBe(401)
    expect(await call('GET', '/ops/v1/audit/x', { headers: OPERATOR })).toMatchObject({
      status: 404,
      body: { code: 'request_not_found' },
    })
  })
})

describe('GET /readyz', () => {
  it('is 200 when store, bus and chain answer', async () => {
    const { call } = await start()
    expect(await call('GET', '/readyz')).toMatchObject({
      status: 200,
      body: { success: true, ready: true, store: 'up', bus: 'up', chain: 'up' },
    })
  })

  it('is 503 in the envelope when one does not, and recovers', async () => {
    const { call, chain, clock } = await start()
    chain.down = true
    expect(await call('GET', '/readyz')).toMatchObject({
      status: 503,
      body: {
        success: false,
        code: 'not_ready',
        retryable: true,
        store: 'up',
        chain: 'down',
        error: 'The relay is not ready. chain: The chain cannot be read.',
      },
    })
    chain.down = false
    await clock.advance(1_000)
    expect((await call('GET', '/readyz')).status).toBe(200)
  })

  it('needs no chain in simulated mode', async () => {
    const { call } = await start({ fixture: { mode: 'simulated' } })
    expect(await call('GET', '/readyz')).toMatchObject({ status: 200, body: { chain: 'off' } })
  })
})

describe('GET /metrics', () => {
  it('tells figures as plain text', async () => {
    const { call } = await start()
    const { status, headers, text } = await call('GET', '/metrics')
    expect([status, headers['content-type']]).toEqual([200, 'text/plain'])
    expect(JSON.parse(text)).toMatchObject({ up: { store: true }, openRequests: 0 })
  })

  it('counts answers by the pattern of their route, and those without one under none', async () => {
    const { call, meter } = await start()
    await call('GET', '/quote-requests/some-id/quotes')
    await call('GET', '/nowhere/some-id')
    await call('POST', '/v1/mm/quotes', { body: {} })
    expect(meter.answers).toMatchObject([
      { method: 'GET', route: '/quote-requests/:id/quotes', status: 404 },
      { method: 'GET', route: 'none', status: 404 },
      { method: 'POST', route: '/v1/mm/quotes', status: 401 },
    ])
    for (const { durationMs } of meter.answers) expect(durationMs).toBeGreaterThanOrEqual(0)
  })

  it('counts each quote of a list or of a socket by its way, and the list itself', async () => {
    const { call, meter, socket } = await start()
    const quote = {
      ref: 'a',
      requestId: 'r',
      quote: { maker: `0x${'ab'.repeat(20)}`, side: 'buy', price: 0.1, size: 1 },
    }
    await call('POST', '/v1/mm/quotes/batch', { headers: ADA, body: { quotes: [quote, {}] } })
    const { next, send } = socket('/maker/v1/ws?apiKey=key-of-ada')
    await next()
    send({ type: 'quotes', ref: 'b', quotes: [quote] })
    await next()
    expect(meter.answers).toMatchObject([
      { method: 'POST', route: 'none', status: 400 },
      { method: 'POST', route: '/v1/mm/quotes/batch quote', status: 404 },
      { method: 'POST', route: '/v1/mm/quotes/batch', status: 200 },
      { method: 'WS', route: '/maker/v1/ws quote', status: 404 },
    ])
  })
})

describe('connections', () => {
  it('are counted by channel while they live', async () => {
    const fixture = await start()
    const { requestId } = await openRequest(fixture)
    const maker = await fixture.stream('/v1/mm/quote-requests/stream', ADA)
    const taker = await fixture.stream(`/quote-requests/${requestId}/stream`)
    const socket = fixture.socket('/maker/v1/ws?apiKey=key-of-ada')
    await socket.opened
    expect(fixture.meter.vitals().connections).toMatchObject({ maker_stream: 1, taker_stream: 1, maker_socket: 1 })
    for (const client of [maker, taker, socket]) client.destroy()
    const total = () => Object.values(fixture.meter.vitals().connections).reduce((sum, count) => sum + count, 0)
    while (total() > 0) await settle()
  })
})
