import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { Attack } from '../lab/attack.ts'
import { flood } from '../lab/flood.ts'
import { only } from '../lab/steps.ts'
import type { Stranger } from '../lab/stranger.ts'

const BODY = '{"wallet":"0x0000000000000000000000000000000000000001"}'

/** The head of a request without its last empty line. */
const head = (line: string, ...fields: string[]): string => [line, 'Host: relay', ...fields, ''].join('\r\n')

/** What an answer to bytes that are no good request may be; 0: the connection was closed without one. */
const REFUSED = [0, 400, 404, 405, 408, 413, 414, 415, 417, 426, 429, 431, 501, 505]

/** Requests of a shape that two readers may read in two ways. A second request is hidden in each: nobody may answer it. */
const SMUGGLED = 'GET /v1/markets HTTP/1.1\r\nHost: relay\r\n\r\n'
const SHAPES: Readonly<Record<string, string>> = {
  'a length and chunks at once': `${head('POST /faucet HTTP/1.1', 'Content-Length: 4', 'Transfer-Encoding: chunked')}\r\n0\r\n\r\n${SMUGGLED}`,
  'chunks twice': `${head('POST /faucet HTTP/1.1', 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity')}\r\n0\r\n\r\n${SMUGGLED}`,
  'chunks with a tab in the name': `${head('POST /faucet HTTP/1.1', 'Transfer-Encoding:\tchunked', 'Content-Length: 6')}\r\n0\r\n\r\n${SMUGGLED}`,
  'chunks that are not the last coding': `${head('POST /faucet HTTP/1.1', 'Transfer-Encoding: chunked, gzip')}\r\n0\r\n\r\n${SMUGGLED}`,
  'two lengths': `${head('POST /faucet HTTP/1.1', 'Content-Length: 0', 'Content-Length: 44')}\r\n${SMUGGLED}`,
  'a list of lengths': `${head('POST /faucet HTTP/1.1', 'Content-Length: 0, 44')}\r\n${SMUGGLED}`,
  'a length with a sign': `${head('POST /faucet HTTP/1.1', 'Content-Length: +0')}\r\n${SMUGGLED}`,
  'a length in hex': `${head('POST /faucet HTTP/1.1', 'Content-Length: 0x0')}\r\n${SMUGGLED}`,
  'a length of twenty digits': `${head('POST /faucet HTTP/1.1', 'Content-Length: 99999999999999999999')}\r\n${SMUGGLED}`,
  'a header that goes on in the next line': `${head('POST /faucet HTTP/1.1', 'Content-Length:', ' 0')}\r\n${SMUGGLED}`,
  'a blank before the colon': `${head('POST /faucet HTTP/1.1', 'Content-Length : 0')}\r\n${SMUGGLED}`,
  'lines that end without a return': `POST /faucet HTTP/1.1\nHost: relay\nContent-Length: 0\n\n${SMUGGLED}`,
  'a lone return in a header': `${head('POST /faucet HTTP/1.1', 'X-A: b\rContent-Length: 0')}\r\n${SMUGGLED}`,
  'a zero byte in a header': `${head('POST /faucet HTTP/1.1', 'X-A: b\0c', 'Content-Length: 0')}\r\n${SMUGGLED}`,
  'a chunk of a negative size': `${head('POST /faucet HTTP/1.1', 'Transfer-Encoding: chunked')}\r\n-1\r\n\r\n${SMUGGLED}`,
  'a chunk of a size beyond counting': `${head('POST /faucet HTTP/1.1', 'Transfer-Encoding: chunked')}\r\nfffffffffffffffff\r\n${SMUGGLED}`,
  'no version': `GET /healthz\r\n\r\n${SMUGGLED}`,
  'version 2 as text': `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${SMUGGLED}`,
  'a second blank line of headers': `GET /nothing HTTP/1.1\r\n\r\nHost: relay\r\n\r\n`,
}

