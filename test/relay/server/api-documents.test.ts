import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { ERRORS } from '../../../src/protocol/domain/errors.ts'
import { describeApi } from '../../../src/relay/server/openapi/describe.ts'
import { createReference, referencePolicy } from '../../../src/relay/server/openapi/reference/page.ts'
import { STYLE } from '../../../src/relay/server/openapi/reference/style.ts'
import { collectRoutes, documented } from '../../../src/relay/server/route-docs.ts'
import { createJudge } from '../../support/api/judge.ts'
import { RELAYER } from './codes/relayer.ts'
import { SERVER_SETTINGS, startServer } from './support.ts'

type Media = { example?: unknown; examples?: Record<string, { value: { code: string } }> }
type Operation = {
  operationId: string
  parameters?: { name: string }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

type Message = { name: string; headers?: { properties: object }; examples: { payload: unknown }[] }

const documents = await describeApi()
const openapi = documents.openapi as {
  info: object
  paths: Record<string, Record<string, Operation>>
  components: { securitySchemes: object }
}
const asyncapi = documents.asyncapi as {
  info: object
  channels: Record<string, { address: string; messages: Record<string, object> }>
  components: { messages: Record<string, Message> }
}
const judge = createJudge(documents)

const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)

/** What the documents tell of that not every relay has. */
const SANDBOX = { call: async () => [], warp: async () => 0 }

const mediaOf = ({ content = {} }: Operation['responses'][string]) => content['application/json']

