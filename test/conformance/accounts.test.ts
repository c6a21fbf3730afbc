import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { type RelayProcess, startRelay } from '../kit/relay-process.ts'
import { type IdentityProvider, startIdentityProvider } from './harness/identity.ts'
import { createMaker, type Maker } from './harness/maker.ts'
import { failure, isoTime } from './harness/match.ts'
import { createService, type Service } from './harness/service.ts'
import { CONFIRMATION_MS } from './harness/settings.ts'
import { askedToSign } from './harness/trade.ts'

type User = { id: string; idpDid: string; makerId: string; createdAt: string }
type KeyRecord = { id: string; name: string; keyPrefix: string; createdAt: string; lastUsedAt: string | null }

describe.concurrent('accounts', () => {
  let provider: IdentityProvider
  let relay: RelayProcess
  let service: Service
  const dataDir = newFolder()

  beforeAll(async () => {
    provider = await startIdentityProvider()
    const env = { ...provider.settings, MAKER_CONFIRMATION_MS: String(CONFIRMATION_MS) }
    relay = await startRelay({ flags: ['--no-chain'], env, dataDir })
    service = createService('simulated', relay.ready, [])
  })
  afterAll(async () => {
    await relay.stop()
    await provider.close()
    removeFolder(dataDir)
  })

  let subjects = 0
  /** Somebody who is signed in, and whom no other test knows. */
  function person() {
    subjects += 1
    const subject = `did:example:${subjects}`
    const headers = { authorization: `Bearer ${provider.token(subject)}` }
    const ask = <Body>(method: string, path: string, body?: unknown) =>
      service.call<Body>(method, path, { headers, ...(body === undefined ? {} : { body }) })
    return {
      subject,
      ask,
      user: async () => (await ask<{ user: User }>('GET', '/v1/user/profile')).body.user,
      keys: async () => (await ask<{ apiKeys: KeyRecord[] }>('GET', '/v1/user/api-keys')).body.apiKeys,
      /** A new key, as a maker that uses it. */
      maker: async (): Promise<Maker & { id: string }> => {
        const { body } = await ask<{ key: string; apiKey: KeyRecord }>('POST', '/v1/user/api-keys', {})
        const { makerId } = (await ask<{ user: User }>('GET', '/v1/user/profile')).body.user
        return { ...createMaker(relay.ready, { apiKey: body.key, makerId }, service.wallet()), id: body.apiKey.id }
      },
      revoke: (id: string) => ask('DELETE', `/v1/user/api-keys/${id}`),
    }
  }

  it('GET /v1/user/profile: the user is created on the first authenticated request and stays the same (decision A1)', async () => {
    const { subject, ask, user } = person()
    const { status, body } = await ask<{ user: User }>('GET', '/v1/user/profile')
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        success: true,
        user: { id: expect.any(String), idpDid: subject, makerId: expect.any(String), createdAt: isoTime() },
      },
    })
    expect(await user()).toEqual(body.user)
    const other = await person().user()
    expect(other.makerId).not.toBe(body.user.makerId)
    expect(other.id).not.toBe(body.user.id)
  })

  it('POST /v1/user/api-keys: the key in plain text, once, and its record', async () => {
    const { ask, keys } = person()
    const { status, body, headers } = await ask<{ key: string; apiKey: KeyRecord }>('POST', '/v1/user/api-keys', {
      name: 'desk one',
    })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        success: true,
        key: expect.stringMatching(/^mk_live_[0-9A-Za-z]{22,}$/),
        apiKey: {
          id: expect.any(String),
          name: 'desk one',
          keyPrefix: expect.stringMatching(/^mk_live_/),
          createdAt: isoTime(),
          lastUsedAt: null,
          revokedAt: null,
        },
      },
    })
    expect(headers.get('cache-control')).toMatch(/no-store/)
    expect(body.key.startsWith(body.apiKey.keyPrefix)).toBe(true)
    expect(body.apiKey.keyPrefix.length).toBeLessThan(16)
    expect(await keys()).toEqual([body.apiKey])
  })

  it('API key record: the secret is stored as a hash only and never returned again (fault B15)', async () => {
    const { ask, maker } = person()
    const { apiKey } = await maker()
    expect((await ask('GET', '/v1/user/api-keys')).text).not.toContain(apiKey)
    const secret = apiKey.slice('mk_live_'.length)
    // A draft that the relay is about to rename is the store's next version, which is read under its lasting name.
    const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && !entry.name.endsWith('.tmp'),
    )
    for (const { parentPath, name } of files) {
      expect(readFileSync(join(parentPath, name), 'latin1').includes(secret)).toBe(false)
    }
  })

  it('the name of a key is optional and at most 100 characters (decision A1)', async () => {
    const { ask } = person()
    const nameOf = async (body: unknown) =>
      (await ask<{ apiKey: KeyRecord }>('POST', '/v1/user/api-keys', body)).body.apiKey?.name
    expect([await nameOf({}), await nameOf({ name: null }), await nameOf({ name: 'x'.repeat(100) })]).toEqual([
      '',
      '',
      'x'.repeat(100),
    ])
    for (const name of ['x'.repeat(101), 5, ['x']]) {
      const answer = await ask('POST', '/v1/user/api-keys', { name })
      expect(answer).toMatchObject({ status: 400, body: failure('invalid_request') })
    }
  })

  it('any signed-in user can create a key, which works at once, over all three channels (protocol account-2)', async () => {
    const { maker } = person()
    const made = await maker()
    const [socket, stream] = await Promise.all([made.connect(), made.stream()])
    expect((await stream.until('connected')).data).toMatchObject({ makerId: made.makerId })
    expect(socket.messages.all()[0]).toMatchObject({ makerId: made.makerId })
    const { requestId } = await service.open()
    const quoteId = await made.quoted(requestId)
    const committing = service.commit(requestId, { wallet: service.wallet().address })
    await made.confirm(quoteId, await made.sign(await askedToSign(socket, requestId)))
    expect((await committing).body.quote).toMatchObject({ maker_id: made.makerId })
  })

  it('GET /v1/user/api-keys: lastUsedAt is set once the key was used, and keys of one user share its makerId', async () => {
    const { maker, keys } = person()
    const [one, two] = [await maker(), await maker()]
    expect(two.makerId).toBe(one.makerId)
    expect((await keys()).map(({ lastUsedAt }) => lastUsedAt)).toEqual([null, null])
    expect((await one.call('GET', '/v1/mm/quotes')).status).toBe(200)
    const used = (await keys()).find(({ id }) => id === one.id)
    expect(used?.lastUsedAt).toEqual(isoTime())
  })

  it('DELETE /v1/user/api-keys/{id}: the key stops at once, is not listed any more, and a second time is 404', async () => {
    const { maker, keys, revoke } = person()
    const made = await maker()
    expect((await made.call('GET', '/v1/mm/quotes')).status).toBe(200)
    expect(await revoke(made.id)).toMatchObject({ status: 200, body: { success: true } })
    expect(await made.call('GET', '/v1/mm/quotes')).toMatchObject({ status: 401, body: failure('invalid_api_key') })
    expect(await keys()).toEqual([])
    expect(await revoke(made.id)).toMatchObject({ status: 404, body: failure('api_key_not_found') })
    expect((await revoke('__proto__')).status).toBe(404)
  })

  it("another user's key cannot be revoked (decision A1, fault B11)", async () => {
    const [one, two] = [person(), person()]
    const made = await one.maker()
    expect(await two.revoke(made.id)).toMatchObject({ status: 404, body: failure('api_key_not_found') })
    expect((await made.call('GET', '/v1/mm/quotes')).status).toBe(200)
  })

  it("revoking closes the key's streams and sockets with 4001, and no other key's (decision M4, fault B6)", async () => {
    const { maker, revoke } = person()
    const [gone, kept] = [await maker(), await maker()]
    const streams = await Promise.all([gone.stream(), gone.stream(), kept.stream()])
    for (const stream of streams) await stream.until('snapshot_complete')
    const sockets = await Promise.all([gone.connect(), gone.connect(), kept.connect()])
    const begun = Date.now()
    await revoke(gone.id)
    expect(await Promise.all([sockets[0].closed, sockets[1].closed])).toEqual([4001, 4001])
    await Promise.all([streams[0].ended, streams[1].ended])
    expect(Date.now() - begun).toBeLessThan(10_000)
    sockets[2].send({ type: 'ping' })
    await sockets[2].until('pong')
    const { requestId } = await service.open()
    await streams[2].until('quote_request', (data) => data.requestId === requestId)
  })

  it('a key revoked during a confirmation leaves it to another key of the maker (fault B8)', async () => {
    const { maker, revoke } = person()
    const [gone, kept] = [await maker(), await maker()]
    const socket = await gone.connect()
    const { requestId } = await service.open()
    const quoteId = await gone.quoted(requestId)
    const committing = service.commit(requestId, { wallet: service.wallet().address })
    const signature = await gone.sign(await askedToSign(socket, requestId))
    await revoke(gone.id)
    expect((await gone.confirm(quoteId, signature)).status).toBe(401)
    expect((await kept.confirm(quoteId, signature)).status).toBe(200)
    expect((await committing).status).toBe(200)
  })

  it('when it was the last key, the commit falls back at once (fault B8)', async () => {
    const [leaving, staying] = [person(), person()]
    const [gone, next] = [await leaving.maker(), await staying.maker()]
    const [socket, nextSocket] = await Promise.all([gone.connect(), next.connect()])
    const { requestId } = await service.open()
    await gone.quoted(requestId, { price: 0.1 })
    const quoteId = await next.quoted(requestId, { price: 0.2 })
    const committing = service.commit(requestId, { wallet: service.wallet().address })
    const { confirmationDeadline } = await askedToSign(socket, requestId)
    await leaving.revoke(gone.id)
    const asked = await askedToSign(nextSocket, requestId)
    expect(Date.now()).toBeLessThan(Date.parse(confirmationDeadline))
    await next.confirm(quoteId, await next.sign(asked))
    expect((await committing).body.quote).toMatchObject({ quote_id: quoteId })
  })

  it('an invalid access token is 401 at every account address (protocol account-1)', async () => {
    const bearers: Record<string, string> = Object.fromEntries(
      Object.entries(provider.forgeries('did:example:forged')).map(([what, token]) => [what, `Bearer ${token}`]),
    )
    bearers['of another scheme'] = provider.token('did:example:forged')
    const { maker } = person()
    const { apiKey } = await maker()
    for (const [what, authorization] of Object.entries(bearers)) {
      const { status, body } = await service.call('GET', '/v1/user/profile', { headers: { authorization } })
      expect({ what, status, body }).toMatchObject({ what, status: 401, body: failure('invalid_access_token') })
    }
    const without = [
      await service.call('GET', '/v1/user/profile', { headers: { 'x-api-key': apiKey } }),
      await service.call('GET', '/v1/user/api-keys'),
      await service.call('POST', '/v1/user/api-keys', { body: {} }),
      await service.call('DELETE', '/v1/user/api-keys/x'),
    ]
    for (const answer of without) expect(answer).toMatchObject({ status: 401, body: failure('invalid_access_token') })
  })

  it('keys that look like ours and are not are refused (faults B2, B3)', async () => {
    const { maker } = person()
    const { apiKey } = await maker()
    const end = apiKey.at(-1) === 'A' ? 'B' : 'A'
    for (const key of [
      `${apiKey.slice(0, -1)}${end}`,
      `${apiKey}0`,
      apiKey.slice(0, -1),
      'mk_live_',
      apiKey.toUpperCase(),
    ]) {
      const answer = await service.call('GET', '/v1/mm/quotes', { headers: { 'x-api-key': key } })
      expect(answer).toMatchObject({ status: 401, body: failure('invalid_api_key') })
    }
  })
})