export const httpAttacks: readonly Attack[] = [
  ...Object.entries(SHAPES).map(
    ([shape, bytes]): Attack => ({
      holds: `a request with ${shape} hides no second one`,
      isQuick: true,
      run: async (target) => {
        const { status, body } = await target.stranger().raw(bytes)
        only(status, REFUSED)
        assert(!body.includes('"markets"'), 'the hidden request was answered')
      },
    }),
  ),
  {
    holds: 'a request of more headers than are read is refused, so that the last of them are not lost unseen',
    isQuick: true,
    known: true,
    run: async (target) => {
      const fields = ['Connection: close', ...Array.from({ length: 100 }, (_, n) => `X-H${n}: 1`)]
      const { status } = await target.stranger().raw(`${head('GET /healthz HTTP/1.1', ...fields)}\r\n`)
      only(status, [400, 431])
    },
  },
  {
    holds: 'headers that never end are cut off',
    run: async (target) => {
      const stranger = target.stranger()
      const { status } = await stranger.raw(
        `${head('GET /healthz HTTP/1.1', `X-A: ${'a'.repeat(200_000)}`)}\r\n`,
        5_000,
      )
      only(status, [0, 400, 431])
      const names = await stranger.raw(head('GET / HTTP/1.1', ...Array(20_000).fill('a: b')), 5_000)
      only(names.status, [0, 400, 431])
    },
  },
  {
    holds: 'a path without end is refused',
    run: async (target) => {
      const { status } = await target.stranger().raw(`${head(`GET /${'a/'.repeat(30_000)} HTTP/1.1`)}\r\n`, 5_000)
      only(status, [0, 400, 404, 414, 431])
    },
  },
  {
    holds: 'chunk extensions of megabytes are cut off',
    run: async (target) => {
      const extension = `1;${'e'.repeat(2_000_000)}\r\n{\r\n0\r\n\r\n`
      const fields = ['Content-Type: application/json', 'Transfer-Encoding: chunked', 'Connection: close']
      const before = target.residentMiB()
      const { status } = await target
        .stranger()
        .raw(`${head('POST /faucet HTTP/1.1', ...fields)}\r\n${extension}`, 10_000)
      only(status, REFUSED)
      assert(target.residentMiB() - before < 64)
    },
  },
  {
    holds: 'a body of one-byte chunks costs no more than its length',
    run: async (target) => {
      const chunks = `${'1\r\n \r\n'.repeat(66_000)}0\r\n\r\n`
      const fields = ['Content-Type: application/json', 'Transfer-Encoding: chunked', 'Connection: close']
      const { status } = await target.stranger().raw(`${head('POST /faucet HTTP/1.1', ...fields)}\r\n${chunks}`, 10_000)
      only(status, [0, 400, 413, 429])
    },
  },
  {
    holds: 'ten thousand pipelined requests whose answers nobody reads are not worked off without end',
    run: async (target) => {
      const stranger = target.stranger()
      const socket = stranger.socket()
      socket.pause()
      socket.write(`${head('GET /openapi.json HTTP/1.1')}\r\n`.repeat(10_000))
      const before = target.residentMiB()
      await wait(3_000)
      const grown = target.residentMiB() - before
      socket.destroy()
      assert(grown < 120, `${Math.round(grown)} MiB for one connection`)
    },
  },
  {
    holds: 'pages of other origins are let in to private addresses in no spelling of them',
    isQuick: true,
    known: true,
    run: async (target) => {
      const stranger = target.stranger()
      const paths = [
        '/ops/v1/reviews',
        '/%6fps/v1/reviews',
        '/o%70s/v1/reviews',
        '/v1/user/profile',
        '/v1/%75ser/profile',
      ]
      paths.push('/ops/v1/%72eviews', '/%6F%70%73/v1/nothing', '/v1/%75%73%65%72/nothing')
      for (const path of paths)
        for (const method of ['OPTIONS', 'GET']) {
          const headers = { origin: 'https://evil.example', 'access-control-request-method': 'GET' }
          const reply = await stranger.ask(method, path, { headers })
          assert.equal(reply.headers['access-control-allow-origin'], undefined, `${method} ${path}`)
        }
    },
  },
  {
    holds: 'upgrades to a protocol that nobody speaks leave nothing on the connection',
    known: true,
    run: async (target) => {
      const socket = target.stranger().socket()
      let answers = 0
      socket.on('data', (chunk: Buffer) => (answers += chunk.toString().split('HTTP/1.1 200').length - 1))
      for (let n = 0; n < 200; n += 1) {
        const expected = answers + 1
        socket.write(
          `${head('GET /healthz HTTP/1.1', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AA')}\r\n`,
        )
        for (let turn = 0; answers < expected && !socket.destroyed && turn < 200; turn += 1) await wait(5)
        if (socket.destroyed) return
      }
      socket.destroy()
    },
  },
  {
    holds: 'HEAD, OPTIONS, TRACE, CONNECT and made-up methods, thousands of them, are answered and forgotten',
    run: async (target) => {
      const methods = ['HEAD', 'OPTIONS', 'TRACE', 'PUT', 'PATCH', 'PROPFIND', 'DELETE', 'SEARCH']
      const paths = ['/', '/v1/markets', '/quote-requests', '/v1/mm/quotes', '/ops/v1/events', '/nothing']
      const stranger = target.stranger()
      const { statuses } = await flood(2_400, 24, (n) =>
        stranger.ask(methods[n % 8] as string, paths[Math.floor(n / 8) % 6] as string),
      )
      only(statuses, [200, 204, 400, 401, 404, 405, 429, 501])
      const { status } = await stranger.raw(`CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n`, 3_000)
      only(status, REFUSED)
    },
  },
  {
    holds: 'paths with dots, slashes, zeros and double escapes reach nothing but what they name',
    isQuick: true,
    run: async (target) => {
      const stranger = target.stranger()
      for (const path of [
        '/../../etc/passwd',
        '/%2e%2e/%2e%2e/etc/passwd',
        '/v1/..%2fops/v1/reviews',
        '/v1/series/%00',
        '/v1/series/%ff%fe',
        '/v1/series/..%2f..%2f',
        '//ops/v1/reviews',
        '/ops//v1/reviews',
        '/ops/v1/reviews/',
        '/OPS/v1/reviews',
        '/quote-requests/%',
        '/quote-requests/%zz/quotes',
        '/quote-requests/__proto__/quotes',
        '/quote-requests/constructor/quotes',
        '/v1/series/1e3',
        `/v1/series/${'9'.repeat(5_000)}`,
        '/v1/series/-1',
        '/v1/series/0x',
      ]) {
        const { status } = await stranger.raw(`${head(`GET ${path} HTTP/1.1`, 'Connection: close')}\r\n`)
        only(status, [0, 400, 401, 404, 414, 429, 431])
      }
    },
  },
  {
    holds: 'absolute, foreign and missing hosts are no way around anything',
    isQuick: true,
    run: async (target) => {
      const stranger = target.stranger()
      for (const bytes of [
        'GET http://evil.example/ops/v1/reviews HTTP/1.1\r\nHost: relay\r\nConnection: close\r\n\r\n',
        'GET /ops/v1/reviews HTTP/1.1\r\nConnection: close\r\n\r\n',
        'GET /ops/v1/reviews HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n',
        'GET /ops/v1/reviews HTTP/1.0\r\n\r\n',
        'GET /ops/v1/reviews HTTP/1.1\r\nHost: relay\r\nX-Original-URL: /healthz\r\nX-HTTP-Method-Override: PUT\r\nConnection: close\r\n\r\n',
      ]) {
        const { status } = await stranger.raw(bytes)
        only(status, [0, 400, 401, 404], bytes)
      }
    },
  },
  {
    holds: 'other media types, encodings, form posts and compressed bodies are not looked into',
    isQuick: true,
    run: async (target) => {
      const stranger = target.stranger()
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'text/json',
        'application/json, text/plain',
        'application/json; charset=utf-7',
        '*/*',
      ]) {
        const { status } = await stranger.ask('POST', '/quote-requests', {
          text: BODY,
          headers: { 'content-type': type },
        })
        only(status, [400, 415])
      }
      const headers = { 'content-encoding': 'gzip' }
      const { status } = await stranger.ask('POST', '/quote-requests', {
        text: Buffer.from('1f8b0800', 'hex'),
        headers,
      })
      only(status, [400, 415])
    },
  },
  {
    holds: 'a body that was promised and does not come holds nobody else up',
    run: async (target) => {
      const stranger = target.stranger()
      const sockets = Array.from({ length: 300 }, () => stranger.socket())
      for (const socket of sockets)
        socket.write(
          `${head('POST /quote-requests HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 60000')}\r\n{`,
        )
      await assertOthersAreServed(target.stranger())
      for (const socket of sockets) socket.destroy()
    },
  },
  {
    holds: 'Expect: 100-continue and what else may be expected is no lever',
    run: async (target) => {
      const stranger = target.stranger()
      for (const expected of ['100-continue', '200-ok', '100-continue, 100-continue', 'a'.repeat(4_000)]) {
        const bytes = `${head('POST /faucet HTTP/1.1', `Expect: ${expected}`, 'Content-Type: application/json', 'Content-Length: 2', 'Connection: close')}\r\n[]`
        const { status } = await stranger.raw(bytes)
        only(status, [0, 100, 400, 417, 429])
      }
    },
  },
  {
    holds: 'thousands of connections that come, ask nothing and go are nobody',
    run: async (target) => {
      const stranger = target.stranger()
      for (let round = 0; round < 10; round += 1) {
        const sockets = Array.from({ length: 200 }, () => stranger.socket())
        await wait(50)
        for (const socket of sockets) socket.destroy()
      }
      await assertOthersAreServed(target.stranger())
    },
  },
  {
    holds: 'answers take no header from a request',
    isQuick: true,
    run: async (target) => {
      const stranger = target.stranger()
      for (const name of ['origin', 'x-request-id', 'traceparent', 'x-forwarded-for', 'accept-language', 'range']) {
        const reply = await stranger.ask('GET', '/healthz?x=%0d%0aX-Evil:%201', {
          headers: { [name]: 'evil%0d%0aX-Evil: 1' },
        })
        assert.equal(reply.headers['x-evil'], undefined)
        assert(!JSON.stringify(reply.headers).includes('X-Evil: 1'))
      }
    },
  },
]

/** Fails when somebody else waits, or is turned away. */
async function assertOthersAreServed(other: Stranger): Promise<void> {
  for (let n = 0; n < 5; n += 1) {
    const { status } = await other.ask('GET', '/healthz')
    assert.equal(status, 200)
  }
}