describe('the documents of the API', () => {
  test('are not empty, or nothing would have been looked at', () => {
    expect(operations.length).toBeGreaterThan(25)
    expect(Object.keys(asyncapi.components.messages).length).toBeGreaterThan(30)
  })

  test('have the versions of the specification', () => {
    expect(openapi).toMatchObject({ openapi: '3.1.0', info: { version: '3.0.0' } })
    expect(asyncapi).toMatchObject({ asyncapi: '3.0.0', info: { version: '3.0.0' } })
  })

  test('are what a relay serves, the same text each time', async () => {
    const fixture = await startServer({ sandbox: SANDBOX, fixture: { hasTransparencyLog: true } })
    for (const name of ['openapi', 'asyncapi'] as const) {
      const first = await fixture.call('GET', `/${name}.json`)
      const { servers: _, ...told } = JSON.parse(JSON.stringify(documents[name]))
      expect(first.body).toMatchObject(told)
      expect((await fixture.call('GET', `/${name}.json`)).text).toBe(first.text)
    }
  })

  test('say where the relay was asked, as its client or a trusted proxy names it, and only where that is a host', async () => {
    const behindProxy = await startServer({ server: { trustProxy: true } })
    const { port, call } = await startServer()
    const serversOf = async (fixture: { call: typeof call }, headers: Record<string, string>) => {
      const { servers } = (await fixture.call('GET', '/asyncapi.json', { headers })).body as { servers: object }
      return Object.values(servers).map(({ protocol, host }) => `${protocol}://${host}`)
    }
    expect(await serversOf({ call }, {})).toEqual([`http://127.0.0.1:${port}`, `ws://127.0.0.1:${port}`])
    expect(await serversOf({ call }, { host: 'rfq.example:81' })).toEqual([
      'http://rfq.example:81',
      'ws://rfq.example:81',
    ])
    const forwarded = { 'x-forwarded-host': 'rfq.example', 'x-forwarded-proto': 'https' }
    expect(await serversOf(behindProxy, forwarded)).toEqual(['https://rfq.example', 'wss://rfq.example'])
    expect(await serversOf({ call }, { host: '"><script>' })).toEqual(['http://127.0.0.1:8787', 'ws://127.0.0.1:8787'])
  })

  test('say that the socket takes its key in the header, the query or a message', () => {
    const socket = openapi.paths['/maker/v1/ws']?.get as unknown as { security: object[]; description: string }
    expect(socket.security).toEqual([{}, { makerKey: [] }, { makerKeyInQuery: [] }])
    expect(socket.description).toMatch(/X-API-Key.*query.*"type": "auth"/s)
    expect(asyncapi.channels.makerSocket).toMatchObject({ description: socket.description })
  })

  test('name every operation once', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test.each(operations.map(({ method, path, operation }) => [method, path, operation] as const))(
    'have examples of every answer to %s %s that are as documented',
    (method, path, { responses }) => {
      const contentType = 'application/json'
      const seen = Object.entries(responses).flatMap(([status, response]) => {
        const { example, examples = {} } = mediaOf(response) ?? {}
        const bodies = [
          ...(example === undefined ? [] : [example]),
          ...Object.values(examples).map(({ value }) => value),
        ]
        return bodies.map((body) => ({ method, path, status: Number(status), contentType, text: JSON.stringify(body) }))
      })
      expect(seen.length).toBeGreaterThan(0)
      expect(seen.flatMap(judge.answer)).toEqual([])
    },
  )

  test('have an example of every event and message that is as documented', () => {
    const complaints = Object.values(asyncapi.channels).flatMap(({ address, messages }) =>
      Object.keys(messages).flatMap((key) => {
        const { name, headers, examples } = asyncapi.components.messages[key] as Message
        expect(examples.length).toBeGreaterThan(0)
        return examples.flatMap(({ payload }) => {
          if (headers === undefined) return judge.message(address, payload)
          return judge.event(address, { event: name, id: 'id' in headers.properties ? '1' : null, data: payload })
        })
      }),
    )
    expect(complaints).toEqual([])
  })

  test('tell of a channel for every stream and socket among the routes, and of no other', () => {
    const streams = operations.filter(
      ({ operation }) => 101 in operation.responses || 'text/event-stream' in (operation.responses[200]?.content ?? {}),
    )
    const addresses = Object.values(asyncapi.channels).map(({ address }) => address)
    // Opening streams only where it is asked to: a second kind of answer would make its type a union for generated clients.
    expect(addresses.sort()).toEqual([...streams.map(({ path }) => path), '/quote-requests'].sort())
  })

  test('tell of a success of every route', () => {
    const without = operations.filter(
      ({ operation }) => !('200' in operation.responses) && !('101' in operation.responses),
    )
    expect(without).toEqual([])
  })

  test('name a route for every code but those that answer what is no route', () => {
    const told = operations.flatMap(({ operation }) =>
      Object.values(operation.responses).flatMap((response) => Object.keys(mediaOf(response)?.examples ?? {})),
    )
    const untold = Object.keys(ERRORS).filter((code) => !told.includes(code))
    expect(untold).toEqual(['method_not_allowed', ...Object.keys(RELAYER)])
  })

  test('say the header or the scheme of every credential', () => {
    const text = JSON.stringify(openapi)
    for (const name of ['X-API-Key', 'apiKey', 'X-Taker-Secret', 'Last-Event-ID', 'If-None-Match', 'bearer']) {
      expect(text).toContain(`"${name}"`)
    }
  })
})

test('a route that does not document itself stops the start', () => {
  const app = Fastify()
  collectRoutes(app)
  app.get('/told', documented({ id: 'x', summary: 'x', tag: 'service', answer: 'text/plain' }), async () => '')
  expect(() => app.get('/untold', async () => '')).toThrow('the route /untold does not document itself')
})

describe('the reference page', () => {
  test('shows every operation, event and code', async () => {
    const { text } = await (await startServer({ sandbox: SANDBOX, fixture: { hasTransparencyLog: true } })).call(
      'GET',
      '/reference',
    )
    for (const { operation } of operations) expect(text).toContain(`id="${operation.operationId}"`)
    for (const { name } of Object.values(asyncapi.components.messages)) expect(text).toContain(`<code>${name}</code>`)
    for (const code of Object.keys(ERRORS)) expect(text).toContain(`id="code-${code}"`)
  })

  test("tells a maker how to quote and what to check, in the contract's own terms, and whose version this is", async () => {
    const { text } = await (await startServer()).call('GET', '/reference')
    expect(text).toContain(`<title>rfqctl relay ${SERVER_SETTINGS.software}</title>`)
    expect(text.match(/<pre>(curl|npx wscat) [^<]*X-API-Key/g)).toHaveLength(5)
    expect(text).toContain(
      'abi.encode(bytes32 conditionId, uint256 yesTokenId, uint16 strikeBps, uint64 expiry, uint8 optionType)',
    )
    for (const word of ['coreAddress', 'settlementAddress', 'MAKER_OFFLINE_GRACE_MS', 'UNPROVEN_CONFIRMATION_MS']) {
      expect(text).toContain(`<code>${word}</code>`)
    }
    for (const name of Object.keys(openapi.components.securitySchemes)) {
      expect(text).toContain(`id="credential-${name}"`)
    }
  })

  test('needs nothing but itself: no script, no other address, under a policy that allows neither', async () => {
    const { text, headers } = await (await startServer()).call('GET', '/reference')
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]+={0,2}';/)
    expect(text).not.toMatch(/<script|<link|<img|src=|href="https?:|url\(/)
  })

  test('loads what is there to try its calls with from its own origin, and may then ask that origin, and no other', () => {
    const assets = { scripts: ['/web/assets/main.js'], styles: ['/web/assets/main.css'] }
    const text = createReference({ ...documents, software: '1.2.3', assets })
    expect(text.match(/<(script|link)[^>]*>/g)).toEqual([
      '<link rel="stylesheet" href="/web/assets/main.css">',
      '<script type="module" src="/web/assets/main.js">',
    ])
    const policy = referencePolicy(assets)
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+' 'self'; script-src 'self'; connect-src 'self';/,
    )
    expect(policy).not.toContain('unsafe')
  })

  test('has the colours of the web desk', () => {
    const theme = readFileSync(new URL('../../../src/web/parts/theme.css', import.meta.url), 'utf8')
    const colours = [...STYLE.matchAll(/(--[\w-]+): (light-dark\([^)]+\))/g)]
    expect(colours.length).toBeGreaterThan(15)
    for (const [, name, colour] of colours) expect(theme).toContain(`${name}: ${colour};`)
  })

  test('lists every call in its contents, and shows each as a line of curl', async () => {
    const { text } = await (await startServer({ sandbox: SANDBOX, fixture: { hasTransparencyLog: true } })).call(
      'GET',
      '/reference',
    )
    const contents = text.slice(text.indexOf('<nav'), text.indexOf('</nav>'))
    for (const { operation } of operations) expect(contents).toContain(`href="#${operation.operationId}"`)
    expect(text.match(/<pre class="call">curl /g)).toHaveLength(operations.length - 1)
    expect(text).toContain('curl -X DELETE -H &quot;X-API-Key: $KEY&quot; &quot;$RELAY/v1/mm/quotes/$QUOTE_ID&quot;')
  })

  test('links only to what is on it', async () => {
    const { text } = await (await startServer()).call('GET', '/reference')
    const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    const targets = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
    expect(targets.length).toBeGreaterThan(100)
    expect(targets.filter((target) => !ids.has(target))).toEqual([])
  })
})