describe.concurrent('accounts without a provider', () => {
  const paths = [
    ['GET', '/v1/user/profile'],
    ['GET', '/v1/user/api-keys'],
    ['POST', '/v1/user/api-keys'],
    ['DELETE', '/v1/user/api-keys/x'],
  ] as const

  it('503 when none is configured, as in production without settings (decision A1)', async () => {
    const env = { NODE_ENV: 'production', MAKER_API_KEY: 'a-key-that-is-long-enough-for-production' }
    const relay = await startRelay({ flags: ['--no-chain'], env })
    const service = createService('simulated', relay.ready, [])
    for (const [method, path] of paths) {
      const answer = await service.call(method, path, { headers: { authorization: 'Bearer x.y.z' } })
      expect(answer).toMatchObject({ status: 503, body: failure('identity_not_configured') })
    }
    await relay.stop()
  })

  it('503 while the one that is configured cannot be reached (fault B10)', async () => {
    const provider = await startIdentityProvider()
    await provider.close()
    const relay = await startRelay({ flags: ['--no-chain'], env: provider.settings })
    const service = createService('simulated', relay.ready, [])
    const headers = { authorization: `Bearer ${provider.token('did:example:early')}` }
    const answer = await service.call('GET', '/v1/user/profile', { headers })
    expect(answer).toMatchObject({ status: 503, body: { ...failure('identity_unavailable'), retryable: true } })
    await relay.stop()
  })
})
