import { describe, expect, it } from 'vitest'
import { createLocalLive } from '../../src/relay/adapters/live/memory/live.ts'
import type { Quoter } from '../../src/relay/core/ports/store.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { createFakeLog } from '../support/fake-log.ts'
import { DEMOTION, START_MS } from '../support/test-relay.ts'
import { aQuote, aRequest } from './book.fixtures.ts'
import { describeBook } from './book.suite.ts'
import { describeBus, describePresence } from './bus.suite.ts'
import { describeCommitLeases } from './commit-leases.suite.ts'
import { describeRanking } from './ranking.suite.ts'

const create = async (limits: { maxQuotes?: number } = {}) => {
  const clock = createFakeClock(START_MS)
  const log = createFakeLog()
  const recorded: (Quoter & { requestId: string })[] = []
  const recordQuoter = (requestId: string, quoter: Quoter) => void recorded.push({ requestId, ...quoter })
  const live = createLocalLive({ clock, log, epoch: 3, demotion: DEMOTION, recordQuoter, ...limits })
  return { clock, log, recorded, settled: async () => {}, ...live }
}

describeBook('one process', create, { isShared: false })
describeRanking('one process', create)
describePresence('one process', async () => (await create()).presence)
describeCommitLeases('one process', () => create())
describeBus('one process', async () => {
  const { bus, settled } = await create()
  return { bus, far: bus, settled }
})

describe('one process', () => {
  it('starts its ids at its epoch', async () => {
    const { feed } = await create()
    expect(await feed.position()).toBe(3_000_000_000)
    expect(await feed.since(2_999_999_999)).toBeNull()
    expect(await feed.since(3_000_000_000)).toEqual([])
  })

  it('records who quotes for the first time and each miss, and no maker that was known before', async () => {
    const { book, recorded } = await create()
    const bob = { makerId: 'bob', quoteId: 'bob-first', misses: 2 }
    await book.open(aRequest('one'), { signing: null, quotedBy: [bob] })
    for (const makerId of ['ada', 'bob', 'ada']) await book.put(aQuote(makerId))
    await book.lock(aQuote('ada'))
    await book.unlock('one', 'ada-quote', 'unasked')
    await book.lock(aQuote('bob', { quoteId: 'bob-first' }))
    await book.unlock('one', 'bob-first', 'missed')
    expect(recorded).toEqual([
      { requestId: 'one', makerId: 'ada', quoteId: 'ada-quote', misses: 0 },
      { requestId: 'one', ...bob, misses: 3 },
    ])
  })

  it('remembers a hundred thousand closed requests, and forgets the oldest of more', async () => {
    const { book } = await create()
    const request = aRequest('')
    const openAndClose = async (requestId: string) => {
      await book.open({ ...request, requestId }, { signing: null, quotedBy: [] })
      await book.close(requestId, 'cancelled')
    }
    for (let i = 0; i < 100_000; i += 1) await openAndClose(`${i}`)
    expect((await book.find('0'))?.status).toBe('cancelled')
    await openAndClose('one more')
    expect([await book.find('0'), (await book.find('1'))?.status]).toEqual([null, 'cancelled'])
  })

  it('delivers to the other subscribers when one fails, and says so', async () => {
    const { bus, log } = await create()
    const heard: string[] = []
    bus.subscribe('acceptance', 'one', () => {
      throw new Error('boom')
    })
    bus.subscribe('acceptance', 'one', (message) => heard.push(message))
    await bus.publish('acceptance', 'one', 'confirmed')
    expect(heard).toEqual(['confirmed'])
    expect(log.lines).toMatchObject([{ level: 'error', event: 'bus_listener_failed' }])
  })
})
