import { describe, expect, it } from 'vitest'
import type { BookTop } from '../../../src/relay/core/ports/book.ts'
import { settle } from '../../support/fake-clock.ts'
import { CALL_BUY, createTestRelay, refusal, type TestRelay } from '../../support/test-relay.ts'

const openFrom = ({ relay }: TestRelay, clientAddress: string) =>
  relay.openRequest({ ...CALL_BUY, locked: false, clientAddress })

const withRoomFor = (total: number) => createTestRelay({ settings: { openLimits: { total, perAddress: null } } })

/** The ids of what an address has opened, the oldest first. */
async function openMany(fixture: TestRelay, clientAddress: string, count: number): Promise<string[]> {
  const opened: string[] = []
  for (let i = 0; i < count; i += 1) opened.push((await openFrom(fixture, clientAddress)).requestId)
  return opened
}

/** How many requests an address can open, one after the other, until one is refused. */
async function openAll(fixture: TestRelay, clientAddress: string): Promise<number> {
  let count = 0
  while (count < 100 && (await refusal(openFrom(fixture, clientAddress))) === 'not refused') count += 1
  return count
}

const isOpen = ({ ports }: TestRelay) => {
  const known = (requestId: string) => ports.book.known(requestId) !== null
  return (requestIds: readonly string[]) => requestIds.map(known)
}

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

  it('that ended unnoticed do not count forever', async () => {
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

describe('a full pool of open requests (protocol open-4)', () => {
  it('makes room for who has fewer until all have the same, and lets no one take turns beyond that', async () => {
    const fixture = withRoomFor(20)
    for (let n = 0; n < 4; n += 1) await openMany(fixture, `192.0.2.${n}`, 5)
    expect(await openAll(fixture, '198.51.100.1')).toBe(4)
    for (let n = 0; n < 4; n += 1) expect(await openAll(fixture, `192.0.2.${n}`)).toBe(0)
    expect(await openAll(fixture, '198.51.100.1')).toBe(0)
    expect(await fixture.ports.store.requests.listOpen()).toHaveLength(20)
  })

  it('counts the /64s of an IPv6 /48 as one, and shares among them what that one has', async () => {
    const fixture = withRoomFor(20)
    for (let n = 1; n <= 20; n += 1) await openMany(fixture, `2001:db8:1:${n.toString(16)}::/64`, 1)
    expect(await openAll(fixture, '198.51.100.1')).toBe(10)
    expect(await openAll(fixture, '2001:db8:2:1::/64')).toBe(6)
    expect(await openAll(fixture, '2001:db8:1:99::/64')).toBe(0)
    const other = withRoomFor(20)
    await openMany(other, '2001:db8:1:1::/64', 20)
    expect(await openAll(other, '2001:db8:1:2::/64')).toBe(10)
  })

  it('ends the oldest that has no quote, and when all are quoted the oldest: a quote of its own protects no one', async () => {
    const fixture = withRoomFor(3)
    const opened = await openMany(fixture, '192.0.2.1', 3)
    await fixture.quote('ada', opened[0] as string)
    await openFrom(fixture, '198.51.100.1')
    expect(isOpen(fixture)(opened)).toEqual([true, false, true])
    const all = withRoomFor(20)
    const quoted = await openMany(all, '192.0.2.1', 20)
    for (const requestId of quoted) await all.quote('ada', requestId)
    await openMany(all, '198.51.100.1', 10)
    expect(isOpen(all)(quoted).filter((open) => open)).toHaveLength(10)
    expect(await openAll(all, '198.51.100.1')).toBe(0)
  })

  it('ends no request while it is committed to, and refuses who comes where there is no other', async () => {
    const fixture = withRoomFor(2)
    const [held, other] = (await openMany(fixture, '192.0.2.1', 2)) as [string, string]
    const ada = await fixture.connect('ada')
    await fixture.quote('ada', held)
    const commit = fixture.commit(held)
    await settle()
    await openFrom(fixture, '198.51.100.1')
    expect(isOpen(fixture)([held, other])).toEqual([true, false])
    await ada.confirm()
    expect((await commit).execution.acceptance.requestId).toBe(held)
  })

  it('lets a running commit proceed, and one that comes as its request ends finds it closed', async () => {
    const fixture = withRoomFor(2)
    const opened = (await openMany(fixture, '192.0.2.1', 2)) as [string, string]
    await fixture.ports.leases.begin(opened[0], 'terms', null)
    await fixture.ports.leases.begin(opened[1], 'terms', null)
    await expect(openFrom(fixture, '198.51.100.1')).rejects.toMatchObject({ code: 'too_many_requests' })
    expect(isOpen(fixture)(opened)).toEqual([true, true])
    const free = withRoomFor(2)
    const [ended] = (await openMany(free, '192.0.2.1', 2)) as [string, string]
    await openFrom(free, '198.51.100.1')
    expect(await refusal(free.commit(ended))).toBe('request_closed')
  })

  it('tells who watches, its makers and the audit log, and keeps that it ended', async () => {
    const fixture = withRoomFor(2)
    const [ended, next] = (await openMany(fixture, '192.0.2.1', 2)) as [string, string]
    const tops: BookTop[] = []
    await fixture.relay.watchRequest({ requestId: ended, takerSecret: null, onChange: (top) => tops.push(top) })
    const ada = await fixture.connect('ada')
    await fixture.quote('ada', ended)
    await fixture.quote('ada', next)
    const events: unknown[] = []
    fixture.ports.feed.listen((event) => events.push(event))
    await openFrom(fixture, '198.51.100.1')
    await settle()
    expect(tops.at(-1)).toMatchObject({ status: 'cancelled', isDisplaced: true })
    expect(await fixture.relay.readRequest({ requestId: ended, takerSecret: null })).toMatchObject({
      status: 'cancelled',
      isDisplaced: true,
    })
    expect(ada.messages).toContainEqual(expect.objectContaining({ kind: 'rejected', reason: 'request_cancelled' }))
    expect(events[0]).toMatchObject({ kind: 'quote_request_expired', requestId: ended })
    expect(fixture.auditLog).toContainEqual(
      expect.objectContaining({ kind: 'closed', requestId: ended, status: 'cancelled', isDisplaced: true }),
    )
    const after = await fixture.restart()
    expect(await after.ports.store.requests.find(ended)).toMatchObject({ status: 'cancelled' })
    expect(after.ports.book.known(ended)).toBeNull()
  })

  it('has room in each process for a tenth of it, whatever others have opened', async () => {
    const fixture = withRoomFor(20)
    await openMany(fixture, '192.0.2.1', 20)
    const after = await fixture.restart()
    expect(await openAll(after, '198.51.100.1')).toBe(2)
    expect(await openAll(after, '198.51.100.2')).toBe(1)
  })

  it('ends one request for each that comes, also when many come at the same moment', async () => {
    const fixture = withRoomFor(20)
    await openMany(fixture, '192.0.2.1', 20)
    const addresses = Array.from({ length: 8 }, (_, n) => `198.51.100.${n}`)
    const codes = await Promise.all(addresses.map((address) => refusal(openFrom(fixture, address))))
    expect(codes).toEqual(Array(8).fill('not refused'))
    expect(await fixture.ports.store.requests.listOpen()).toHaveLength(20)
  })

  it("takes no one's place while the store cannot end a request", async () => {
    const fixture = withRoomFor(4)
    await openMany(fixture, '192.0.2.1', 4)
    const { requests } = fixture.ports.store
    const { close } = requests
    requests.close = () => Promise.reject(new Error('the store is down'))
    for (let n = 0; n < 9; n += 1) await expect(openFrom(fixture, '198.51.100.1')).rejects.toThrow('the store is down')
    requests.close = close
    expect(await openAll(fixture, '198.51.100.1')).toBe(2)
    expect(await fixture.ports.store.requests.listOpen()).toHaveLength(4)
  })
})
