import { describe, expect, it } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import type { Ports } from '../../../src/relay/core/ports/ports.ts'
import { fakeIdentity } from '../../support/fake-identity.ts'
import { openBody, startServer, type TestServer } from './support.ts'

const ADA = { authorization: 'Bearer token-of-ada' }
const EVE = { authorization: 'Bearer token-of-eve' }

const start = (ports: Partial<Ports> = {}) => startServer({ fixture: { ports: { identity: fakeIdentity, ...ports } } })

const create = ({ call }: TestServer, body?: unknown, headers: Record<string, string> = ADA) =>
  call('POST', '/v1/user/api-keys', { headers, ...(body === undefined ? {} : { body }) })

/** The routes of accounts, with what each sends. */
const ROUTES: [method: string, path: string, body: object | undefined][] = [
  ['GET', '/v1/user/profile', undefined],
  ['GET', '/v1/user/api-keys', undefined],
  ['POST', '/v1/user/api-keys', {}],
  ['DELETE', '/v1/user/api-keys/00000000-0000-4000-8000-000000000001', undefined],
]

describe('GET /v1/user/profile', () => {
  it('shows the user, made by the first call, always the same', async () => {
    const { call } = await start()
    const first = await call('GET', '/v1/user/profile', { headers: ADA })
    expect(first).toMatchObject({ status: 200, body: { success: true } })
    expect(first.body.user).toEqual({
      id: expect.any(String),
      idpDid: 'did:ada',
      makerId: expect.any(String),
      createdAt: '2026-01-01T00:00:00.000Z',
    })
    expect((await call('GET', '/v1/user/profile', { headers: ADA })).body).toEqual(first.body)
    const other = await call('GET', '/v1/user/profile', { headers: EVE })
    expect((other.body.user as { makerId: string }).makerId).not.toBe((first.body.user as { makerId: string }).makerId)
  })
})

