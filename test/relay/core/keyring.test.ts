import { describe, expect, it } from 'vitest'
import { apiKeyOf } from '../../../src/protocol/domain/api-key.ts'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import type { Bus } from '../../../src/relay/core/ports/live.ts'
import type { Store } from '../../../src/relay/core/ports/store.ts'
import { settle } from '../../support/fake-clock.ts'
import { fakeIdentity } from '../../support/fake-identity.ts'
import { createTestRelay, refusal, type TestRelay } from '../../support/test-relay.ts'

/** A fixture whose key look-ups are counted, held back and cut off at will. */
function openFixture({ bus }: { bus?: (bus: Bus) => Bus } = {}) {
  const { store, bus: localBus, ...live } = createTestRelay().ports
  const lookups = { count: 0, fault: null as Error | null, gate: Promise.resolve() }
  const findByDigest: Store['apiKeys']['findByDigest'] = async (digest) => {
    lookups.count += 1
    if (lookups.fault !== null) throw lookups.fault
    const key = await store.apiKeys.findByDigest(digest)
    await lookups.gate
    return key
  }
  const ports = {
    identity: fakeIdentity,
    store: { ...store, apiKeys: { ...store.apiKeys, findByDigest } },
    bus: bus?.(localBus) ?? localBus,
    book: live.book,
    feed: live.feed,
    presence: live.presence,
  }
  return { ...createTestRelay({ ports }), lookups }
}

/** A second node on the same store, clock and bus; without that bus when messages are to be lost. */
const secondNode = ({ ports }: TestRelay, bus = ports.bus) => createTestRelay({ ports: { ...ports, bus } })

async function aKey({ relay }: TestRelay) {
  const user = await relay.authenticateUser('token-of-ada')
  const { secret, apiKey } = await relay.createApiKey({ user, name: '' })
  return { user, secret, keyId: apiKey.keyId, revoke: () => relay.revokeApiKey({ user, keyId: apiKey.keyId }) }
}

/** How often the connection of a key was told to close. */
async function connect({ relay }: TestRelay, secret: string) {
  const maker = await relay.authenticateMaker(secret)
  const connection = { closed: 0, leave: () => {} }
  connection.leave = relay.watchMaker(maker, () => {
    connection.closed += 1
  })
  return connection
}

describe('a key that no one has', () => {
  it('is looked up once in 10 s, however often it is tried', async () => {
    const fixture = openFixture()
    const key = apiKeyOf(7n)
    const trial = () => refusal(fixture.relay.authenticateMaker(key))
    for (let n = 0; n < 20; n += 1) expect(await trial()).toBe('invalid_api_key')
    await fixture.clock.advance(9_999)
    expect(await trial()).toBe('invalid_api_key')
    expect(fixture.lookups.count).toBe(1)
    await fixture.clock.advance(1)
    expect(await trial()).toBe('invalid_api_key')
    expect(fixture.lookups.count).toBe(2)
  })

  it('is remembered among ten thousand, of which the oldest are forgotten', async () => {
    const fixture = openFixture()
    for (let n = 1n; n <= 10_001n; n += 1n) await refusal(fixture.relay.authenticateMaker(apiKeyOf(n)))
    const before = fixture.lookups.count
    await refusal(fixture.relay.authenticateMaker(apiKeyOf(2n)))
    expect(fixture.lookups.count).toBe(before)
    await refusal(fixture.relay.authenticateMaker(apiKeyOf(1n)))
    expect(fixture.lookups.count).toBe(before + 1)
  })

  it('is not taken for one because the store did not answer', async () => {
    const fixture = openFixture()
    const { secret } = await aKey(fixture)
    fixture.lookups.fault = Object.assign(new Error('down'), { code: 'store_unavailable' })
    expect(await refusal(fixture.relay.authenticateMaker(secret))).toBe('store_unavailable')
    fixture.lookups.fault = null
    expect(await refusal(fixture.relay.authenticateMaker(secret))).toBe('not refused')
  })

  it('takes nothing from one that is made meanwhile, which works at once on every node', async () => {
    const fixture = openFixture()
    const other = secondNode(fixture)
    for (const { relay } of [fixture, other]) await refusal(relay.authenticateMaker(apiKeyOf(7n)))
    const { secret } = await aKey(fixture)
    for (const { relay } of [fixture, other]) expect(await refusal(relay.authenticateMaker(secret))).toBe('not refused')
  })

  it('is not even looked up where its client may try no more, and a known one still works', async () => {
    const fixture = openFixture()
    const { secret } = await aKey(fixture)
    const doubt = () => new RfqError('too_many_requests')
    expect(await refusal(fixture.relay.authenticateMaker(apiKeyOf(7n), doubt))).toBe('too_many_requests')
    expect(await refusal(fixture.relay.authenticateMaker(secret, doubt))).toBe('too_many_requests')
    expect(fixture.lookups.count).toBe(0)
    await fixture.relay.authenticateMaker(secret)
    expect(await refusal(fixture.relay.authenticateMaker(secret, doubt))).toBe('not refused')
  })
})

