import { afterAll, describe } from 'vitest'
import { openRedisLive, type RedisLive } from '../../src/relay/adapters/live/redis/live.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { createFakeLog } from '../support/fake-log.ts'
import { flush, REDIS_HINT, REDIS_URL, SIGNATURE_KEY, temporaryName } from '../support/redis.ts'
import { DEMOTION, START_MS } from '../support/test-relay.ts'
import { describeBook } from './book.suite.ts'
import { describeBus, describePresence } from './bus.suite.ts'
import { describeCommitLeases } from './commit-leases.suite.ts'
import { describeRanking } from './ranking.suite.ts'

describe.skipIf(REDIS_URL === undefined)(`Redis${REDIS_HINT}`, () => {
  const opened: { name: string; live: RedisLive }[] = []

  async function create(name = temporaryName(), limits: { maxQuotes?: number } = {}) {
    const clock = createFakeClock(START_MS)
    const log = createFakeLog()
    const live = await openRedisLive({
      url: REDIS_URL as string,
      name,
      clock,
      log,
      raiseEpoch: async () => 3,
      signatureKey: SIGNATURE_KEY,
      demotion: DEMOTION,
      ...limits,
    })
    opened.push({ name, live })
    return { clock, log, name, ...live }
  }

  afterAll(async () => {
    for (const { name, live } of opened) {
      await live.close()
      await flush(name)
    }
  })

  describeBook('Redis', (limits) => create(temporaryName(), limits), { isShared: true })
  describeRanking('Redis', () => create())
  describePresence('Redis', async () => (await create()).presence)
  describeCommitLeases('Redis', () => create())
  describeBus('Redis', async () => {
    const here = await create()
    const there = await create(here.name)
    return { bus: here.bus, far: there.bus, settled: () => Promise.all([here.settled(), there.settled()]) }
  })
})