describe('the judge of the tests', () => {
  const answer = { method: 'GET', path: '/time', status: 200, contentType: 'application/json; charset=utf-8' }
  const time = { success: true, serverTime: '2027-01-15T07:00:00.000Z', unixMs: 1_799_996_400_000 }
  const refusal = { success: false, error: 'x', code: 'request_not_found' }
  const poll = '/quote-requests/x/quotes'

  test.each([
    ['what is documented', { ...answer, text: JSON.stringify(time) }, []],
    ['what is not there', { ...answer, path: '/none', status: 404, text: JSON.stringify(refusal) }, []],
    [
      'a field that is not documented',
      { ...answer, text: JSON.stringify({ ...time, x: 1 }) },
      ['additional properties'],
    ],
    ['a field of another type', { ...answer, text: JSON.stringify({ ...time, unixMs: '1' }) }, ['/unixMs must be']],
    ['a field that is missing', { ...answer, text: '{"success":true}' }, ["required property 'serverTime'"]],
    ['a status', { ...answer, status: 418, text: '' }, ['status 418 is not documented']],
    ['a content type', { ...answer, contentType: 'text/plain', text: '' }, ['content type text/plain']],
    ['a stream', { ...answer, contentType: 'text/event-stream', text: '' }, ['content type text/event-stream']],
    [
      'a stream that is a channel',
      { ...answer, method: 'POST', path: '/quote-requests', contentType: 'text/event-stream', text: '' },
      [],
    ],
    ['a code of its route', { ...answer, path: poll, status: 404, text: JSON.stringify(refusal) }, []],
    [
      'a code of another route',
      { ...answer, path: poll, status: 404, text: JSON.stringify({ ...refusal, code: 'series_not_found' }) },
      ['/code must be equal to one of'],
    ],
    [
      'figures of another code',
      { ...answer, path: poll, status: 404, text: JSON.stringify({ ...refusal, resolutionBps: 1 }) },
      ['unevaluated properties'],
    ],
  ])('for %s', (_, seen, complaints) => {
    expect(judge.answer(seen)).toEqual(complaints.map((text) => expect.stringContaining(text)))
  })

  test('for events and messages', () => {
    const stream = '/quote-requests/x/stream'
    expect(judge.event(stream, { event: 'closed', id: null, data: { requestId: 'x' } })).toEqual([])
    expect(judge.event(stream, { event: 'closed', id: null, data: {} })).toHaveLength(1)
    expect(judge.event(stream, { event: 'opened', id: null, data: {} })).toHaveLength(1)
    const request = { event: 'quote_request_expired', data: { requestId: 'x' } }
    expect(judge.event('/v1/mm/quote-requests/stream', { ...request, id: '1' })).toEqual([])
    expect(judge.event('/v1/mm/quote-requests/stream', { ...request, id: null })).toHaveLength(1)
    expect(judge.message('/maker/v1/ws', { type: 'pong', timestamp: 1 })).toEqual([])
    expect(judge.message('/maker/v1/ws', { type: 'pong' })).toHaveLength(1)
    expect(judge.message('/maker/v1/ws', { type: 'gone' })).toHaveLength(1)
  })
})
