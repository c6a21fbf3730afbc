import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type MakerProtections, NO_PROTECTIONS } from '../../../../src/protocol/domain/maker-protections.ts'
import { contracts, usd6 } from '../../../../src/protocol/domain/units.ts'
import { openRedisLive, type RedisLive } from '../../../../src/relay/adapters/live/redis/live.ts'
import { createMemoryStore } from '../../../../src/relay/adapters/store/memory.ts'
import { createBackgroundTasks } from '../../../../src/relay/core/background-tasks.ts'
import { createProtectionGuard, type ProtectionGuard } from '../../../../src/relay/core/maker-protections.ts'
import type { Ports } from '../../../../src/relay/core/ports/ports.ts'
import type { Store } from '../../../../src/relay/core/ports/store.ts'
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts'
import { createFakeLog } from '../../../support/fake-log.ts'
import { flush, REDIS_HINT, REDIS_URL, SIGNATURE_KEY, temporaryName } from '../../../support/redis.ts'
import { createTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.ts'
import { createTestRelay, DEMOTION, START_MS, type TestRelay, walletOf } from '../../../support/test-relay.ts'

const guardOf = (ports: Ports) => createProtectionGuard({ ...ports, background: createBackgroundTasks(ports) })

const LEAVING: MakerProtections = { ...NO_PROTECTIONS, cancelOnDisconnect: { graceMs: 200, channels: 'all' } }

/** A node: a relay on a Redis and a store that it shares with others, and a wire between it and Redis. */
type Node = { fixture: TestRelay; live: RedisLive; proxy: TcpProxy; guard: ProtectionGuard }

describe.skipIf(REDIS_URL === undefined)(`makers that come back, on several nodes${REDIS_HINT}`, () => {
  let name: string
  let clock: FakeClock
  let store: Store
  let closers: (() => Promise<unknown>)[]

  beforeEach(() => {
    name = temporaryName()
    clock = createFakeClock(START_MS)
    store = createMemoryStore({ clock })
    closers = [() => flush(name)]
  })
  afterEach(async () => {
    for (const close of closers.reverse()) await close()
  })

  async function openNode(): Promise<Node> {
    const server = new URL(REDIS_URL as string)
    const proxy = await createTcpProxy({ host: server.hostname, port: Number(server.port || 6_379) })
    closers.push(proxy.close)
    server.hostname = '127.0.0.1'
    server.port = String(proxy.port)
    const log = createFakeLog()
    const shared = { raiseEpoch: async () => 3, signatureKey: SIGNATURE_KEY, demotion: DEMOTION }
    const live = await openRedisLive({ url: server.href, name, clock, log, ...shared })
    closers.push(live.close)
    const fixture = createTestRelay({ ports: { ...live, store, clock } })
    return { fixture, live, proxy, guard: guardOf(fixture.ports) }
  }

  const quote = ({ fixture }: Node, makerId: string, requestId: string) => {
    const terms = { side: 'buy', price: usd6(120_000n), size: contracts(1_000n), expiresInMs: null } as const
    return fixture.relay.submitQuote({ makerId, requestId, submission: { maker: walletOf(makerId), ...terms } })
  }

  const connect = ({ fixture }: Node, makerId: string, n: number) =>
    fixture.relay.openMakerChannel({ makerId, connectionId: `${makerId} ${n}`, onMessage: () => {} })

  it('a thousand that were gone together keep every quote that they are answered, however late others sweep (invariant V16)', async () => {
    const [own, near, far] = [await openNode(), await openNode(), await openNode()]
    const makers = Array.from({ length: 1_000 }, (_, n) => `maker-${n}`)
    for (const makerId of makers) await store.protections.put(makerId, LEAVING)
    const { requestId } = await own.fixture.open()
    for (const { guard, live } of [own, near, far]) {
      await guard.recheck()
      await live.settled()
    }
    await inGroups(makers, async (makerId) => {
      const leave = await connect(own, makerId, 1)
      leave()
      await own.live.presence.hasSocket(makerId)
    })
    await clock.advance(1_000)
    // Every node has seen that they are gone, and has yet to act on it.
    const seen = [own, near, far].map(({ live: { presence } }) => {
      const { absences } = presence
      return new Promise<void>((resolve) => {
        presence.absences = async (makerIds) => {
          const found = await absences(makerIds)
          resolve()
          return found
        }
      })
    })
    const sweeping = [own, near, far].map(({ fixture, live }) => guardOf({ ...fixture.ports, presence: live.presence }))
    await Promise.all(sweeping.map((guard) => guard.recheck()))
    const sweeps = sweeping.map((guard) => guard.sweep())
    await Promise.all(seen)
    far.proxy.delay(150)
    const answered = await inGroups(makers, async (makerId) => {
      await connect(own, makerId, 2)
      return quote(own, makerId, requestId)
    })
    await Promise.all(sweeps)
    const standing = new Set((await near.live.book.ranked(requestId)).map(({ quoteId }) => quoteId))
    expect(answered.filter(({ quoteId }) => !standing.has(quoteId))).toHaveLength(0)
  })

  it('one that is connected on a node far from Redis quotes on any other at once (invariant V16)', async () => {
    const [far, near] = [await openNode(), await openNode()]
    await store.protections.put('ada', LEAVING)
    const { requestId } = await near.fixture.open()
    for (const { fixture, guard, live } of [far, near]) {
      await (fixture.relay.protections as ProtectionGuard).recheck()
      await guard.recheck()
      await live.settled()
    }
    far.proxy.delay(100)
    await connect(far, 'ada', 1)
    const { quoteId } = await quote(near, 'ada', requestId)
    await near.guard.sweep()
    expect((await near.live.book.ranked(requestId)).map((one) => one.quoteId)).toEqual([quoteId])
  })
})

/** Does something for each, for some at the same time. */
async function inGroups<Result>(makers: readonly string[], work: (makerId: string) => Promise<Result>) {
  const results: Result[] = []
  for (let first = 0; first < makers.length; first += 50) {
    results.push(...(await Promise.all(makers.slice(first, first + 50).map(work))))
  }
  return results
}
