import { afterAll, describe, expect, it } from 'vitest'
import type { Quote } from '../../../src/protocol/domain/quote.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { openRedisLive, type RedisLive } from '../../../src/relay/adapters/live/redis/live.ts'
import type { LiveMarket } from '../../../src/relay/core/ports/ports.ts'
import { aQuote, aRequest } from '../../ports/book.fixtures.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { createFakeLog } from '../../support/fake-log.ts'
import { flush, REDIS_HINT, REDIS_URL, SIGNATURE_KEY, temporaryName } from '../../support/redis.ts'
import { DEMOTION, START_MS } from '../../support/test-relay.ts'
import { DIRECT } from '../network/direct.ts'
import { createRandom, type Random } from '../time/random.ts'
import { openMarketConnection } from './connection.ts'
import { createHub } from './hub.ts'
import { createMarketServer } from './server.ts'

type Live = Omit<LiveMarket, 'takeover'>
/** Does one thing to a market, and resolves with what can be compared. */
type Step = { text: string; run: (live: Live, state: Map<string, unknown>) => Promise<unknown> }

const REQUESTS = ['one', 'two', 'three']
const MAKERS = ['ada', 'bob', 'cyd']
const STEPS = 250
const SIGNATURE = { signature: `0x${'11'.repeat(65)}`, shownBy: 'key' } as const

/** Draws one step; quoteIds follow from their makers and requests, so that both markets are asked the same. */
function drawStep(random: Random, now: number): Step {
  const [requestId, makerId] = [random.pick(REQUESTS), random.pick(MAKERS)]
  const quoteId = `${makerId}-${requestId}`
  const key = { requestId, makerId, quoteId }
  const price = usd6(BigInt(1 + random.below(4)) * 100_000n)
  const expiresAt = now + random.pick([50, 1_000, 60_000])
  const quote: Quote = aQuote(makerId, { ...key, price, expiresAt, pricedAt: now, size: contracts(100n) })
  const rule = random.pick([
    null,
    { graceMs: random.pick([0, 100, 500]), channels: random.pick(['any', 'all'] as const) },
  ])
  const channel = random.pick(['stream', 'socket'] as const)
  const steps: (() => Step)[] = [
    () => ({
      text: `open ${requestId}`,
      run: ({ book }) => book.open({ ...aRequest(requestId), expiresAt: START_MS + 300_000 }),
    }),
    ...Array.from({ length: 4 }, () => () => ({
      text: `put ${quoteId} at ${price} until ${expiresAt}, ${JSON.stringify(rule)}`,
      run: async ({ book }: Live) => {
        const put = await book.put(quote, rule)
        // By what it ranks is not part of the answer.
        return put.kind === 'stored' ? { ...put, quote: { ...put.quote, misses: 0, isDemoted: false } } : put
      },
    })),
    () => ({ text: `remove ${quoteId}`, run: ({ book }) => book.remove(key) }),
    () => ({
      text: `remove all of ${makerId} ${JSON.stringify(rule)}`,
      run: async ({ book }) => {
        const held = random.chance(0.5) ? 'kept' : 'taken'
        const removed = await book.removeAll(makerId, { held, ...(rule === null ? {} : { ifGone: rule }) })
        return removed.toSorted((a, b) => (a.requestId < b.requestId ? -1 : 1))
      },
    }),
    () => ({ text: `expire ${quoteId}`, run: ({ book }) => book.expire(key) }),
    () => ({
      text: `make ${quoteId} firm`,
      run: async ({ book }) => {
        const found = await book.findQuote({ makerId, quoteId })
        return found === null ? null : book.makeFirm(found, SIGNATURE)
      },
    }),
    () => ({
      text: `the signature of ${quoteId}`,
      run: async ({ book }) => {
        const found = await book.findQuote({ makerId, quoteId })
        return found === null ? null : book.firmSignature(found)
      },
    }),
    () => ({ text: `lock ${quoteId}`, run: ({ book }) => book.lock(key) }),
    () => ({ text: `unlock ${quoteId} as missed`, run: ({ book }) => book.unlock(requestId, quoteId, 'missed') }),
    () => ({ text: `unlock ${quoteId}`, run: ({ book }) => book.unlock(requestId, quoteId, 'unasked') }),
    () => ({ text: `forgive ${makerId}`, run: ({ book }) => book.forgive(makerId) }),
    () => ({
      text: 'demoted',
      run: async ({ book }) => (await book.demoted()).toSorted((a, b) => (a.makerId < b.makerId ? -1 : 1)),
    }),
    ...Array.from({ length: 2 }, () => () => ({
      text: `look at ${requestId}`,
      run: async ({ book }: Live) => {
        const [found, top, { ranked, left }] = [
          await book.find(requestId),
          await book.top(requestId),
          await book.look(requestId),
        ]
        // A request that is over may have lost its texts.
        const isOpen = found?.status === 'open'
        const ofTop = top && { ...top, bookSeq: 0, request: isOpen ? top.request : null }
        return {
          found: found && { ...found, request: isOpen ? found.request : null },
          top: ofTop,
          ranked,
          left: left.map(({ makerId }) => makerId).toSorted(),
        }
      },
    })),
    () => ({
      text: `${makerId} joins by ${channel}`,
      run: async ({ presence }, state) => {
        const name = `${channel} ${makerId}`
        if (!state.has(name)) state.set(name, await presence.join(channel, makerId, name))
      },
    }),
    () => ({
      text: `${makerId} leaves its ${channel}`,
      run: async ({ presence }, state) => {
        const name = `${channel} ${makerId}`
        const leave = state.get(name) as (() => void) | undefined
        leave?.()
        state.delete(name)
        // What is sent after it is read after it.
        await presence.list()
      },
    }),
    () => ({
      text: 'who is there',
      run: async ({ presence }) => ({
        list: (await presence.list()).toSorted((a, b) => (a.makerId < b.makerId ? -1 : 1)),
        absences: await presence.absences(MAKERS),
        streams: await presence.countStreams(),
      }),
    }),
    () => ({
      text: `commit ${requestId}`,
      run: async ({ leases }, state) => {
        const lease = await leases.begin(requestId, 'terms', null)
        if (lease.kind === 'begun') state.set(`lease ${requestId}`, lease)
        return lease.kind
      },
    }),
    () => ({
      text: `the commit of ${requestId} ends`,
      run: async ({ leases }, state) => {
        const lease = state.get(`lease ${requestId}`) as
          | { end: (outcome: { kind: 'committed' }) => Promise<void> }
          | undefined
        await lease?.end({ kind: 'committed' })
        state.delete(`lease ${requestId}`)
        return leases.isRunning(requestId)
      },
    }),
  ]
  if (random.chance(0.02))
    return {
      text: `close ${requestId}`,
      run: async ({ book }) => {
        const closed = await book.close(requestId, random.chance(0.5) ? 'committed' : 'expired')
        if (closed.kind !== 'closed') return closed
        return { ...closed, quotedBy: closed.quotedBy.toSorted((a, b) => (a.makerId < b.makerId ? -1 : 1)) }
      },
    }
  return random.pick(steps)()
}

