import Fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { MAKER_COMMANDS } from '../../../src/protocol/wire/maker-commands.ts'
import type { JsonSchema } from '../../../src/protocol/wire/reader.ts'
import { describeApi } from '../../../src/relay/server/openapi/describe.ts'
import type { RouteContext } from '../../../src/relay/server/route-context.ts'
import { addRoutes } from '../../../src/relay/server/routes/add-routes.ts'
import { startServer } from './support.ts'

type Keywords = {
  type?: string
  pattern?: string
  maxLength?: number
  maxItems?: number
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly JsonSchema[]
  items?: JsonSchema
  properties?: Readonly<Record<string, JsonSchema>>
}

const app = Fastify({ exposeHeadRoutes: false })
const routes = addRoutes(app, {
  relay: { transparency: {} },
  settings: { operatorToken: null, faucetShare: null },
} as RouteContext)
await app.ready()

/** Whatever a client sends: bodies, queries, and messages of the socket. */
const sent = [
  ...routes.flatMap(({ method, path, docs }) => [
    ...(docs.body === undefined ? [] : [{ name: `${method} ${path}, body`, schema: docs.body }]),
    ...(docs.query === undefined ? [] : [{ name: `${method} ${path}, query`, schema: docs.query }]),
  ]),
  ...Object.entries(MAKER_COMMANDS).map(([name, schema]) => ({
    name: `message ${name}`,
    schema: schema as JsonSchema,
  })),
]

/** Where a schema takes texts or lists without end. */
function endless(schema: JsonSchema, path: string): string[] {
  const { type, pattern, maxLength, maxItems, anyOf = [], items, properties = {}, ...rest } = schema as Keywords
  if (rest.enum !== undefined || rest.const !== undefined) return []
  const isBound =
    maxLength !== undefined || (pattern !== undefined && /^\^[^*+]*\$$/.test(pattern) && !/,\}/.test(pattern))
  return [
    ...(type === 'string' && !isBound ? [path] : []),
    ...(type === 'array' && maxItems === undefined ? [path] : []),
    ...anyOf.flatMap((option) => endless(option, path)),
    ...(items === undefined ? [] : endless(items, `${path}[]`)),
    ...Object.entries(properties).flatMap(([name, field]) => endless(field, `${path}.${name}`)),
  ]
}

describe('unbounded fields', () => {
  test.each(sent)('has a longest text in each field: $name', ({ name, schema }) => {
    expect(endless(schema, name)).toEqual([])
  })

  test('are found where they have no bound, and where a pattern has no end', () => {
    const loose = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string', pattern: '^x+$' } } }
    expect(endless(loose as JsonSchema, 'body')).toEqual(['body.a', 'body.b'])
    expect(sent.length).toBeGreaterThan(12)
  })

  test('has a longest id in each path, which the documents tell', async () => {
    const paths = (await describeApi()).openapi.paths as Record<string, Record<string, { parameters?: Keywords[] }>>
    const params = Object.values(paths)
      .flatMap((methods) => Object.values(methods).flatMap(({ parameters = [] }) => parameters))
      .filter((parameter) => (parameter as { in?: string }).in === 'path')
    expect(params.length).toBeGreaterThan(8)
    for (const parameter of params) expect(parameter).toMatchObject({ schema: { maxLength: 200 } })
  })

  test('is refused with 400 beyond that, and an id in a path is an unknown one', async () => {
    const fixture = await startServer()
    const { requestId } = await fixture.open()
    const wallet = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
    const commit = { wallet, expectedQuoteId: 'x'.repeat(60_000) }
    const answer = await fixture.call('POST', `/quote-requests/${requestId}/commit`, { body: commit })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(answer.text.length).toBeLessThan(300)
    const nul = { wallet, expectedQuoteId: '\0' }
    expect((await fixture.call('POST', `/quote-requests/${requestId}/commit`, { body: nul })).status).toBe(400)
    expect((await fixture.call('GET', `/quote-requests/${'x'.repeat(5_000)}/quotes`)).status).toBe(404)
  })
})
