import { describe, expect, it } from 'vitest'
import { apiKeyOf, isApiKey } from '../../../src/protocol/domain/api-key.ts'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import { NO_PROTECTIONS } from '../../../src/protocol/domain/maker-protections.ts'
import { createMemoryStore } from '../../../src/relay/adapters/store/memory.ts'
import { fakeIdentity } from '../../support/fake-identity.ts'
import { createTestRelay, refusal, START_MS, type TestRelay } from '../../support/test-relay.ts'

const openFixture = (ports: Parameters<typeof createTestRelay>[0] = {}) =>
  createTestRelay({ ...ports, ports: { identity: fakeIdentity, ...ports.ports } })

async function aKey({ relay }: TestRelay, token = 'token-of-ada', name = '') {
  const user = await relay.authenticateUser(token)
  return { user, ...(await relay.createApiKey({ user, name })) }
}

describe('a user', () => {
  it('appears with the first token and keeps its maker id, also after a restart (decision A1)', async () => {
    const fixture = openFixture()
    const user = await fixture.relay.authenticateUser('token-of-ada')
    expect(user).toEqual({
      userId: expect.any(String),
      idpDid: 'did:ada',
      makerId: expect.stringMatching(/^maker-[0-9a-f]{12}$/),
      createdAt: START_MS,
    })
    await fixture.clock.advance(1_000)
    const later = await fixture.restart()
    expect(await later.relay.authenticateUser('token-of-ada')).toEqual(user)
    expect((await later.relay.authenticateUser('token-of-bob')).makerId).not.toBe(user.makerId)
  })

  it('is refused without a good token, or where there is no identity provider', async () => {
    const { relay } = openFixture()
    expect(await refusal(relay.authenticateUser(null))).toBe('invalid_access_token')
    expect(await refusal(relay.authenticateUser('forged'))).toBe('invalid_access_token')
    const bare = createTestRelay().relay
    expect(await refusal(bare.authenticateUser('token-of-ada'))).toBe('identity_not_configured')
    expect(await refusal(bare.authenticateUser(null))).toBe('identity_not_configured')
  })
})

describe('a self-serve key', () => {
  it('works at once, for the maker id of its user', async () => {
    const fixture = openFixture()
    const { user, secret } = await aKey(fixture)
    expect(isApiKey(secret)).toBe(true)
    expect(await fixture.relay.authenticateMaker(secret)).toMatchObject({ makerId: user.makerId })
  })

  it('is stored as its digest and a prefix, and never shown again (fault B15)', async () => {
    const fixture = openFixture()
    const { user, secret, apiKey } = await aKey(fixture, 'token-of-ada', 'desk 1')
    const [listed, ...others] = await fixture.relay.listApiKeys(user)
    expect(others).toEqual([])
    expect(listed).toEqual(apiKey)
    expect(listed).toMatchObject({
      name: 'desk 1',
      prefix: secret.slice(0, 12),
      digest: fixture.ports.ids.digest(secret),
    })
    expect(JSON.stringify([listed, fixture.log.lines])).not.toContain(secret.slice(12))
  })

  it('remembers when it was used', async () => {
    const fixture = openFixture()
    const { user, secret } = await aKey(fixture)
    await fixture.clock.advance(5_000)
    await fixture.relay.authenticateMaker(secret)
    expect((await fixture.relay.listApiKeys(user))[0]?.lastUsedAt).toBe(START_MS + 5_000)
  })

  it('is one of twenty that its user may have, and a revoked one makes room for another', async () => {
    const fixture = openFixture()
    const [first] = await Promise.all(Array.from({ length: 20 }, () => aKey(fixture)))
    const { user, apiKey } = first as Awaited<ReturnType<typeof aKey>>
    expect(await refusal(aKey(fixture))).toBe('too_many_api_keys')
    expect(await refusal(aKey(fixture, 'token-of-bob'))).toBe('not refused')
    await fixture.relay.revokeApiKey({ user, keyId: apiKey.keyId })
    expect(await refusal(aKey(fixture))).toBe('not refused')
    expect(await fixture.relay.listApiKeys(user)).toHaveLength(20)
  })

  it('is revoked by its own user, once (decision A1)', async () => {
    const fixture = openFixture()
    const { user, secret, apiKey } = await aKey(fixture)
    const stranger = await fixture.relay.authenticateUser('token-of-eve')
    const { keyId } = apiKey
    expect(await refusal(fixture.relay.revokeApiKey({ user: stranger, keyId }))).toBe('api_key_not_found')
    expect(await fixture.relay.authenticateMaker(secret)).toMatchObject({ makerId: user.makerId })
    await fixture.relay.revokeApiKey({ user, keyId })
    expect(await refusal(fixture.relay.authenticateMaker(secret))).toBe('invalid_api_key')
    expect(await refusal(fixture.relay.revokeApiKey({ user, keyId }))).toBe('api_key_not_found')
    expect(await fixture.relay.listApiKeys(user)).toEqual([])
  })
})

