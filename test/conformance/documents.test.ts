import { describe, expect, it } from 'vitest'
import { openServices } from './harness/service.ts'

type OpenApi = { openapi: string; info: { version: string }; paths: Record<string, Record<string, unknown>> }
type AsyncApi = { asyncapi: string; channels: Record<string, unknown> }

/** Every address of the specification, with its method. */
const ENDPOINTS = [
  ['get', '/v1/markets'],
  ['get', '/v1/series'],
  ['get', '/v1/series/{seriesId}'],
  ['post', '/quote-requests'],
  ['get', '/quote-requests/{id}/stream'],
  ['get', '/quote-requests/{id}/quotes'],
  ['post', '/quote-requests/{id}/commit'],
  ['get', '/v1/mm/quote-requests/stream'],
  ['post', '/v1/mm/quotes'],
  ['post', '/v1/mm/quotes/{quoteId}/confirm'],
  ['post', '/settlement/prepare'],
  ['post', '/faucet'],
  ['get', '/v1/user/profile'],
  ['get', '/v1/user/api-keys'],
  ['post', '/v1/user/api-keys'],
  ['delete', '/v1/user/api-keys/{id}'],
] as const

describe.concurrent.each(openServices(import.meta.url))('documents, $mode', (service) => {
  it('the version of the REST description is 3.0.0, and it describes every endpoint', async () => {
    const { status, body } = await service.call<OpenApi>('GET', '/openapi.json')
    expect(status).toBe(200)
    expect(body.openapi).toMatch(/^3\.1\./)
    expect(body.info.version).toBe('3.0.0')
    const shapeOf = (path: string) => path.replace(/\{\w+\}/g, '{}')
    const described = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${shapeOf(path)}`),
    )
    expect(
      ENDPOINTS.map(([method, path]) => `${method} ${shapeOf(path)}`).filter((one) => !described.includes(one)),
    ).toEqual([])
  })

  it('/asyncapi.json describes the streams and the socket in AsyncAPI 3', async () => {
    const { status, body } = await service.call<AsyncApi>('GET', '/asyncapi.json')
    expect(status).toBe(200)
    expect(body.asyncapi).toMatch(/^3\./)
    const text = JSON.stringify(body)
    const names = [
      'snapshot_begin',
      'snapshot_complete',
      'quote_request_expired',
      'best_quote',
      'closed',
      'quote:accepted',
    ]
    for (const name of [...names, 'quote:confirmed', 'quote:rejected', 'pong', '/maker/v1/ws'])
      expect(text).toContain(name)
  })

  it('/reference is a page for people', async () => {
    const { status, headers } = await service.call('GET', '/reference')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^text\/html/)
  })
})
