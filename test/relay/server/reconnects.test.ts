import { expect, test } from 'vitest'
import { apiKeyOf, apiKeyPrefix } from '../../../src/protocol/domain/api-key.ts'
import { createMemoryStore } from '../../../src/relay/adapters/store/memory.ts'
import { createFakeIds } from '../../support/fake-ids.ts'
import { START_MS } from '../../support/test-relay.ts'
import { startServer, type TestServer } from './support.ts'

const MAKERS = 300

/** Bounds of the delay that streams name, in milliseconds. */
const [LEAST_MS, MOST_MS] = [1_000, 3_000]

const SECRETS = Array.from({ length: MAKERS }, (_, index) => apiKeyOf(BigInt(index)))

/** A store with a key for each maker, which counts how often it is asked for one. */
function createCountingStore() {
  const store = createMemoryStore({ clock: { now: () => START_MS } })
  const { digest } = createFakeIds()
  for (const [index, secret] of SECRETS.entries()) {
    const ids = { keyId: `key-${index}`, userId: `user-${index}`, makerId: `maker-${index}` }
    const key = { ...ids, name: '', prefix: apiKeyPrefix(secret), digest: digest(secret) }
    void store.apiKeys.insert({ ...key, createdAt: 0, lastUsedAt: null, revokedAt: null }, 20)
  }
  let asked = 0
  const findByDigest: typeof store.apiKeys.findByDigest = (wanted) => {
    asked += 1
    return store.apiKeys.findByDigest(wanted)
  }
  return { store: { ...store, apiKeys: { ...store.apiKeys, findByDigest } }, asked: () => asked }
}

/** The streams of all makers, and when each is to come back. */
async function connectAll({ stream }: TestServer) {
  const open = async (secret: string) => {
    const opened = await stream('/v1/mm/quote-requests/stream', { 'x-api-key': secret })
    const first = await opened.next()
    expect(first).toMatchObject({ event: 'connected' })
    return { opened, retryMs: Number(first?.retry) }
  }
  return Promise.all(SECRETS.map(open))
}

test('makers that lose their connections at once get different times to come back, and cost the store nothing (fault D15)', async () => {
  const { store, asked } = createCountingStore()
  const fixture = await startServer({ relay: {}, fixture: { ports: { store } } })
  const connected = await connectAll(fixture)
  expect(asked()).toBe(MAKERS)
  const quarterOf = (retryMs: number) => Math.floor((4 * (retryMs - LEAST_MS)) / (MOST_MS - LEAST_MS + 1))
  const quarters = [0, 0, 0, 0]
  for (const { retryMs } of connected) quarters[quarterOf(retryMs)] = (quarters[quarterOf(retryMs)] ?? 0) + 1
  // 75 each on average; 30 would be six standard deviations away.
  expect(quarters).toHaveLength(4)
  expect(Math.min(...quarters)).toBeGreaterThan(30)

  for (const { opened } of connected) opened.destroy()
  await fixture.clock.advance(MOST_MS)
  await connectAll(fixture)
  expect(asked()).toBe(MAKERS)
})