describe('a makerId of one’s choice', () => {
  const first = async ({ relay }: TestRelay, makerId: string | null, token = 'token-of-ada') =>
    relay.createApiKey({ user: await relay.authenticateUser(token), name: '', makerId })
  const makerIdOf = async ({ relay }: TestRelay, token = 'token-of-ada') =>
    (await relay.authenticateUser(token)).makerId

  it('comes with the first key, and stays, also after a restart', async () => {
    const fixture = openFixture()
    const { secret, apiKey } = await first(fixture, 'ada')
    expect(apiKey.makerId).toBe('ada')
    expect(await fixture.relay.authenticateMaker(secret)).toMatchObject({ makerId: 'ada' })
    expect((await first(fixture, null)).apiKey.makerId).toBe('ada')
    const later = await fixture.restart()
    expect((await first(later, 'ada')).apiKey.makerId).toBe('ada')
    expect(await refusal(first(later, 'ada-2'))).toBe('maker_id_settled')
    expect(await makerIdOf(later)).toBe('ada')
  })

  it('is not for an account that has had a key, whether that was revoked or the operator has set it', async () => {
    const fixture = openFixture()
    const { apiKey } = await first(fixture, null)
    const user = await fixture.relay.authenticateUser('token-of-ada')
    await fixture.relay.revokeApiKey({ user, keyId: apiKey.keyId })
    expect(await refusal(first(fixture, 'ada'))).toBe('maker_id_settled')
    expect((await first(fixture, user.makerId)).apiKey.makerId).toBe(user.makerId)
    const set = openFixture({ settings: { staticKeys: [{ digest: '00', makerId: 'maker-000000000001' }] } })
    expect(await makerIdOf(set)).toBe('maker-000000000001')
    expect(await refusal(first(set, 'ada'))).toBe('maker_id_settled')
  })

  it('is of one account, of two that ask at once, and the other may choose again', async () => {
    const fixture = openFixture()
    const tokens = ['token-of-ada', 'token-of-eve']
    const answers = await Promise.all(tokens.map((token) => refusal(first(fixture, 'ada', token))))
    expect([...answers].sort()).toEqual(['maker_id_taken', 'not refused'])
    const loser = tokens[answers.indexOf('maker_id_taken')] as string
    expect(await fixture.relay.listApiKeys(await fixture.relay.authenticateUser(loser))).toEqual([])
    expect((await first(fixture, 'ada-2', loser)).apiKey.makerId).toBe('ada-2')
  })

  it('gives all keys the one that wins, where another call chooses meanwhile', async () => {
    const fixture = openFixture()
    const choices = ['ada', null, 'ada-2', null]
    const answers = await Promise.allSettled(choices.map((makerId) => first(fixture, makerId)))
    const made = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.apiKey.makerId] : []))
    expect(made.length).toBeGreaterThanOrEqual(2)
    expect(new Set(made)).toEqual(new Set([await makerIdOf(fixture)]))
  })

  it.each(['maker-1', 'mm-1', 'anon-2d711642', 'anonymous', 'all', 'default', 'operator', 'constructor'])(
    'is not %s, which is reserved',
    async (makerId) => {
      const fixture = openFixture()
      expect(await refusal(first(fixture, makerId))).toBe('maker_id_taken')
      expect((await first(fixture, 'ada')).apiKey.makerId).toBe('ada')
    },
  )

  it('is not that of a configured maker, in whatever case, nor of one that is shut out', async () => {
    const staticKeys = ['desk', 'Acme'].map((makerId) => ({ digest: makerId, makerId }))
    const fixture = openFixture({ settings: { staticKeys } })
    for (const makerId of ['desk', 'acme']) expect(await refusal(first(fixture, makerId))).toBe('maker_id_taken')
    await fixture.relay.blocks.decide({ makerId: 'mallory', isBlocked: true, by: 'ann', reason: '' })
    expect(await refusal(first(fixture, 'mallory'))).toBe('maker_id_taken')
  })

  it('is not that of a maker that was configured once: what it did and is owed is not for others', async () => {
    const fixture = openFixture()
    const { store } = fixture.ports
    await store.protections.put('protected', NO_PROTECTIONS)
    const quoteId = '00000000-0000-4000-8000-0000000000aa'
    const loss = { makerId: 'quoted', requestId: quoteId, quoteId, reason: 'another_quote_won' } as const
    store.history.reject(quoteId, [loss])
    for (const makerId of ['protected', 'quoted']) {
      expect(await refusal(first(fixture, makerId))).toBe('maker_id_taken')
    }
  })
})

