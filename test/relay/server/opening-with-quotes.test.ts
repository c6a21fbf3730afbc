import { once } from 'node:events'
import { text as textOf } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { RELAY_SETTINGS, walletOf } from '../../support/test-relay.ts'
import { type Answer, openBody, rawSocket, startServer, type TestServer } from './support.ts'

const SSE = { accept: 'text/event-stream' }

/** Opens a request by a call that waits, and returns once it waits. */
async function startWaiting(fixture: TestServer, query: string, body: object = openBody()) {
  const timers = fixture.clock.pending()
  const known = fixture.relay.countOpen()
  const answer = fixture.call('POST', `/quote-requests?${query}`, { body })
  await expect.poll(() => fixture.relay.countOpen()).toBe(known + 1)
  // The life of the request, and the wait.
  await expect.poll(() => fixture.clock.pending()).toBe(timers + 2)
  const requestId = (await fixture.ports.book.openRequests()).at(-1)?.request.requestId as string
  return { answer, requestId }
}

const secretOf = ({ body }: Answer) => String(body.takerSecret)

/** A call that is written by hand, with how its requests follow one another on the connection. */
function written(query: string): string {
  const body = JSON.stringify(openBody())
  const head = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  return `POST /quote-requests${query} HTTP/1.1\r\n${head}\r\n${body}`
}

