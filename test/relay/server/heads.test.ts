import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { ADA, OPEN_MODE, rawExchange, rawSocket, startServer } from './support.ts'

const STREAM = '/v1/mm/quote-requests/stream'
const EVIL = { origin: 'https://evil.example' }

describe('a request for another protocol', () => {
  test('may come any number of times on one connection without leaving anything on it', async () => {
    const { port } = await startServer()
    const warnings: string[] = []
    const hear = ({ name }: Error) => void warnings.push(name)
    process.on('warning', hear)
    const socket = rawSocket(port)
    for (let i = 0; i < 40; i += 1) {
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n')
      expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200/)
    }
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', hear)
    expect(warnings).toEqual([])
  })
})

describe('headers', () => {
  const withHeaders = (count: number, upgrade = '') => {
    const others = Array.from({ length: count - 2 - (upgrade === '' ? 0 : 1) }, (_, i) => `X-${i}: 1\r\n`).join('')
    return `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${upgrade}${others}\r\n`
  }

  test('are a hundred at most: what is beyond would be read without some of them', async () => {
    const { port } = await startServer()
    expect(await rawExchange(port, withHeaders(100))).toMatch(/^HTTP\/1\.1 200/)
    for (const count of [101, 102, 300]) {
      expect(await rawExchange(port, withHeaders(count))).toMatch(/^HTTP\/1\.1 400 [\s\S]*more than 100 headers/)
    }
    const long = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`
    expect(await rawExchange(port, long)).toMatch(/^HTTP\/1\.1 400 [\s\S]*more than 16 KiB of them/)
    const upgrade = 'Upgrade: h2c\r\n'
    expect(await rawExchange(port, withHeaders(101, upgrade).replace('close', 'Upgrade'))).toMatch(/^HTTP\/1\.1 400/)
  })
})

describe('a HEAD', () => {
  test('is answered as the GET, without its body', async () => {
    const { call, open } = await startServer()
    const { requestId } = await open()
    for (const path of ['/healthz', '/v1/series', '/metrics', `/quote-requests/${requestId}/quotes`]) {
      const [head, get] = [await call('HEAD', path), await call('GET', path)]
      expect({ path, status: head.status, text: head.text }).toEqual({ path, status: 200, text: '' })
      expect(head.headers['content-type']).toBe(get.headers['content-type'])
      expect(head.headers['access-control-allow-origin']).toBe('*')
    }
    expect((await call('HEAD', '/v1/series/1')).status).toBe(404)
  })

  test('for a stream gives its type and opens none', async () => {
    const { call, open } = await startServer({ server: { maxStreamsPerKey: 1 } })
    const { requestId } = await open()
    for (let i = 0; i < 2; i += 1) {
      const head = await call('HEAD', STREAM, { headers: ADA })
      expect(head).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' }, text: '' })
    }
    expect((await call('HEAD', `/quote-requests/${requestId}/stream`)).status).toBe(200)
    expect((await call('HEAD', '/quote-requests/unknown/stream')).status).toBe(404)
    expect((await call('HEAD', STREAM)).status).toBe(401)
  })
})

describe('other origins', () => {
  test.each(['/ops/v1/reviews', '/%6fps/v1/reviews', '/v1/%75ser/profile', '/v1/user/%6eothing', '/%zz'])(
    'are not let in to %s, however it is written',
    async (path) => {
      const { port } = await startServer()
      for (const method of ['GET', 'OPTIONS']) {
        const text = await rawExchange(port, `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
        expect(text).toMatch(/^HTTP\/1\.1 [45]/)
        expect(text).not.toMatch(/access-control-allow-origin/i)
      }
    },
  )

  test('may read when to come back, and the tag of an answer', async () => {
    const { call } = await startServer()
    expect((await call('GET', '/v1/series')).headers['access-control-expose-headers']).toBe('Retry-After, ETag')
  })

  test.each([
    ['GET', '/v1/mm/quotes'],
    ['POST', '/v1/mm/quotes'],
    ['GET', STREAM],
    ['DELETE', '/v1/mm/quotes/q'],
  ])('are refused as makers by a relay in open mode: %s %s', async (method, path) => {
    const { call } = await startServer({ relay: OPEN_MODE })
    for (const key of [{}, { 'x-api-key': 'any' }]) {
      const refused = await call(method, path, { headers: { ...EVIL, ...key } })
      expect(refused).toMatchObject({ status: 403, body: { code: 'origin_not_allowed' } })
    }
  })

  test.each([
    ['GET', '/v1/mm/quotes'],
    ['POST', '/v1/mm/quotes'],
    ['GET', '/v1/mm/executions'],
    ['GET', '/v1/mm/protections'],
    ['GET', STREAM],
    ['GET', '/maker/v1/ws'],
  ])('are known by the name that they have lead here, where they send no origin: %s %s', async (method, path) => {
    const ask = ({ port }: { port: number }, host: string) =>
      rawExchange(
        port,
        `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: key-of-ada\r\nConnection: close\r\n\r\n`,
      )
    const open = await startServer({ relay: OPEN_MODE })
    expect(await ask(open, `evil.example:${open.port}`)).toMatch(/ 403 [\s\S]*origin_not_allowed/)
    if (path !== STREAM) {
      expect(await ask(open, `localhost:${open.port}`)).not.toContain('origin_not_allowed')
      expect(await ask(await startServer(), 'relay.example')).not.toContain('origin_not_allowed')
    }
  })

  test('on this machine are makers of a relay in open mode, and any with a key elsewhere', async () => {
    const open = await startServer({ relay: OPEN_MODE })
    expect((await open.call('GET', '/v1/mm/quotes', { headers: { origin: 'http://localhost:3000' } })).status).toBe(200)
    const { call } = await startServer()
    expect((await call('GET', '/v1/mm/quotes', { headers: { ...EVIL, ...ADA } })).status).toBe(200)
    expect((await call('GET', '/v1/mm/quotes', { headers: EVIL })).status).toBe(401)
  })
})

