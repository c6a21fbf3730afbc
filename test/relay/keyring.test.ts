import { describe, expect, it } from 'vitest'
import type { Bus } from '../../src/relay/ports/bus.ts'
import type { Store } from '../../src/relay/ports/store.ts'
import { settle } from '../support/fake-clock.ts'
import { fakeIdentity } from '../support/fake-identity.ts'
import { createRelayHouse, type RelayHouse, refusal } from '../support/relay-house.ts'

/** A house whose key look-ups are counted, held back and cut off at will. */
function openHouse({ bus }: { bus?: (bus: Bus) => Bus } = {}) {
  const { store, bus: localBus, ...live } = createRelayHouse().ports
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
  return { ...createRelayHouse({ ports }), lookups }
}

/** A second node on the same store, clock and bus; without that bus when messages are to be lost. */
const secondNode = ({ ports }: RelayHouse, bus = ports.bus) => createRelayHouse({ ports: { ...ports, bus } })

async function aKey({ relay }: RelayHouse) {
  const user = await relay.authenticateUser('token-of-ada')
  const { secret, apiKey } = await relay.createApiKey({ user, name: '' })
  return { user, secret, keyId: apiKey.keyId, revoke: () => relay.revokeApiKey({ user, keyId: apiKey.keyId }) }
}

/** How often the connection of a key was told to close. */
async function connect({ relay }: RelayHouse, secret: string) {
  const maker = await relay.authenticateMaker(secret)
  const connection = { closed: 0, leave: () => {} }
  connection.leave = relay.watchMaker(maker, () => {
    connection.closed += 1
  })
  return connection
}

describe('a key in use', () => {
  it('is looked up once in 30 s, however many calls it comes with', async () => {
    const house = openHouse()
    const { secret } = await aKey(house)
    await Promise.all(Array.from({ length: 50 }, () => house.relay.authenticateMaker(secret)))
    await house.clock.advance(29_999)
    await house.relay.authenticateMaker(secret)
    expect(house.lookups.count).toBe(1)
    await house.clock.advance(1)
    await house.relay.authenticateMaker(secret)
    expect(house.lookups.count).toBe(2)
  })

  it('goes on for 30 s in an outage of the store, then is refused as unavailable, never let in', async () => {
    const house = openHouse()
    const { secret } = await aKey(house)
    const other = (await aKey(house)).secret
    await house.relay.authenticateMaker(secret)
    house.lookups.fault = Object.assign(new Error('down'), { code: 'store_unavailable' })
    expect(await refusal(house.relay.authenticateMaker(other))).toBe('store_unavailable')
    await house.clock.advance(29_999)
    expect(await refusal(house.relay.authenticateMaker(secret))).toBe('not refused')
    await house.clock.advance(1)
    expect(await refusal(house.relay.authenticateMaker(secret))).toBe('store_unavailable')
    house.lookups.fault = null
    expect(await refusal(house.relay.authenticateMaker(secret))).toBe('not refused')
  })
})

describe('a revoked key', () => {
  it('is refused on the next call and its connections are closed, on both nodes; no other key is (fault B6)', async () => {
    const first = openHouse()
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
    const house = openHouse()
    const key = await aKey(house)
    let release = () => {}
    house.lookups.gate = new Promise((resolve) => {
      release = resolve
    })
    const racing = refusal(house.relay.authenticateMaker(key.secret))
    await settle()
    await key.revoke()
    release()
    expect(await racing).toBe('invalid_api_key')
    expect(await refusal(house.relay.authenticateMaker(key.secret))).toBe('invalid_api_key')
  })

  it('closes a connection that was let in just before', async () => {
    const house = openHouse()
    const key = await aKey(house)
    const maker = await house.relay.authenticateMaker(key.secret)
    await key.revoke()
    let closed = 0
    house.relay.watchMaker(maker, () => {
      closed += 1
    })
    expect(closed).toBe(1)
  })

  it('does not call back a connection that has gone', async () => {
    const house = openHouse()
    const key = await aKey(house)
    const connection = await connect(house, key.secret)
    connection.leave()
    await key.revoke()
    expect(connection.closed).toBe(0)
  })

  it('is found by the periodic look within 30 s when the message was lost, once (fault B7)', async () => {
    const first = openHouse()
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

  it('stays revoked where nobody can be told, and that is logged', async () => {
    const house = openHouse({ bus: (bus) => ({ ...bus, publish: () => Promise.reject(new Error('the bus is down')) }) })
    const key = await aKey(house)
    const connection = await connect(house, key.secret)
    await key.revoke()
    expect(connection.closed).toBe(1)
    expect(await refusal(house.relay.authenticateMaker(key.secret))).toBe('invalid_api_key')
    await settle()
    expect(house.log.lines).toContainEqual(expect.objectContaining({ event: 'revocation_not_told' }))
  })
})

describe('connections in an outage of the store', () => {
  it('stay, and are looked at again when it is over', async () => {
    const house = openHouse()
    await house.relay.start()
    const key = await aKey(house)
    const connection = await connect(house, key.secret)
    house.lookups.fault = new Error('down')
    await house.clock.advance(120_000)
    expect(connection.closed).toBe(0)
    expect(house.log.lines).toContainEqual(expect.objectContaining({ event: 'key_recheck_failed' }))
    house.lookups.fault = null
    await house.ports.store.apiKeys.revoke({ keyId: key.keyId, userId: key.user.userId })
    await house.clock.advance(30_000)
    expect(connection.closed).toBe(1)
    house.relay.stop()
  })

  it('of static keys are nobody’s to close', async () => {
    const { relay } = createRelayHouse()
    relay.watchMaker({ makerId: 'ada', key: null }, () => expect.unreachable())()
  })
})