describe('an unknown key', () => {
  it('is refused before the store is asked, when it is mistyped (fault B3)', async () => {
    const store = createMemoryStore({ clock: { now: () => START_MS } })
    let lookups = 0
    const findByDigest = (digest: string) => {
      lookups += 1
      return store.apiKeys.findByDigest(digest)
    }
    const fixture = openFixture({ ports: { store: { ...store, apiKeys: { ...store.apiKeys, findByDigest } } } })
    const { secret } = await aKey(fixture)
    const mistyped = [
      secret.slice(0, -1),
      `${secret.slice(0, 12)}${secret.slice(13)}0`,
      secret.toLowerCase(),
      'mk_live_x',
    ]
    for (const key of mistyped) expect(await refusal(fixture.relay.authenticateMaker(key))).toBe('invalid_api_key')
    expect(lookups).toBe(0)
  })

  it('differs from a good one by digests only, however long its right start is (fault B2)', async () => {
    const asked: string[] = []
    const compared: [string, string][] = []
    const fixture = openFixture()
    const { ids, store } = fixture.ports
    const spying = openFixture({
      ports: {
        store: {
          ...store,
          apiKeys: {
            ...store.apiKeys,
            findByDigest: (digest) => {
              asked.push(digest)
              return store.apiKeys.findByDigest(digest)
            },
          },
        },
        ids: {
          ...ids,
          isSameDigest: (a, b) => {
            compared.push([a, b])
            return ids.isSameDigest(a, b)
          },
        },
      },
    })
    const { user, secret, apiKey } = await aKey(spying)
    const unknown = apiKeyOf(987_654_321n)
    await spying.relay.authenticateMaker(secret)
    await refusal(spying.relay.authenticateMaker(`${secret}x`))
    await refusal(spying.relay.authenticateMaker(unknown))
    await spying.relay.revokeApiKey({ user, keyId: apiKey.keyId })
    await refusal(spying.relay.authenticateMaker(secret))
    expect(new Set(asked)).toEqual(new Set([secret, unknown].map(ids.digest)))
    expect(compared).toEqual([[ids.digest(secret), ids.digest(secret)]])
  })

  it('is not taken for the key that a store confuses it with', async () => {
    const fixture = openFixture()
    const { apiKey } = await aKey(fixture)
    const { store } = fixture.ports
    const apiKeys = { ...store.apiKeys, findByDigest: async () => apiKey }
    const { relay } = openFixture({ ports: { store: { ...store, apiKeys } } })
    expect(await refusal(relay.authenticateMaker(apiKeyOf(987_654_321n)))).toBe('invalid_api_key')
  })
})

describe('an outage of the store', () => {
  it.each([false, true])('lets in no one who was not in before, with open mode %s (fault B13)', async (openMode) => {
    const fixture = openFixture({ settings: { openMode } })
    fixture.ports.store.apiKeys.findByDigest = () => Promise.reject(new RfqError('store_unavailable'))
    expect(await refusal(fixture.relay.authenticateMaker(apiKeyOf(7n)))).toBe('store_unavailable')
    const isRefused = openMode ? 'not refused' : 'invalid_api_key'
    expect(await refusal(fixture.relay.authenticateMaker(null))).toBe(isRefused)
    expect(await refusal(fixture.relay.authenticateMaker('a key of another form'))).toBe(isRefused)
  })
})

describe('static keys', () => {
  const { digest } = createTestRelay().ports.ids
  const secret = 'any form, even ünïcode'

  it('come first, need no form, and no store (decision M6)', async () => {
    const store = createMemoryStore({ clock: { now: () => START_MS } })
    const down = { ...store.apiKeys, findByDigest: () => Promise.reject(new Error('the store is down')) }
    const { relay } = openFixture({
      ports: { store: { ...store, apiKeys: down } },
      settings: { staticKeys: [{ digest: digest(secret), makerId: 'desk' }] },
    })
    expect(await relay.authenticateMaker(secret)).toEqual({ makerId: 'desk', key: null })
  })
})

describe('open mode', () => {
  it('takes anything for a maker but a self-serve key, which is good or not (decision M5)', async () => {
    const fixture = openFixture({ settings: { openMode: true } })
    const { user, secret, apiKey } = await aKey(fixture)
    expect(await fixture.relay.authenticateMaker(null)).toEqual({ makerId: 'anonymous', key: null })
    expect(await fixture.relay.authenticateMaker('x')).toEqual({ makerId: 'anon-2d711642', key: null })
    expect(await fixture.relay.authenticateMaker('mk_live_x')).toMatchObject({
      makerId: expect.stringMatching(/^anon-/),
    })
    expect(await fixture.relay.authenticateMaker(secret)).toMatchObject({ makerId: user.makerId })
    await fixture.relay.revokeApiKey({ user, keyId: apiKey.keyId })
    expect(await refusal(fixture.relay.authenticateMaker(secret))).toBe('invalid_api_key')
  })
})
