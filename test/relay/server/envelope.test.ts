import { describe, expect, test } from 'vitest'
import { ADA, openBody, rawExchange, startServer } from './support.ts'

const POSTS = [
  '/quote-requests',
  '/quote-requests/x/commit',
  '/quote-requests/x/cancel',
  '/v1/mm/quotes',
  '/v1/mm/quotes/x/confirm',
  '/v1/mm/quotes/x/decline',
  '/settlement/prepare',
  '/faucet',
]

describe('every failure is in the envelope (decision E1)', () => {
  test.each(POSTS)('POST %s refuses what is no JSON object (fault A1)', async (path) => {
    const { call } = await startServer()
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
    for (const text of ['{', '{}x', '\uFEFF{}', 'null', '[]', '5', '"x"', deep]) {
      const { status, body } = await call('POST', path, { text, headers: ADA })
      expect([status, body.success, Object.keys(body)]).toEqual([400, false, expect.arrayContaining(['error', 'code'])])
      expect(body).not.toHaveProperty('statusCode')
    }
  })

  test('an unknown path is 404, a known path with another method is 405 with Allow (fault A16)', async () => {
    const { call } = await startServer()
    expect(await call('GET', '/nowhere')).toMatchObject({ status: 404, body: { success: false, code: 'not_found' } })
    expect(await call('POST', '/nowhere', { text: '{' })).toMatchObject({ status: 404 })
    const wrong = await call('PUT', '/v1/mm/quotes', { body: {} })
    expect(wrong).toMatchObject({
      status: 405,
      body: { code: 'method_not_allowed' },
      headers: { allow: 'POST, GET, HEAD, DELETE' },
    })
    expect(await call('TRACE', '/time')).toMatchObject({ status: 405 })
    expect((await call('POST', '/quote-requests/x/stream')).status).toBe(405)
  })

  test('a path that cannot be decoded, and an id beyond all length, are unknown', async () => {
    const { call } = await startServer()
    expect(await call('GET', '/v1/series/%E0%A4%A')).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await call('GET', `/v1/series/${'1'.repeat(5_000)}`)).toMatchObject({
      status: 404,
      body: { success: false },
    })
  })

  test.each([
    'application/json\ta',
    'application/json garbage',
    'application/json; charset=latin1',
    'application/jsonx',
    'application/vnd.x+json',
    'text/plain',
    'multipart/form-data; boundary=x',
  ])('a body of type %j is 415 (fault A13)', async (type) => {
    const { call } = await startServer()
    const answer = await call('POST', '/faucet', { text: '{}', headers: { 'content-type': type } })
    expect(answer).toMatchObject({ status: 415, body: { success: false, code: 'unsupported_media_type' } })
  })

  test('a body without a type, or one that is encoded, is 415', async () => {
    const { call, port } = await startServer()
    const untyped = await rawExchange(
      port,
      'POST /faucet HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}',
    )
    expect(untyped).toMatch(/^HTTP\/1\.1 415 /)
    const zipped = await call('POST', '/faucet', { text: '{}', headers: { 'content-encoding': 'gzip' } })
    expect(zipped.status).toBe(415)
  })

  test.each(['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"'])(
    'a body of type %j is taken',
    async (type) => {
      const { call } = await startServer()
      const answer = await call('POST', '/faucet', { text: '{}', headers: { 'content-type': type } })
      expect(answer.body.error).toMatch(/^wallet must be/)
    },
  )

  test('an empty body counts as {} whatever its type', async () => {
    const { call, port } = await startServer()
    expect((await call('POST', '/faucet')).body.error).toMatch(/^wallet must be/)
    for (const type of ['text/plain', 'garbage', '']) {
      const head = `POST /faucet HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${type}\r\n`
      expect(await rawExchange(port, `${head}Content-Length: 0\r\n\r\n`)).toContain('wallet must be')
      expect(await rawExchange(port, `${head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`)).toContain('wallet must be')
    }
  })

  test('a body over 64 KiB is 413, with and without a length, and the connection closes (fault A2)', async () => {
    const { call, port } = await startServer()
    const text = JSON.stringify({ wallet: 'x'.repeat(65_536) })
    const answer = await call('POST', '/faucet', { text })
    expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large' }, headers: { connection: 'close' } })
    const head =
      'POST /faucet HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
    expect(await rawExchange(port, head + chunk.repeat(5))).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('a body may come in 256 chunks; more are refused, and the connection closes', async () => {
    const { port } = await startServer()
    const head = 'POST /faucet HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n'
    const body = (pieces: number) => `${'1\r\n \r\n'.repeat(pieces - 1)}2\r\n{}\r\n0\r\n\r\n`
    expect(await rawExchange(port, `${head}Connection: close\r\n\r\n${body(256)}`)).toContain('wallet must be')
    const refused = await rawExchange(port, `${head}\r\n${body(257)}`)
    expect(refused).toMatch(/^HTTP\/1\.1 400 [\s\S]*The body comes in more than 256 chunks/)
  })

  test('chunks behind a body that is too long already are not read', async () => {
    const { port, call } = await startServer()
    const head =
      'POST /faucet HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
    const long = `${'8000\r\n'}${'x'.repeat(0x8000)}\r\n`.repeat(2)
    expect(await rawExchange(port, head + long + '1\r\n \r\n'.repeat(400))).toMatch(/^HTTP\/1\.1 413 /)
    expect((await call('GET', '/healthz')).status).toBe(200)
  })

  test('prototype keys are refused, and change nothing (fault A3)', async () => {
    const { call } = await startServer()
    for (const text of [
      '{"__proto__":{"x":1}}',
      '{"\\u005f_proto__":1}',
      '{"a":{"constructor":{"prototype":{"x":1}}}}',
    ]) {
      expect(await call('POST', '/faucet', { text })).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    }
    expect((await call('GET', '/v1/series?__proto__[a]=1')).status).toBe(200)
    expect((await call('GET', '/quote-requests/__proto__/quotes')).body.code).toBe('request_not_found')
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  test('a body that is not UTF-8 is refused', async () => {
    const { port } = await startServer()
    const head =
      'POST /faucet HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n'
    const { connect } = await import('node:net')
    const socket = connect({ port, host: '127.0.0.1' })
    socket.write(Buffer.concat([Buffer.from(`${head}{"wallet":"`), Buffer.from([0xff]), Buffer.from('"}')]))
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text).toContain('"code":"invalid_json"')
  })

  test('a message that is not HTTP at all is answered in the envelope too', async () => {
    const { port } = await startServer()
    const answer = await rawExchange(port, 'HELLO\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(JSON.parse(answer.split('\r\n\r\n')[1] as string)).toMatchObject({ success: false, code: 'invalid_request' })
  })

  test("Node's own answers are in the envelope: no Host, CONNECT", async () => {
    const { port } = await startServer()
    const hostless = await rawExchange(port, 'GET /time HTTP/1.1\r\nConnection: close\r\n\r\n')
    expect(hostless).toMatch(/^HTTP\/1\.1 400 /)
    expect(JSON.parse(hostless.split('\r\n\r\n')[1] as string)).toMatchObject({ code: 'invalid_request' })
    const tunnel = await rawExchange(port, 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n')
    expect(tunnel).toMatch(/^HTTP\/1\.1 405 /)
    expect(JSON.parse(tunnel.split('\r\n\r\n')[1] as string)).toMatchObject({ code: 'method_not_allowed' })
  })

  test('an expectation that we do not know changes nothing', async () => {
    const { port } = await startServer()
    const answer = await rawExchange(port, 'GET /time HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nConnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('a fault of our own says nothing of itself, and is logged without the query', async () => {
    const fixture = await startServer({
      fixture: { ports: { prices: { history: () => Promise.reject(new Error('secret path /var/x')) } } },
    })
    const { call, log, clock, register } = fixture
    const series = register()
    await clock.advance(3_600_000)
    const answer = await call('POST', '/settlement/prepare?apiKey=canary', { body: { seriesId: series.seriesId } })
    expect(answer).toMatchObject({ status: 500, body: { success: false, code: 'internal_error', retryable: true } })
    expect(answer.text).not.toContain('secret path')
    expect(log.lines).toContainEqual(
      expect.objectContaining({
        event: 'request_failed',
        fields: expect.objectContaining({ path: '/settlement/prepare' }),
      }),
    )
    expect(JSON.stringify(log.lines)).not.toContain('canary')
  })
})

describe('other origins (decision E4)', () => {
  test('may read every answer, failures and streams included', async () => {
    const { call, stream } = await startServer()
    expect((await call('GET', '/time')).headers['access-control-allow-origin']).toBe('*')
    expect((await call('GET', '/nowhere')).headers['access-control-allow-origin']).toBe('*')
    const maker = await stream('/v1/mm/quote-requests/stream', ADA)
    expect(maker.headers['access-control-allow-origin']).toBe('*')
  })

  test('get a 204 for a preflight, with the headers that our routes take', async () => {
    const { call } = await startServer()
    const answer = await call('OPTIONS', '/v1/mm/quotes', { headers: { 'access-control-request-method': 'POST' } })
    expect(answer).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST, PUT, DELETE',
        'access-control-allow-headers': expect.stringContaining('X-API-Key'),
      },
    })
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
  })

  test('are kept from the paths where tokens of people go', async () => {
    const { call } = await startServer()
    for (const path of ['/v1/user/profile', '/ops/v1/events']) {
      expect((await call('GET', path)).headers).not.toHaveProperty('access-control-allow-origin')
      expect((await call('OPTIONS', path)).status).not.toBe(204)
    }
  })

  test('are named one by one when the setting names them', async () => {
    const { call } = await startServer({ server: { corsOrigins: ['https://a.example'] } })
    const from = (origin: string) => call('GET', '/time', { headers: { origin } })
    expect((await from('https://a.example')).headers['access-control-allow-origin']).toBe('https://a.example')
    expect((await from('https://b.example')).headers).not.toHaveProperty('access-control-allow-origin')
    expect((await from('https://b.example')).headers.vary).toBe('Origin')
  })
})

test('numbers are never made from other types (fault A4)', async () => {
  const { call } = await startServer()
  const { body } = await call('POST', '/quote-requests', { body: openBody() })
  const quote = { maker: `0x${'1'.repeat(40)}`, side: 'buy', price: 0.1, size: 5 }
  for (const bad of [
    { price: '0.5' },
    { price: true },
    { price: [0.5] },
    { price: null },
    { size: '5' },
    { size: 5.5 },
  ]) {
    const answer = await call('POST', '/v1/mm/quotes', {
      body: { requestId: body.requestId, quote: { ...quote, ...bad } },
      headers: ADA,
    })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  }
  for (const price of ['1e999', '-0', '0', '1', '0.99999999999999999', '1e-400', '5e-324', '-0.1']) {
    const text = `{"requestId":"${body.requestId}","quote":${JSON.stringify(quote).replace('0.1', price)}}`
    expect((await call('POST', '/v1/mm/quotes', { text, headers: ADA })).status).toBe(400)
  }
})