describe('a call that opens a request and waits for quotes (protocol open-7)', () => {
  test('is answered with the best one as soon as so many makers have quoted', async () => {
    const fixture = await startServer()
    const { answer, requestId } = await startWaiting(fixture, 'quotes=2&waitMs=1000')
    await fixture.quote('ada', requestId)
    await fixture.quote('bob', requestId, { price: usd6(110_000n) })
    const { status, body } = await answer
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      requestId,
      expiresAt: expect.any(String),
      makersConnected: 0,
      takerSecret: expect.any(String),
      seriesId: expect.any(String),
      seriesListed: true,
      bestQuote: {
        maker_id: 'bob',
        quote_id: expect.any(String),
        side: 'buy',
        price: 0.11,
        size: 1_000,
        fillContracts: 909,
        maker: walletOf('bob'),
        expires_in_ms: expect.any(Number),
      },
      bestForSize: expect.objectContaining({ maker_id: 'bob' }),
      quoteCount: 2,
      status: 'open',
      bookSeq: expect.any(Number),
      closed: false,
      confirming: false,
    })
    const polled = await fixture.call('GET', `/quote-requests/${requestId}/quotes`)
    expect(body).toMatchObject(polled.body)
  })

  test('does not count a maker twice that quotes again', async () => {
    const fixture = await startServer()
    const { answer, requestId } = await startWaiting(fixture, 'quotes=2&waitMs=1000')
    await fixture.quote('ada', requestId)
    await fixture.quote('ada', requestId, { price: usd6(110_000n) })
    await fixture.clock.advance(1_000)
    expect((await answer).body).toMatchObject({ quoteCount: 1, bestQuote: { price: 0.11 } })
  })

  test.each(['quotes=3&waitMs=700', 'waitMs=700'])(
    'by %s is answered with what there is when the time is over',
    async (query) => {
      const fixture = await startServer()
      const { answer, requestId } = await startWaiting(fixture, query)
      await fixture.quote('ada', requestId)
      let isAnswered = false
      void answer.then(() => {
        isAnswered = true
      })
      await fixture.clock.advance(699)
      expect(isAnswered).toBe(false)
      await fixture.clock.advance(1)
      expect((await answer).body).toMatchObject({ quoteCount: 1, bestQuote: { maker_id: 'ada' } })
    },
  )

  test('waits for half a minute without waitMs', async () => {
    const fixture = await startServer()
    const { answer } = await startWaiting(fixture, 'quotes=1')
    await fixture.clock.advance(30_000)
    expect((await answer).body).toMatchObject({ quoteCount: 0, bestQuote: null, status: 'open' })
  })

  test('does not wait with waitMs=0, and leaves no timer', async () => {
    const fixture = await startServer()
    const timers = fixture.clock.pending()
    const { body } = await fixture.call('POST', '/quote-requests?quotes=1&waitMs=0', { body: openBody() })
    expect(body).toMatchObject({ quoteCount: 0, bestQuote: null })
    expect(fixture.clock.pending()).toBe(timers + 1)
  })

  test.each([
    ['cancelled', (fixture: TestServer, requestId: string) => fixture.ports.book.close(requestId, 'cancelled')],
    ['expired', (fixture: TestServer) => fixture.clock.advance(1_000)],
  ])('is answered when its request is %s', async (status, end) => {
    const fixture = await startServer({ relay: { ...RELAY_SETTINGS, quoteRequestTtlMs: 1_000 } })
    const { answer, requestId } = await startWaiting(fixture, 'quotes=3&waitMs=20000')
    await end(fixture, requestId)
    expect((await answer).body).toMatchObject({
      status,
      closed: true,
      bestQuote: null,
      takerSecret: expect.any(String),
    })
  })

  test("does not show the taker its own wallet's quote", async () => {
    const fixture = await startServer()
    const body = { ...openBody(), wallet: walletOf('ada') }
    const { answer, requestId } = await startWaiting(fixture, 'quotes=1&waitMs=1000', body)
    await fixture.quote('ada', requestId)
    expect((await answer).body).toMatchObject({ quoteCount: 1, bestQuote: null })
  })

  test.each([
    'quotes=0',
    'quotes=1001',
    'quotes=-1',
    'quotes=x',
    'quotes=',
    'quotes=1&quotes=2',
    'waitMs=30001',
    'waitMs=1.5',
    'waitMs=-1',
  ])('by %s is refused before anything is opened', async (query) => {
    const fixture = await startServer()
    const { status, body } = await fixture.call('POST', `/quote-requests?${query}`, { body: openBody() })
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect(fixture.relay.countOpen()).toBe(0)
  })

  test('may be repeated with the same clientRequestId, and waits again', async () => {
    const fixture = await startServer()
    const body = { ...openBody(), clientRequestId: '1f0e8d6c-5b4a-4c3d-9e2f-7a6b5c4d3e2f' }
    const { answer, requestId } = await startWaiting(fixture, 'quotes=1&waitMs=500', body)
    await fixture.clock.advance(500)
    const first = await answer
    expect(first.body).toMatchObject({ quoteCount: 0 })
    const timers = fixture.clock.pending()
    const again = fixture.call('POST', '/quote-requests?quotes=1&waitMs=500', { body })
    await expect.poll(() => fixture.clock.pending()).toBe(timers + 1)
    await fixture.quote('ada', requestId)
    const repeated = await again
    expect(repeated.body).toMatchObject({ requestId, quoteCount: 1 })
    expect(secretOf(repeated)).toBe(secretOf(first))
    await fixture.relay.cancelRequest({ requestId, takerSecret: secretOf(first) })
    const ended = await fixture.call('POST', '/quote-requests?quotes=1&waitMs=500', { body })
    expect(ended.body).toMatchObject({ requestId, status: 'cancelled', closed: true })
  })

  test('ends with its timer when its client leaves, and its request stays open', async () => {
    const fixture = await startServer({ server: { maxStreamsPerAddress: 1 } })
    const timers = fixture.clock.pending()
    const socket = rawSocket(fixture.port)
    socket.write(written('?quotes=1&waitMs=9000'))
    await expect.poll(() => fixture.clock.pending()).toBe(timers + 2)
    socket.destroy()
    await expect.poll(() => fixture.clock.pending()).toBe(timers + 1)
    expect(fixture.relay.countOpen()).toBe(1)
    const next = await fixture.call('POST', '/quote-requests?waitMs=0', { body: openBody() })
    expect(next.status).toBe(200)
  })

  test('does not wait for a client that has left before', async () => {
    const fixture = await startServer()
    const timers = fixture.clock.pending()
    const { openRequest } = fixture.relay
    const socket = rawSocket(fixture.port)
    fixture.relay.openRequest = async (input) => {
      const opened = await openRequest(input)
      socket.destroy()
      await once(socket, 'close')
      await fixture.call('GET', '/time')
      return opened
    }
    socket.write(written('?quotes=1&waitMs=9000'))
    await expect.poll(() => fixture.relay.countOpen()).toBe(1)
    await expect.poll(() => fixture.clock.pending()).toBe(timers + 1)
  })

  test('counts as a stream of its address, and opens nothing beyond the bound', async () => {
    const fixture = await startServer({ server: { maxStreamsPerAddress: 1 } })
    const { answer, requestId } = await startWaiting(fixture, 'quotes=1')
    for (const headers of [{}, SSE]) {
      const refused = await fixture.call('POST', '/quote-requests?quotes=1', { body: openBody(), headers })
      expect([refused.status, refused.body.code]).toEqual([429, 'too_many_connections'])
    }
    expect(fixture.relay.countOpen()).toBe(1)
    await fixture.quote('ada', requestId)
    expect((await answer).status).toBe(200)
    expect((await fixture.call('POST', '/quote-requests?waitMs=0', { body: openBody() })).status).toBe(200)
  })

  test('is refused behind an answer that is still to come on its connection', async () => {
    const fixture = await startServer()
    const socket = rawSocket(fixture.port)
    socket.write(written('?waitMs=1000'))
    await expect.poll(() => fixture.relay.countOpen()).toBe(1)
    socket.write(written('?waitMs=1000').replace('Host: x', 'Host: x\r\nConnection: close'))
    await fixture.call('GET', '/time')
    await fixture.clock.advance(1_000)
    const text = await textOf(socket)
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
    expect(fixture.relay.countOpen()).toBe(1)
  })

  test('is answered with what there is when the server closes', async () => {
    const fixture = await startServer()
    const { answer, requestId } = await startWaiting(fixture, 'quotes=3')
    await fixture.quote('ada', requestId)
    const closing = fixture.server.close()
    expect(await answer).toMatchObject({
      status: 200,
      headers: { connection: 'close' },
      body: { quoteCount: 1, bestQuote: { maker_id: 'ada' }, takerSecret: expect.any(String) },
    })
    await closing
  })

  test('does not wait where the server closes while it opens', async () => {
    const fixture = await startServer()
    const { openRequest } = fixture.relay
    let closing: Promise<void> | undefined
    fixture.relay.openRequest = async (input) => {
      const opened = await openRequest(input)
      closing = fixture.server.close()
      return opened
    }
    const { status, body } = await fixture.call('POST', '/quote-requests?quotes=3', { body: openBody() })
    expect([status, body.quoteCount]).toEqual([200, 0])
    await closing
  })

  test('two hundred at once are all answered, and leave nothing behind', async () => {
    const fixture = await startServer()
    const timers = fixture.clock.pending()
    const answers = Array.from({ length: 200 }, () =>
      fixture.call('POST', '/quote-requests?quotes=1&waitMs=5000', { body: openBody() }),
    )
    await expect.poll(() => fixture.clock.pending()).toBe(timers + 400)
    const open = await fixture.ports.book.openRequests()
    for (const { request } of open.slice(0, 100)) await fixture.quote('ada', request.requestId)
    await expect.poll(() => fixture.clock.pending()).toBe(timers + 300)
    await fixture.clock.advance(5_000)
    const counts = (await Promise.all(answers)).map(({ body }) => body.quoteCount)
    expect(counts.filter((count) => count === 1)).toHaveLength(100)
    expect(counts.filter((count) => count === 0)).toHaveLength(100)
  })

  test('says its secret in the answer alone', async () => {
    const fixture = await startServer()
    const { body } = await fixture.call('POST', '/quote-requests?waitMs=0', { body: openBody() })
    expect(JSON.stringify([fixture.log.lines, fixture.auditLog], bigints)).not.toContain(body.takerSecret)
  })
})