describe('a key in use', () => {
  it('is looked up once in 30 s, however many calls it comes with', async () => {
    const fixture = openFixture()
    const { secret } = await aKey(fixture)
    await Promise.all(Array.from({ length: 50 }, () => fixture.relay.authenticateMaker(secret)))
    await fixture.clock.advance(29_999)
    await fixture.relay.authenticateMaker(secret)
    expect(fixture.lookups.count).toBe(1)
    await fixture.clock.advance(1)
    await fixture.relay.authenticateMaker(secret)
    expect(fixture.lookups.count).toBe(2)
  })

  it('works for 30 s in an outage of the store, then is refused as unavailable, never let in', async () => {
    const fixture = openFixture()
    const { secret } = await aKey(fixture)
    const other = (await aKey(fixture)).secret
    await fixture.relay.authenticateMaker(secret)
    fixture.lookups.fault = Object.assign(new Error('down'), { code: 'store_unavailable' })
    expect(await refusal(fixture.relay.authenticateMaker(other))).toBe('store_unavailable')
    await fixture.clock.advance(29_999)
    expect(await refusal(fixture.relay.authenticateMaker(secret))).toBe('not refused')
    await fixture.clock.advance(1)
    expect(await refusal(fixture.relay.authenticateMaker(secret))).toBe('store_unavailable')
    fixture.lookups.fault = null
    expect(await refusal(fixture.relay.authenticateMaker(secret))).toBe('not refused')
  })
})

describe('a revoked key', () => {
  it('is refused on the next call and its connections are closed, on both nodes; no other key is (fault B6)', async () => {
    const first = openFixture()
    const second = secondNode(first)
    const key = await aKey(first)
    const other = await aKey(first)
    const mine = await Promise.all([first, first, first, second, second].map((node) => connect(node, key.secret)))
    const others = await Promise.all([first, second].map((node) => connect(node, other.secret)))
    await key.revoke()
    await settle()
    expect(mine.map(({ closed }) => closed)).toEqual([1, 1, 1, 1, 1])
    expect(others.map(({ closed }) => closed)).toEqual([0, 0])
    for (const { relay } of [first, second]) {
      expect(await refusal(relay.authenticateMaker(key.secret))).toBe('invalid_api_key')
      expect(await refusal(relay.authenticateMaker(other.secret))).toBe('not refused')
    }
  })

  it('does not come back by a look-up that found it before it was revoked', async () => {
    const fixture = openFixture()
    const key = await aKey(fixture)
    let release = () => {}
    fixture.lookups.gate = new Promise((resolve) => {
      release = resolve
    })
    const racing = refusal(fixture.relay.authenticateMaker(key.secret))
    await settle()
    await key.revoke()
    release()
    expect(await racing).toBe('invalid_api_key')
    expect(await refusal(fixture.relay.authenticateMaker(key.secret))).toBe('invalid_api_key')
  })

  it('closes a connection that was let in just before', async () => {
    const fixture = openFixture()
    const key = await aKey(fixture)
    const maker = await fixture.relay.authenticateMaker(key.secret)
    await key.revoke()
    let closed = 0
    fixture.relay.watchMaker(maker, () => {
      closed += 1
    })
    expect(closed).toBe(1)
  })

  it('does not call back a connection that has gone', async () => {
    const fixture = openFixture()
    const key = await aKey(fixture)
    const connection = await connect(fixture, key.secret)
    connection.leave()
    await key.revoke()
    expect(connection.closed).toBe(0)
  })

  it('is found by the periodic look within 30 s when the message was lost, once (fault B7)', async () => {
    const first = openFixture()
    const deaf: Bus = { ...first.ports.bus, subscribe: () => () => {} }
    const second = secondNode(first, deaf)
    await second.relay.start()
    const key = await aKey(first)
    const other = await aKey(first)
    await first.clock.advance(10_000)
    const connection = await connect(second, key.secret)
    const kept = await connect(second, other.secret)
    await key.revoke()
    await first.clock.advance(30_000)
    expect([connection.closed, kept.closed]).toEqual([1, 0])
    expect(await refusal(second.relay.authenticateMaker(key.secret))).toBe('invalid_api_key')
    await first.clock.advance(60_000)
    expect([connection.closed, kept.closed]).toEqual([1, 0])
    second.relay.stop()
  })

  it('stays revoked where no other node can be reached, and that is logged', async () => {
    const fixture = openFixture({
      bus: (bus) => ({ ...bus, publish: () => Promise.reject(new Error('the bus is down')) }),
    })
    const key = await aKey(fixture)
    const connection = await connect(fixture, key.secret)
    await key.revoke()
    expect(connection.closed).toBe(1)
    expect(await refusal(fixture.relay.authenticateMaker(key.secret))).toBe('invalid_api_key')
    await settle()
    expect(fixture.log.lines).toContainEqual(expect.objectContaining({ event: 'revocation_not_told' }))
  })
})

describe('connections in an outage of the store', () => {
  it('stay, and are looked at again when it is over', async () => {
    const fixture = openFixture()
    await fixture.relay.start()
    const key = await aKey(fixture)
    const connection = await connect(fixture, key.secret)
    fixture.lookups.fault = new Error('down')
    await fixture.clock.advance(120_000)
    expect(connection.closed).toBe(0)
    expect(fixture.log.lines).toContainEqual(expect.objectContaining({ event: 'key_recheck_failed' }))
    fixture.lookups.fault = null
    await fixture.ports.store.apiKeys.revoke({ keyId: key.keyId, userId: key.user.userId })
    await fixture.clock.advance(30_000)
    expect(connection.closed).toBe(1)
    fixture.relay.stop()
  })

  it('with static keys stay open', async () => {
    const { relay } = createTestRelay()
    relay.watchMaker({ makerId: 'ada', key: null }, () => expect.unreachable())()
  })
})
