import { describe, expect, test } from 'vitest'
import { TAKER } from '../../support/test-relay.ts'
import { ADA, rawSocket, startServer, type TestServer } from './support.ts'

/** A commit that waits for a maker, and the maker's hand. */
async function startCommit(fixture: TestServer) {
  const maker = await fixture.connect('ada')
  const { requestId } = await fixture.open()
  await fixture.quote('ada', requestId)
  const committing = fixture.call('POST', `/quote-requests/${requestId}/commit`, { body: { wallet: TAKER } })
  await expect.poll(() => maker.accepted().length).toBe(1)
  return { maker, committing }
}

describe('a server that closes', () => {
  test('ends its streams with a retry and its sockets with 1001', async () => {
    const fixture = await startServer()
    const { requestId } = await fixture.open()
    const maker = await fixture.stream('/v1/mm/quote-requests/stream', ADA)
    const taker = await fixture.stream(`/quote-requests/${requestId}/stream`)
    const socket = fixture.socket(`/maker/v1/ws?apiKey=${ADA['x-api-key']}`)
    await socket.next()
    const closing = fixture.server.close()
    for (const stream of [maker, taker]) {
      const frames = []
      for (let frame = await stream.next(); frame !== null; frame = await stream.next()) frames.push(frame)
      expect(frames.at(-1)).toEqual({ retry: expect.stringMatching(/^[123]\d{3}$/) })
    }
    expect(await socket.next()).toBe(1001)
    await closing
  })

  test('lets a running commit finish', async () => {
    const fixture = await startServer()
    const { maker, committing } = await startCommit(fixture)
    const closing = fixture.server.close()
    await maker.confirm()
    expect(await committing).toMatchObject({ status: 200, headers: { connection: 'close' } })
    await closing
  })

  test('stays open for the makers of running commits, and announces to all others that it closes', async () => {
    const fixture = await startServer()
    const { maker, committing } = await startCommit(fixture)
    const closing = fixture.server.close()
    expect(await fixture.call('GET', '/readyz')).toMatchObject({
      status: 503,
      headers: { connection: 'close' },
      body: { code: 'shutting_down', retryable: true },
    })
    const quoteId = maker.accepted().at(-1)?.quoteId
    const confirmed = await fixture.call('POST', `/v1/mm/quotes/${quoteId}/confirm`, {
      headers: ADA,
      body: { signature: await maker.sign() },
    })
    expect(confirmed.status).toBe(200)
    expect((await committing).status).toBe(200)
    await closing
    await expect(fixture.call('GET', '/readyz')).rejects.toThrow('ECONNREFUSED')
  })

  test('lets a maker decline meanwhile', async () => {
    const fixture = await startServer()
    const { maker, committing } = await startCommit(fixture)
    const closing = fixture.server.close()
    const quoteId = maker.accepted().at(-1)?.quoteId
    const declined = await fixture.call('POST', `/v1/mm/quotes/${quoteId}/decline`, { headers: ADA })
    expect(declined.status).toBe(200)
    expect(await committing).toMatchObject({ status: 503, body: { code: 'no_maker_confirmed' } })
    await closing
  })

  test('closes a connection that would have been kept once its answer is sent', async () => {
    const fixture = await startServer()
    const maker = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const body = JSON.stringify({ wallet: TAKER })
    const head = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`
    const socket = rawSocket(fixture.port)
    socket.write(`POST /quote-requests/${requestId}/commit HTTP/1.1\r\n${head}\r\n${body}`)
    await expect.poll(() => maker.accepted().length).toBe(1)
    const closing = fixture.server.close()
    await maker.confirm()
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(text).toMatch(/connection: close/i)
    await closing
  })

  test('answers 503 to a commit that takes too long; the trade itself proceeds', async () => {
    const fixture = await startServer({ relay: { makerConfirmationMs: 60_000 } })
    const { maker, committing } = await startCommit(fixture)
    const closing = fixture.server.close()
    await fixture.clock.advance(15_000)
    expect(await committing).toMatchObject({ status: 503, body: { code: 'shutting_down', retryable: true } })
    await maker.confirm()
    expect(maker.messages.at(-1)).toMatchObject({ kind: 'confirmed' })
    await closing
  })

  test('does not wait for connections on which nothing was ever asked', async () => {
    const fixture = await startServer()
    const socket = rawSocket(fixture.port)
    await fixture.call('GET', '/time')
    const hungUp = new Promise((resolve) => socket.once('close', resolve))
    await fixture.server.close()
    await hungUp
  })

  test('refuses a request that comes after that with 503, and closes its connection', async () => {
    const fixture = await startServer()
    const socket = rawSocket(fixture.port)
    socket.write('GET /time HTTP/1.1\r\nHost: x\r\n')
    await fixture.call('GET', '/time')
    const closing = fixture.server.close()
    socket.write('\r\n')
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text).toMatch(/^HTTP\/1\.1 503 /)
    expect(text).toMatch(/connection: close/i)
    expect(text).toContain('"code":"shutting_down"')
    await closing
  })

  test('does not wait for readers that never leave', async () => {
    const fixture = await startServer()
    const stuck = rawSocket(fixture.port)
    stuck.write('POST /faucet HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{')
    await fixture.call('GET', '/time')
    const closing = fixture.server.close()
    await fixture.clock.advance(16_000)
    await closing
  })

  test('may be closed twice', async () => {
    const { server } = await startServer()
    await Promise.all([server.close(), server.close()])
  })
})

test('a server says where it listens', async () => {
  const fixture = await startServer()
  expect(fixture.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(fixture.wsUrl).toBe(fixture.url.replace('http', 'ws'))
})