describe.skipIf(REDIS_URL === undefined)(`the model of Redis${REDIS_HINT}`, () => {
  const opened: { name: string; live: RedisLive }[] = []
  afterAll(async () => {
    for (const { name, live } of opened) {
      await live.close()
      await flush(name)
    }
  })

  it.each([1, 2, 3, 4, 5, 6])('answers as a server does, whatever it is asked: sequence %i', async (seed) => {
    const clock = createFakeClock(START_MS)
    const parts = { clock, log: createFakeLog(), raiseEpoch: async () => 3 }
    const name = temporaryName()
    const live = await openRedisLive({
      url: REDIS_URL as string,
      name,
      signatureKey: SIGNATURE_KEY,
      demotion: DEMOTION,
      ...parts,
    })
    opened.push({ name, live })
    const hub = createHub()
    const server = createMarketServer({
      name: 'one',
      trueTime: clock.now,
      demotion: DEMOTION,
      publish: (channel, message) => hub.publish('one', channel, message),
    })
    let ids = 0
    const model = await openMarketConnection({
      ...parts,
      node: 'node',
      link: DIRECT,
      hub,
      server: () => server,
      freshId: () => `lease ${++ids}`,
      lowestEpoch: 0,
      begunEpoch: 0,
      noteBegunEpoch: async () => {},
    })
    const states = [new Map<string, unknown>(), new Map<string, unknown>()] as const
    const random = createRandom(`differential ${seed}`)
    const done: string[] = []
    for (let i = 0; i < STEPS; i += 1) {
      // Each market draws the same within a step.
      const fork = `step ${i}`
      const step = drawStep(random.fork(fork), clock.now())
      done.push(step.text)
      const ofServer = await step.run(live, states[0])
      const ofModel = await drawStep(random.fork(fork), clock.now()).run(model.live, states[1])
      expect(ofModel, done.slice(-12).join('\n')).toEqual(ofServer)
      await clock.advance(random.pick([0, 0, 1, 40, 200]))
    }
  })
})
