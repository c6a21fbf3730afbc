import { describe, expect, it } from 'vitest'
import { CALL_BUY, createRelayHouse, type RelayHouse, refusal } from '../support/relay-house.ts'

const openFrom = ({ relay }: RelayHouse, clientAddress: string) =>
  relay.openRequest({ ...CALL_BUY, locked: false, clientAddress })

describe('open requests', () => {
  it('are so many at most for one address: what it ends makes room, and other addresses have their own', async () => {
    const house = createRelayHouse({ settings: { openLimits: { total: null, perAddress: 2 } } })
    const first = await openFrom(house, '192.0.2.1')
    await openFrom(house, '192.0.2.1')
    await expect(openFrom(house, '192.0.2.1')).rejects.toMatchObject({
      code: 'too_many_requests',
      data: { retryAfterS: 5 },
    })
    await openFrom(house, '192.0.2.2')
    await house.relay.cancelRequest({ requestId: first.request.requestId, takerSecret: first.takerSecret })
    await openFrom(house, '192.0.2.1')
    expect(await refusal(openFrom(house, '192.0.2.1'))).toBe('too_many_requests')
    await house.clock.advance(300_000)
    expect(await refusal(openFrom(house, '192.0.2.1'))).toBe('not refused')
  })

  it('are so many at most in all, also those from before a restart', async () => {
    const house = createRelayHouse({ settings: { openLimits: { total: 3, perAddress: null } } })
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) await openFrom(house, address)
    expect(await refusal(openFrom(house, '192.0.2.4'))).toBe('too_many_requests')
    const after = await house.restart()
    expect(await refusal(openFrom(after, '192.0.2.4'))).toBe('too_many_requests')
    await after.clock.advance(300_000)
    expect(await refusal(openFrom(after, '192.0.2.4'))).toBe('not refused')
  })

  it('are not more when many come at the same moment, and one that could not be stored does not count', async () => {
    const house = createRelayHouse({ settings: { openLimits: { total: 5, perAddress: 3 } } })
    const { requests } = house.ports.store
    const { insert } = requests
    requests.insert = () => Promise.reject(new Error('the store is down'))
    for (let i = 0; i < 9; i += 1) await refusal(openFrom(house, '192.0.2.1'))
    requests.insert = insert
    const atOnce = async (address: string) =>
      (await Promise.all(Array.from({ length: 9 }, () => refusal(openFrom(house, address))))).filter(
        (code) => code === 'not refused',
      ).length
    expect(await atOnce('192.0.2.1')).toBe(3)
    expect(await atOnce('192.0.2.2')).toBe(2)
    expect(await house.ports.store.requests.listOpen()).toHaveLength(5)
  })

  it('are without a bound where none is set', async () => {
    const house = createRelayHouse({ settings: { openLimits: { total: null, perAddress: null } } })
    for (let i = 0; i < 20; i += 1) await openFrom(house, '192.0.2.1')
  })

  it('that ended unheard do not count for ever', async () => {
    const house = createRelayHouse({ settings: { openLimits: { total: null, perAddress: 1_100 } } })
    const known = house.ports.book.known
    for (let i = 0; i < 1_100; i += 1) await openFrom(house, '192.0.2.1')
    house.ports.book.known = () => null
    house.ports.book.countKnown = () => 0
    await house.clock.advance(5_000)
    await openFrom(house, '192.0.2.2')
    expect(await refusal(openFrom(house, '192.0.2.1'))).toBe('not refused')
    house.ports.book.known = known
  })
})
