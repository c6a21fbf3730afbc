import { describe, expect, it } from 'vitest'
import { NoEpochError } from '../../../src/relay/adapters/live/redis/functions.ts'
import type { Clock } from '../../../src/relay/core/ports/runtime.ts'
import { aQuote, aRequest } from '../../ports/book.fixtures.ts'
import { describeBook } from '../../ports/book.suite.ts'
import { describeBus, describePresence } from '../../ports/bus.suite.ts'
import { describeCommitLeases } from '../../ports/commit-leases.suite.ts'
import { createFakeClock, settle } from '../../support/fake-clock.ts'
import { createFakeLog } from '../../support/fake-log.ts'
import { DEMOTION, START_MS } from '../../support/test-relay.ts'
import { DIRECT } from '../network/direct.ts'
import { openMarketConnection } from './connection.ts'
import { createHub } from './hub.ts'
import { createMarketServer, type MarketServer } from './server.ts'

type Shared = {
  hub: ReturnType<typeof createHub>
  server: MarketServer
  clock: Clock & ReturnType<typeof createFakeClock>
}

function share(limits: { maxQuotes?: number } = {}): Shared {
  const clock = createFakeClock(START_MS)
  const hub = createHub()
  const publish = (channel: string, message: unknown) => hub.publish('one', channel, message)
  const server = createMarketServer({ name: 'one', trueTime: clock.now, demotion: DEMOTION, publish, ...limits })
  return { hub, server, clock }
}

let nodes = 0

async function connect({ hub, server, clock }: Shared) {
  nodes += 1
  let ids = 0
  const node = `node ${nodes}`
  const connection = await openMarketConnection({
    node,
    clock,
    log: createFakeLog(),
    link: DIRECT,
    hub,
    server: () => server,
    freshId: () => `${node} ${++ids}`,
    raiseEpoch: async () => 3,
    lowestEpoch: 0,
    begunEpoch: 0,
    noteBegunEpoch: async () => {},
  })
  return { clock, settled: settle, ...connection.live, ...connection }
}

const create = (limits: { maxQuotes?: number } = {}) => connect(share(limits))

describeBook('the model of Redis', create, { isShared: true })
describePresence('the model of Redis', async () => (await create()).presence)
describeCommitLeases('the model of Redis', () => create())
describeBus('the model of Redis', async () => {
  const shared = share()
  const [here, there] = [await connect(shared), await connect(shared)]
  return { bus: here.bus, far: there.bus, settled: settle }
})

describe('the model of Redis, when a replica leads', () => {
  it('has what was done before, under a new epoch, and no firm signature of the former one (invariant V13)', async () => {
    const shared = share()
    const { book } = await connect(shared)
    await book.open(aRequest('one'))
    await book.put(aQuote('ada'))
    const quote = (await book.ranked('one'))[0]
    if (quote === undefined) throw new Error('there is no quote')
    const signature = { signature: `0x${'11'.repeat(65)}`, shownBy: 'key' } as const
    await book.makeFirm(quote, signature)
    const replica = createMarketServer({
      name: 'two',
      trueTime: shared.clock.now,
      demotion: DEMOTION,
      publish: () => {},
    })
    await replica.redo(shared.server.history(Number.POSITIVE_INFINITY))
    const caller = { newest: 3, now: START_MS }
    expect(replica.callFirst('claim', caller, [START_MS, 0, 0])).toEqual(['empty', '3'])
    expect(replica.callFirst('begin', caller, [4, 0])).toBe(1)
    expect(await replica.call('ranked', caller, ['one'])).toMatchObject([{ makerId: 'ada', isFirm: true }])
    expect(await replica.call('firmSignature', caller, [quote])).toBeNull()
  })

  it('refuses what it is asked by one that has seen a newer epoch', async () => {
    const shared = share()
    await connect(shared)
    expect(() => shared.server.call('ranked', { newest: 4, now: START_MS }, ['one'])).toThrow(NoEpochError)
  })
})