describe('POST /v1/user/api-keys', () => {
  it('shows the secret once, in an answer that must not be cached (fault B15)', async () => {
    const fixture = await start()
    const { status, headers, body, text } = await create(fixture, { name: 'desk 1' })
    expect({ status, success: body.success }).toEqual({ status: 200, success: true })
    expect(headers['cache-control']).toBe('no-store')
    const key = body.key as string
    expect(body.apiKey).toEqual({
      id: expect.any(String),
      name: 'desk 1',
      keyPrefix: key.slice(0, 12),
      createdAt: '2026-01-01T00:00:00.000Z',
      lastUsedAt: null,
      revokedAt: null,
    })
    expect(text).not.toContain(fixture.ports.ids.digest(key))
    const list = await fixture.call('GET', '/v1/user/api-keys', { headers: ADA })
    expect(list.body).toEqual({ success: true, apiKeys: [body.apiKey] })
    expect(list.text).not.toContain(key.slice(12))
    expect(list.text).not.toContain(fixture.ports.ids.digest(key))
  })

  it('makes a key that works at once, for the maker id of the profile', async () => {
    const fixture = await start()
    const key = (await create(fixture)).body.key as string
    const profile = (await fixture.call('GET', '/v1/user/profile', { headers: ADA })).body.user as { makerId: string }
    const stream = await fixture.stream('/v1/mm/quote-requests/stream', { 'x-api-key': key })
    expect((await stream.event())?.data).toMatchObject({ makerId: profile.makerId })
    const { requestId } = (await fixture.call('POST', '/quote-requests', { body: openBody() })).body
    const quote = { maker: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', side: 'buy', price: 0.12, size: 1_000 }
    const headers = { 'x-api-key': key }
    expect((await fixture.call('POST', '/v1/mm/quotes', { headers, body: { requestId, quote } })).status).toBe(200)
    const { bestQuote } = (await fixture.call('GET', `/quote-requests/${requestId}/quotes`)).body
    expect(bestQuote).toMatchObject({ maker_id: profile.makerId })
  })

  it.each([[undefined], [{}], [{ name: null }], [{ name: '' }]])('takes %j for a key without a name', async (body) => {
    expect((await create(await start(), body)).body.apiKey).toMatchObject({ name: '' })
  })

  it('takes a name of 100 characters, however many bytes they are', async () => {
    const name = '🗝️'.repeat(50)
    expect((await create(await start(), { name })).body.apiKey).toMatchObject({ name })
  })

  it.each([['x'.repeat(101)], [7], [['x']], [{}], ['a\u0000'], ['a\u001b[31m'], ['\u202eevil']])(
    'refuses the name %j',
    async (name) => {
      const fixture = await start()
      expect(await create(fixture, { name })).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
      expect((await fixture.call('GET', '/v1/user/api-keys', { headers: ADA })).body.apiKeys).toEqual([])
    },
  )
})

describe('POST /v1/user/api-keys with a makerId', () => {
  it('names the maker of the first key, which the answer and the profile say', async () => {
    const fixture = await start()
    const { status, body } = await create(fixture, { makerId: 'lovelace' })
    expect({ status, makerId: body.makerId }).toEqual({ status: 200, makerId: 'lovelace' })
    const profile = await fixture.call('GET', '/v1/user/profile', { headers: ADA })
    expect(profile.body.user).toMatchObject({ makerId: 'lovelace' })
    const stream = await fixture.stream('/v1/mm/quote-requests/stream', { 'x-api-key': body.key as string })
    expect((await stream.event())?.data).toMatchObject({ makerId: 'lovelace' })
    expect((await create(fixture, { makerId: 'lovelace' })).status).toBe(200)
    const others = [await create(fixture, { makerId: 'countess' }), await create(fixture, { makerId: 'lovelace' }, EVE)]
    expect(others.map(({ status, body: { code } }) => [status, code])).toEqual([
      [409, 'maker_id_settled'],
      [409, 'maker_id_taken'],
    ])
  })

  it.each([[{}], [{ makerId: null }]])('draws it for %j, and says it as well', async (body) => {
    expect((await create(await start(), body)).body.makerId).toMatch(/^maker-[0-9a-f]{12}$/)
  })

  it.each([
    ['ad'],
    ['a'.repeat(25)],
    ['Ada'],
    ['ADA'],
    ['1ada'],
    ['-ada'],
    ['ada_1'],
    ['ada 1'],
    ['ada\n'],
    ['аda'],
    ['adá'],
    ['ａda'],
    ['ada\u0000'],
    ['ada\u202e'],
    ['__proto__'],
    [''],
    [7],
    [['ada']],
  ])('refuses %j as none, and leaves the choice', async (makerId) => {
    const fixture = await start()
    expect(await create(fixture, { makerId })).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect((await create(fixture, { makerId: 'lovelace' })).body.makerId).toBe('lovelace')
  })
})

describe('DELETE /v1/user/api-keys/{id}', () => {
  it('ends a key at once, and is 404 from then on (decision A1)', async () => {
    const fixture = await start()
    const { key, apiKey } = (await create(fixture)).body as { key: string; apiKey: { id: string } }
    const path = `/v1/user/api-keys/${apiKey.id}`
    const use = () => fixture.call('GET', '/v1/mm/quotes', { headers: { 'x-api-key': key } })
    expect((await use()).status).toBe(200)
    expect(await fixture.call('DELETE', path, { headers: ADA })).toMatchObject({ status: 200, body: { success: true } })
    expect(await use()).toMatchObject({ status: 401, body: { success: false, code: 'invalid_api_key' } })
    expect(await fixture.call('DELETE', path, { headers: ADA })).toMatchObject({
      status: 404,
      body: { success: false, code: 'api_key_not_found' },
    })
    expect((await fixture.call('GET', '/v1/user/api-keys', { headers: ADA })).body.apiKeys).toEqual([])
  })

  it("is 404 for another user's key, which still works, and for an invalid one (decision A1, fault B11)", async () => {
    const fixture = await start()
    const { key, apiKey } = (await create(fixture)).body as { key: string; apiKey: { id: string } }
    for (const id of [apiKey.id, 'x', '__proto__', '%00', '%2e%2e', 'a'.repeat(200)]) {
      const answer = await fixture.call('DELETE', `/v1/user/api-keys/${id}`, { headers: EVE })
      expect(answer).toMatchObject({ status: 404, body: { success: false } })
    }
    expect((await fixture.call('GET', '/v1/mm/quotes', { headers: { 'x-api-key': key } })).status).toBe(200)
  })
})

describe.each(ROUTES)('%s %s', (method, path, body) => {
  const send = ({ call }: TestServer, headers: Record<string, string>) =>
    call(method, path, { headers, ...(body === undefined ? {} : { body }) })

  it('is 401 without a good token, before anything else is looked at', async () => {
    const fixture = await start()
    const { authorization } = ADA
    for (const headers of [
      {},
      { authorization: 'Bearer forged' },
      { authorization: 'Bearer ' },
      { authorization: 'token-of-ada' },
      { authorization: `Basic ${authorization}` },
      { 'x-api-key': 'key-of-ada' },
    ]) {
      expect(await send(fixture, headers as Record<string, string>)).toMatchObject({
        status: 401,
        body: { success: false, code: 'invalid_access_token' },
      })
    }
    if (body !== undefined) expect((await fixture.call(method, path, { text: '{"name":' })).status).toBe(401)
  })

  it('is 503 where there is no identity provider, and where it cannot be asked (decision A1, fault B10)', async () => {
    expect(await send(await startServer(), ADA)).toMatchObject({
      status: 503,
      body: { code: 'identity_not_configured' },
    })
    expect(await send(await startServer(), {})).toMatchObject({
      status: 503,
      body: { code: 'identity_not_configured' },
    })
    const verify = () => Promise.reject(new RfqError('identity_unavailable'))
    expect(await send(await start({ identity: { verify } }), ADA)).toMatchObject({
      status: 503,
      body: { code: 'identity_unavailable', retryable: true },
    })
  })

  it('is not for pages of other origins (decision E4)', async () => {
    const fixture = await start()
    const { headers } = await send(fixture, { ...ADA, origin: 'https://evil.example' })
    expect(headers['access-control-allow-origin']).toBeUndefined()
    const preflight = await fixture.call('OPTIONS', path, { headers: { origin: 'https://evil.example' } })
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined()
    expect(preflight.status).toBe(405)
  })
})
