import { describe, expect, it } from 'vitest'
import { CALL_BUY, createTestRelay, refusal, type TestRelay } from '../support/test-relay.ts'

const openFrom = ({ relay }: TestRelay, clientAddress: string) =>
  relay.openRequest({ ...CALL_BUY, locked: false, clientAddress })

describe('open requests', () => {
  it('are so many at most for one address: what it ends makes room, and other addresses have their own', async () => {
    const fixture = createTestRelay({ settings: { openLimits: { total: null, perAddress: 2 } } })
    const first = await openFrom(fixture, '192.0.2.1')
    await openFrom(fixture, '192.0.2.1')
    await expect(openFrom(fixture, '192.0.2.1')).rejects.toMatchObject({
      code: 'too_many_requests',
      data: { retryAfterS: 5 },
    })
    await openFrom(fixture, '192.0.2.2')
    await fixture.relay.cancelRequest({ requestId: first.requestId, takerSecret: first.takerSecret })
    await openFrom(fixture, '192.0.2.1')
    expect(await refusal(openFrom(fixture, '192.0.2.1'))).toBe('too_many_requests')
    await fixture.clock.advance(300_000)
    expect(await refusal(openFrom(fixture, '192.0.2.1'))).toBe('not refused')
  })

  it('are so many at most in all, also those from before a restart', async () => {
    const fixture = createTestRelay({ settings: { openLimits: { total: 3, perAddress: null } } })
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) await openFrom(fixture, address)
    expect(await refusal(openFrom(fixture, '192.0.2.4'))).toBe('too_many_requests')
    const after = await fixture.restart()
    expect(await refusal(openFrom(after, '192.0.2.4'))).toBe('too_many_requests')
    await after.clock.advance(300_000)
    expect(await refusal(openFrom(after, '192.0.2.4'))).toBe('not refused')
  })

  it('are not more when many come at the same moment, and one that could not be stored does not count', async () => {
    const fixture = createTestRelay({ settings: { openLimits: { total: 5, perAddress: 3 } } })
    const { requests } = fixture.ports.store
    const { insert } = requests
    requests.insert = () => Promise.reject(new Error('the store is down'))
    for (let i = 0; i < 9; i += 1) await refusal(openFrom(fixture, '192.0.2.1'))
    requests.insert = insert
    const atOnce = async (address: string) =>
      (await Promise.all(Array.from({ length: 9 }, () => refusal(openFrom(fixture, address))))).filter(
        (code) => code === 'not refused',
      ).length
    expect(await atOnce('192.0.2.1')).toBe(3)
    expect(await atOnce('192.0.2.2')).toBe(2)
    expect(await fixture.ports.store.requests.listOpen()).toHaveLength(5)
  })

  it('are without a bound where none is set', async () => {
    const fixture = createTestRelay({ settings: { openLimits: { total: null, perAddress: null } } })
    for (let i = 0; i < 20; i += 1) await openFrom(fixture, '192.0.2.1')
  })

  it('that ended unheard do not count for ever', async () => {
    const fixture = createTestRelay({ settings: { openLimits: { total: null, perAddress: 1_100 } } })
    const known = fixture.ports.book.known
    for (let i = 0; i < 1_100; i += 1) await openFrom(fixture, '192.0.2.1')
    fixture.ports.book.known = () => null
    fixture.ports.book.countKnown = () => 0
    await fixture.clock.advance(5_000)
    await openFrom(fixture, '192.0.2.2')
    expect(await refusal(openFrom(fixture, '192.0.2.1'))).toBe('not refused')
    fixture.ports.book.known = known
  })
})
