import { describe, expect, it } from 'vitest'
import { parseRaw, rawExchange, rawSocket, readToEnd } from '../kit/raw.ts'
import { keysOf } from './harness/keys.ts'
import { failure } from './harness/match.ts'
import { openServices } from './harness/service.ts'

const KEY = keysOf(import.meta.url)[0]?.apiKey as string

const POSTS = [
  '/quote-requests',
  '/quote-requests/00000000-0000-4000-8000-000000000000/commit',
  '/quote-requests/00000000-0000-4000-8000-000000000000/cancel',
  '/v1/mm/quotes',
  '/v1/mm/quotes/00000000-0000-4000-8000-000000000000/confirm',
  '/v1/mm/quotes/00000000-0000-4000-8000-000000000000/decline',
  '/settlement/prepare',
  '/faucet',
]

const GETS = ['/v1/markets', '/v1/series', '/v1/series/1', '/quote-requests/x/quotes', '/time', '/healthz']

const STREAMS = ['/v1/mm/quote-requests/stream', '/quote-requests/x/stream']

/** What nothing that leaves the relay may show. */
const INTERNALS = /node_modules|\bat \w+ \(|\.ts:\d|FST_|statusCode|SyntaxError|fastify/i

describe.concurrent.each(openServices(import.meta.url))('errors and envelope, $mode', (service) => {
  const post = (path: string, text: string, headers: Record<string, string> = {}) =>
    service.call('POST', path, { text, headers: { 'x-api-key': KEY, ...headers } })
  const raw = (text: string | Buffer) => rawExchange(service.ready.url, text)

  it.each(POSTS)('malformed JSON at POST %s is 400 in the envelope (fault A1)', async (path) => {
    const texts = ['{', '{"a":1}x', '\ufeff{}', 'null', '[]', '"text"', '1', '{"a":}', "{'a':1}", '['.repeat(30_000)]
    for (const text of texts) {
      const { status, body, text: received } = await post(path, text)
      expect({ sent: text.slice(0, 20), status, body }).toMatchObject({ status: 400, body: { success: false } })
      expect(['invalid_json', 'invalid_request']).toContain(body.code)
      expect(received).not.toMatch(INTERNALS)
    }
  })

  it('broken JSON has a code of its own (decision E1)', async () => {
    const { body } = await post('/quote-requests', '{"a":')
    expect(body).toMatchObject(failure('invalid_json'))
  })

  it.each(POSTS)('prototype keys are refused at POST %s (decision E2, fault A3)', async (path) => {
    const keys = ['__proto__', '\\u005f_proto__', 'constructor']
    for (const key of keys) {
      for (const text of [`{"${key}":{"prototype":{"x":1},"x":1}}`, `{"quote":{"${key}":{"prototype":{}}}}`]) {
        expect([key, (await post(path, text)).status]).toEqual([key, 400])
      }
    }
  })

  it.each(POSTS)('only JSON bodies at POST %s (decision E2, fault A13)', async (path) => {
    const types = [
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      'application/vnd.x+json',
      'application/json\ta',
      'application/json garbage',
      'application/jsonp',
    ]
    for (const type of types) {
      const { status, body } = await post(path, '{"a":1}', { 'content-type': type })
      expect({ type, status, body }).toMatchObject({ status: 415, body: failure('unsupported_media_type') })
    }
    const { status } = await post(path, '{"wallet":1}', { 'content-type': 'Application/JSON; charset=UTF-8' })
    expect(status).not.toBe(415)
  })

  it('an empty body counts as {} whatever its Content-Type (decision E2)', async () => {
    for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded']) {
      const head = `POST /quote-requests HTTP/1.1\r\nHost: relay\r\nConnection: close\r\nContent-Type: ${type}\r\n`
      const { status, body } = await raw(`${head}Content-Length: 0\r\n\r\n`)
      expect({ type, status }).toEqual({ type, status: 400 })
      expect(JSON.parse(body)).toMatchObject(failure('invalid_request'))
    }
  })

  it('a body over 64 KiB is 413, with and without Content-Length (decision E2, fault A2)', async () => {
    const fitting = JSON.stringify({ padding: 'x'.repeat(65_536 - 14) })
    expect(Buffer.byteLength(fitting)).toBe(65_536)
    expect((await post('/quote-requests', fitting)).status).toBe(400)
    const { status, body } = await post('/quote-requests', `${fitting} `)
    expect({ status, body }).toMatchObject({ status: 413, body: failure('payload_too_large') })
    const head =
      'POST /quote-requests HTTP/1.1\r\nHost: relay\r\nContent-Type: application/json\r\nConnection: close\r\n'
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    const chunked = await raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\n`)
    expect(chunked.status).toBe(413)
    expect(JSON.parse(chunked.body)).toMatchObject(failure('payload_too_large'))
    const announced = await raw(`${head}Content-Length: 2097152\r\n\r\n{`)
    expect(announced.status).toBe(413)
  })

  it('compressed bodies are not unpacked (fault A2)', async () => {
    const { status, body } = await post('/quote-requests', 'x'.repeat(100), { 'content-encoding': 'gzip' })
    expect({ status, body }).toMatchObject({ status: 415, body: failure('unsupported_media_type') })
  })

  it('an unknown address is 404 in the envelope (decision E1)', async () => {
    for (const path of ['/nothing', '/v1', '/v1/mm', '/quote-requests/x', '/quote-requests/x/commit/', '/%ff', '//']) {
      const { status, body, headers } = await service.call('GET', path)
      expect({ path, status, body }).toMatchObject({ status: 404, body: { success: false, code: 'not_found' } })
      expect(headers.get('content-type')).toMatch(/^application\/json/)
    }
  })

  it.each([...GETS, ...STREAMS, ...POSTS])('other methods of %s are 404 or 405 (fault A16)', async (path) => {
    // DELETE of quotes withdraws them.
    const other = path === '/v1/mm/quotes' ? [] : POSTS.includes(path) ? ['DELETE'] : ['POST']
    for (const method of ['PUT', 'PATCH', ...other]) {
      const { status, body } = await service.call(method, path, { headers: { 'x-api-key': KEY } })
      expect({ method, status, body }).toMatchObject({ method, body: { success: false } })
      expect([404, 405]).toContain(status)
    }
    const { status } = await raw(`TRACE ${path} HTTP/1.1\r\nHost: relay\r\nConnection: close\r\n\r\n`)
    expect([404, 405]).toContain(status)
  })

  it.each([...GETS, ...STREAMS])('HEAD of %s ends at once and starts nothing (fault A16)', async (path) => {
    const head = `HEAD ${path} HTTP/1.1\r\nHost: relay\r\nX-API-Key: ${KEY}\r\nConnection: close\r\n\r\n`
    const { status, body } = await raw(head)
    expect(body).toBe('')
    if (STREAMS.includes(path)) expect([200, 404]).toContain(status)
  })

  it.each([...GETS, ...STREAMS, ...POSTS])(
    'the preflight of %s is 204 and any origin is allowed (decision E4)',
    async (path) => {
      const { status, headers } = await service.call('OPTIONS', path, {
        headers: {
          origin: 'https://app.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,x-api-key,x-taker-secret,last-event-id',
        },
      })
      expect(status).toBe(204)
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('access-control-allow-credentials')).toBeNull()
      const allowed = headers.get('access-control-allow-headers')?.toLowerCase() ?? ''
      for (const name of ['content-type', 'x-api-key', 'x-taker-secret', 'last-event-id'])
        expect(allowed).toContain(name)
    },
  )

  it('answers, refusals and streams carry the CORS header, /ops and /v1/user do not (decision E4)', async () => {
    const origin = { origin: 'https://app.example' }
    for (const path of ['/v1/markets', '/nothing', '/quote-requests/x/quotes']) {
      const { headers } = await service.call('GET', path, { headers: origin })
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
    const { requestId } = await service.open()
    const stream = await service.stream(`/quote-requests/${requestId}/stream`, origin)
    expect(stream.headers.get('access-control-allow-origin')).toBe('*')
    for (const path of ['/ops/v1/events', '/v1/user/profile']) {
      const { headers } = await service.call('GET', path, { headers: origin })
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  it('a request that is not HTTP is 400 in the envelope (decision E1)', async () => {
    const texts = [
      'GARBAGE\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'GET /v1/markets HTTP/1.1\r\nHost: relay\r\nBad Header: x\r\n\r\n',
      'POST /faucet HTTP/1.1\r\nHost: relay\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n{}',
      'POST /faucet HTTP/1.1\r\nHost: relay\r\nContent-Length: -1\r\n\r\n{}',
    ]
    for (const text of texts) {
      const { status, body } = await raw(text)
      expect({ text, status }).toEqual({ text, status: 400 })
      expect(JSON.parse(body)).toMatchObject(failure('invalid_request'))
    }
  })

  it('headers that are too large or too many are refused in the envelope, and the relay lives on (decision E1)', async () => {
    const large = await raw(`GET /v1/markets HTTP/1.1\r\nHost: relay\r\nX-Large: ${'x'.repeat(40_000)}\r\n\r\n`)
    expect([400, 431]).toContain(large.status)
    expect(JSON.parse(large.body)).toMatchObject({ success: false })
    expect((await service.call('GET', '/v1/markets')).status).toBe(200)
  })

  it('nothing is coerced, at any address (decision E2)', async () => {
    const answers = [
      await post('/faucet', '{"wallet":["0x1111111111111111111111111111111111111111"]}'),
      await post('/settlement/prepare', '{"seriesId":10}'),
      await post('/v1/mm/quotes/x/confirm', '{"signature":1}'),
    ]
    for (const answer of answers) expect(answer).toMatchObject({ status: 400, body: failure('invalid_request') })
  })

  it('successes carry success true, failures success false and an error string (protocol message-1, message-2)', async () => {
    for (const path of ['/v1/markets', '/v1/series']) {
      expect((await service.call('GET', path)).body).toMatchObject({ success: true })
    }
    const { body } = await service.call('GET', '/v1/series/1')
    expect(body).toMatchObject({ success: false, error: expect.any(String) })
  })

  it('retryable is a boolean where it applies (decision E1)', async () => {
    const { requestId } = await service.open()
    const { body } = await service.commit(requestId, { wallet: service.wallet().address })
    expect(body).toMatchObject({ code: 'no_valid_quotes', retryable: true })
  })

  it('maker and discovery paths carry /v1, trading, settlement and faucet paths do not', async () => {
    for (const path of ['/v1/quote-requests', '/v1/settlement/prepare', '/v1/faucet', '/mm/quotes', '/markets']) {
      expect([path, (await post(path, '{}')).status]).toEqual([path, 404])
    }
  })

  it.each([
    ['headers', `GET /v1/markets HTTP/1.1\r\nHost: relay\r\nX-Slow: `],
    [
      'a body',
      'POST /faucet HTTP/1.1\r\nHost: relay\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    ],
  ])(
    '%s that never end are 408 or cut within 15 s, while others are served (decision E2, fault A17)',
    async (_what, text) => {
      const socket = rawSocket(service.ready.url)
      const answer = readToEnd(socket)
      const begun = Date.now()
      socket.write(text)
      const dripping = setInterval(() => socket.writable && socket.write('x'), 1_000)
      expect((await service.call('GET', '/v1/markets')).status).toBe(200)
      const received = await answer
      clearInterval(dripping)
      expect(Date.now() - begun).toBeLessThan(20_000)
      if (received !== '') expect(parseRaw(received)).toMatchObject({ status: 408 })
      if (received !== '') expect(JSON.parse(parseRaw(received).body)).toMatchObject(failure('request_timeout'))
    },
  )
})