const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

describe('a call that opens a request as a stream (protocol open-8)', () => {
  test('tells of the request first, then what its stream tells', async () => {
    const fixture = await startServer()
    const stream = await fixture.stream('/quote-requests', SSE, openBody())
    expect(stream).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } })
    const opened = await stream.event()
    expect(opened).toEqual({
      retry: expect.stringMatching(/^[123]\d{3}$/),
      event: 'opened',
      data: {
        requestId: expect.any(String),
        expiresAt: expect.any(String),
        makersConnected: 0,
        takerSecret: expect.any(String),
        seriesId: expect.any(String),
        seriesListed: true,
      },
    })
    const { requestId, takerSecret } = (opened?.data ?? {}) as { requestId: string; takerSecret: string }
    const beside = await fixture.stream(`/quote-requests/${requestId}/stream`)
    await fixture.quote('ada', requestId)
    await fixture.relay.cancelRequest({ requestId, takerSecret })
    const rest = async (of: typeof stream) => {
      const events = []
      for (let event = await of.event(); event !== null; event = await of.event()) events.push(event)
      return events.map(({ event, data }) => ({ event, data }))
    }
    const own = await rest(stream)
    expect(own.at(0)).toMatchObject({ event: 'best_quote', data: { bestQuote: null, quoteCount: 0 } })
    expect(own.at(-1)).toEqual({ event: 'closed', data: { requestId } })
    expect(own.slice(-2)).toEqual((await rest(beside)).slice(-2))
  })

  test('streams, whatever quotes and waitMs are, which are checked', async () => {
    const fixture = await startServer()
    const stream = await fixture.stream('/quote-requests?quotes=2&waitMs=500', SSE, openBody())
    expect((await stream.event())?.event).toBe('opened')
    const refused = await fixture.call('POST', '/quote-requests?quotes=0', { body: openBody(), headers: SSE })
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request'])
  })

  test.each(['*/*', 'application/json', 'text/event-stream;q=0.5, application/json', 'text/event-stream, */*'])(
    'is not what a client gets that accepts %s',
    async (accept) => {
      const fixture = await startServer()
      const answer = await fixture.call('POST', '/quote-requests', { body: openBody(), headers: { accept } })
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    },
  )

  test('ends at once where the request of a repeat has ended', async () => {
    const fixture = await startServer()
    const body = { ...openBody(), clientRequestId: '1f0e8d6c-5b4a-4c3d-9e2f-7a6b5c4d3e2f' }
    const opened = await fixture.call('POST', '/quote-requests', { body })
    const requestId = String(opened.body.requestId)
    await fixture.relay.cancelRequest({ requestId, takerSecret: secretOf(opened) })
    const stream = await fixture.stream('/quote-requests', SSE, body)
    expect((await stream.event())?.data).toMatchObject({ requestId, takerSecret: secretOf(opened) })
    expect((await stream.event())?.data).toMatchObject({ status: 'cancelled' })
    expect(await stream.event()).toEqual({ event: 'closed', data: { requestId } })
    expect(await stream.next()).toBeNull()
  })

  test('lets go of its request when its taker leaves, and leaves it open', async () => {
    const fixture = await startServer({ server: { maxStreamsPerAddress: 1 } })
    const stream = await fixture.stream('/quote-requests', SSE, openBody())
    await stream.event()
    stream.destroy()
    await expect.poll(async () => (await fixture.stream('/quote-requests', SSE, openBody())).status).toBe(200)
    expect(fixture.relay.countOpen()).toBe(2)
  })

  test('is sent away where the server closes while it opens', async () => {
    const fixture = await startServer()
    const { openRequest } = fixture.relay
    fixture.relay.openRequest = async (input) => {
      const opened = await openRequest(input)
      void fixture.server.close()
      return opened
    }
    const stream = await fixture.stream('/quote-requests', SSE, openBody())
    expect((await stream.event())?.event).toBe('opened')
    const others = []
    for (let frame = await stream.next(); frame !== null; frame = await stream.next()) others.push(frame)
    expect(others.at(-1)).toEqual({ retry: expect.stringMatching(/^[123]\d{3}$/) })
  })

  test('refuses terms in JSON', async () => {
    const fixture = await startServer()
    const refused = await fixture.call('POST', '/quote-requests', { body: {}, headers: SSE })
    expect(refused).toMatchObject({ status: 400, headers: { 'content-type': 'application/json; charset=utf-8' } })
  })

  test('is refused behind an answer that is still to come, and opens nothing', async () => {
    const fixture = await startServer()
    const socket = rawSocket(fixture.port)
    socket.write(written('?waitMs=1000'))
    await expect.poll(() => fixture.relay.countOpen()).toBe(1)
    socket.write(written('').replace('Host: x', 'Host: x\r\nConnection: close\r\nAccept: text/event-stream'))
    await fixture.call('GET', '/time')
    await fixture.clock.advance(1_000)
    expect((await textOf(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
    expect(fixture.relay.countOpen()).toBe(1)
  })
})
