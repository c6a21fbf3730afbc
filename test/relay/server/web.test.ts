import { request as httpRequest, type IncomingMessage } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { rawExchange, startServer } from './support.ts'
import { SCRIPT, webPages } from './web-fixture.ts'

const ASSET = '/web/assets/index-1a2b3c4d.js'

async function get(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpRequest(url, { method, headers, agent: false }, resolve).on('error', reject).end()
  })
}

async function bytesOf(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const typeOf = ({ headers }: IncomingMessage): string => headers['content-type']?.split(';')[0] ?? ''

describe('the home of a relay', () => {
  test.each([
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['text/html', 'text/html'],
    ['text/*, application/json;q=0.9', 'text/html'],
    ['TEXT/HTML;level=1; Q=0.5', 'text/html'],
    ['*/*', 'application/json'],
    ['', 'application/json'],
    ['application/json', 'application/json'],
    ['application/json, text/html', 'application/json'],
    ['text/html;q=0.4, application/json;q=0.5', 'application/json'],
    ['text/html;q=0, */*', 'application/json'],
    ['text/html;q=2', 'application/json'],
    ['image/png', 'application/json'],
    [`${'x,'.repeat(64)}text/html`, 'application/json'],
  ])('asked for %j is %s (protocol web-2)', async (accept, type) => {
    const { url } = await startServer({ web: webPages() })
    const answer = await get(url, { accept })
    expect({ status: answer.statusCode, type: typeOf(answer) }).toEqual({ status: 200, type })
    expect(answer.headers.vary).toBe('Accept')
  })

  test('is what it was to who says nothing, and where no pages are served', async () => {
    const served = await startServer({ web: webPages() })
    expect((await served.call('GET', '/')).body).toMatchObject({ service: 'rfqctl' })
    const { call, url } = await startServer()
    const { body, headers } = await call('GET', '/', { headers: { accept: 'text/html' } })
    expect(body).toMatchObject({ service: 'rfqctl' })
    expect(headers.vary).toBeUndefined()
    for (const path of ['/desk', '/m/0x1/2', '/s/1', '/p/1', '/t/1', '/history', ASSET])
      expect((await get(`${url}${path}`)).statusCode).toBe(404)
  })

  test('tells caches of origins and of Accept', async () => {
    const { url } = await startServer({ web: webPages(), server: { corsOrigins: ['https://a.example'] } })
    expect((await get(url, { accept: 'text/html' })).headers.vary).toBe('Origin, Accept')
  })
})

describe('a page', () => {
  test('is asked for each time, at each of its addresses, under a policy that lets it run and call nothing from elsewhere (decision B3)', async () => {
    const { url } = await startServer({ web: webPages() })
    for (const path of ['/', '/m/0x11/22', '/s/33', '/p/33', '/t/44', '/history', '/desk']) {
      const answer = await get(`${url}${path}`, { accept: 'text/html' })
      expect(answer.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      })
      expect(await textOf(answer)).toContain('<title>rfqctl</title>')
    }
  })

  test('may call the relayer that the operator names, at its origin', async () => {
    const { url } = await startServer({ web: webPages({ relayerUrl: 'https://relayer.example:81/of/us?x=1' }) })
    const { headers } = await get(`${url}/desk`)
    expect(headers['content-security-policy']).toContain("connect-src 'self' https://relayer.example:81;")
  })

  test('has a HEAD', async () => {
    const { url } = await startServer({ web: webPages() })
    for (const path of ['/desk', ASSET]) {
      const [head, whole] = [await get(`${url}${path}`, {}, 'HEAD'), await get(`${url}${path}`)]
      expect(head.statusCode).toBe(200)
      expect(head.headers['content-length']).toBe(whole.headers['content-length'])
      expect(await textOf(head)).toBe('')
    }
  })

  test('is taken by GET and HEAD alone', async () => {
    const { url } = await startServer({ web: webPages() })
    const answer = await get(`${url}/desk`, {}, 'DELETE')
    expect({ status: answer.statusCode, allow: answer.headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD' })
  })
})

test('the reference page loads what its calls are tried with, where the pages are served', async () => {
  const { call } = await startServer({ web: webPages() })
  const { text, headers } = await call('GET', '/reference')
  expect(text).toContain('<script type="module" src="/web/assets/try-1a2b3c4d.js"></script>')
  expect(text).toContain('<link rel="stylesheet" href="/web/assets/try-1a2b3c4d.css">')
  expect(headers['content-security-policy']).toContain("script-src 'self'; connect-src 'self'")
})

describe('an asset', () => {
  test.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['gzip, br;q=0.5', 'gzip'],
    ['gzip;q=0, br;q=0', undefined],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['', undefined],
  ])('asked for with %j comes as %s, and is kept forever', async (accepted, encoding) => {
    const { url } = await startServer({ web: webPages() })
    const answer = await get(`${url}${ASSET}`, { 'accept-encoding': accepted })
    expect(answer.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    })
    expect(answer.headers['content-encoding']).toBe(encoding)
    const bytes = await bytesOf(answer)
    const plain = encoding === 'br' ? brotliDecompressSync(bytes) : encoding === 'gzip' ? gunzipSync(bytes) : bytes
    expect(plain.toString()).toBe(SCRIPT)
  })

  test('is one of those that were built: no path leads to another file', async () => {
    const { port, log } = await startServer({ web: webPages() })
    const paths = [
      '/web/assets/',
      '/web/assets/..',
      '/web/assets/../index.html',
      '/web/assets/%2e%2e%2findex.html',
      '/web/assets/..%5c..%5cpackage.json',
      '/web/assets/%2Fetc%2Fpasswd',
      '/web/assets//etc/passwd',
      `${ASSET}.gz`,
      `${ASSET}%00`,
      `${ASSET}/`,
      `${ASSET}/..`,
      '/web/assets/__proto__',
      '/web/assets/constructor',
      '/web/assets/%E0%A4%A',
      '/web/index.html',
      '/web/manifest.json',
      '/web/',
      '/desk/',
      '/desk/..',
      '/DESK',
      `/web/assets/${'x'.repeat(4_000)}`,
    ]
    for (const path of paths) {
      const answer = await rawExchange(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      expect({ path, status: answer.slice(0, 12) }).toEqual({ path, status: 'HTTP/1.1 404' })
    }
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([])
  })
})