describe('a stream', () => {
  /** All that comes of a stream until its reader has heard enough. */
  async function hear(port: number, version: string, until: string): Promise<string> {
    const socket = rawSocket(port)
    socket.write(`GET ${STREAM} HTTP/${version}\r\nHost: x\r\nX-API-Key: ${ADA['x-api-key']}\r\n\r\n`)
    let text = ''
    for await (const bytes of socket) {
      text += bytes
      if (text.includes(until)) break
    }
    return text
  }

  test('comes in chunks, the first of which says when to come back within the block of an event', async () => {
    const { port } = await startServer()
    const [head = '', body = ''] = (await hear(port, '1.1', 'snapshot_complete')).split(/\r\n\r\n/)
    expect(head).toMatch(/^HTTP\/1\.1 200[\s\S]*\r\ntransfer-encoding: chunked/i)
    expect(body).toMatch(/^[0-9a-f]+\r\nretry: [123]\d{3}\nevent: connected\ndata: /)
  })

  test('ends with the last chunk when the relay ends it, and without one when it is cut', async () => {
    const { port, server } = await startServer()
    const ending = hear(port, '1.1', 'never')
    await expect.poll(async () => (await hear(port, '1.1', 'connected')).length).toBeGreaterThan(0)
    void server.close()
    expect(await ending).toMatch(/\r\nretry: [123]\d{3}\n\r\n0\r\n\r\n$/)
  })

  test('is plain in HTTP/1.0', async () => {
    const { port } = await startServer()
    const text = await hear(port, '1.0', 'snapshot_complete')
    expect(text).not.toMatch(/transfer-encoding/i)
    expect(text).toMatch(/\r\n\r\nretry: \d+\nevent: connected\n/)
  })
})
