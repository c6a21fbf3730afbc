import { describe, expect, it } from 'vitest'
import type { VanillaOption } from '../../../src/protocol/domain/option.ts'
import { type Address, usd6 } from '../../../src/protocol/domain/units.ts'
import type { MakerMessage } from '../../../src/relay/core/ports/live.ts'
import { createRelay } from '../../../src/relay/core/relay.ts'
import { createTestRelay, RELAY_SETTINGS, type TestRelay } from '../../support/test-relay.ts'

type Told = Extract<MakerMessage, { kind: 'order_defunded' }>

const HUGE = usd6(10n ** 15n)
const has = (balance: bigint, allowance: bigint = HUGE) => {
  const funds = { balance: usd6(balance), allowance: usd6(allowance) }
  return { core: funds, settlement: funds }
}

/** A relay that watches, a maker that signs, and what it is told of orders that it defunded. */
async function watched(options: Parameters<typeof createTestRelay>[0] = {}) {
  const fixture = createTestRelay(options)
  const told: Told[] = []
  fixture.ports.bus.subscribe('maker', 'ada', (message) => message.kind === 'order_defunded' && told.push(message))
  await fixture.relay.start()
  await mined(fixture)
  return { fixture, told }
}

/** Another block, and a poll that reads it. */
async function mined({ chain, clock }: TestRelay): Promise<void> {
  chain.block += 1
  await clock.advance(2_000)
}

const facts = ({ auditLog }: TestRelay) => auditLog.filter(({ kind }) => kind === 'order_defunded')
const history = async ({ relay }: TestRelay) => {
  const query = { makerId: 'ada', after: null, since: null, status: null, limit: 10 } as const
  return (await relay.makerHistory(query)).map((one) => ('defunding' in one ? one.defunding : null))
}

describe('a maker that takes its money away while an order of it is open', () => {
  it('is announced once, with the audit log and its history', async () => {
    const { fixture, told } = await watched()
    const { requestId, quoteId, makerId, order } = await fixture.trade()
    await mined(fixture)
    expect([told, await history(fixture)]).toEqual([[], [null]])
    fixture.chain.move(order.maker, has(0n))
    await mined(fixture)
    const defunding = { code: 'maker_insufficient_balance', blockNumber: fixture.chain.block }
    expect(told).toEqual([{ kind: 'order_defunded', requestId, quoteId, defunding }])
    expect(facts(fixture)).toEqual([
      { kind: 'order_defunded', at: expect.any(Number), requestId, makerId, quoteId, ...defunding },
    ])
    expect(await history(fixture)).toEqual([defunding])
    const { outcomes } = await fixture.ports.store.makerRecords.find(makerId)
    expect(outcomes.map(({ kind }) => kind)).toEqual(['defunded'])
    fixture.chain.move(order.maker, has(HUGE))
    await mined(fixture)
    fixture.chain.move(order.maker, has(0n))
    await mined(fixture)
    expect([told.length, facts(fixture).length]).toEqual([1, 1])
  })

  it('before the first look at the order is announced, too', async () => {
    const { fixture, told } = await watched()
    const { order } = await fixture.trade()
    await fixture.clock.advance(500)
    fixture.chain.move(order.maker, has(0n))
    await mined(fixture)
    expect(told).toHaveLength(1)
  })

  it('covers its allowance, too', async () => {
    const { fixture, told } = await watched()
    const { order } = await fixture.trade()
    await mined(fixture)
    fixture.chain.move(order.maker, has(HUGE, 0n))
    await mined(fixture)
    expect(told).toMatchObject([{ defunding: { code: 'maker_insufficient_allowance' } }])
  })

  it('comes once the block is final, without what was put back by then', async () => {
    const { fixture, told } = await watched()
    const { order } = await fixture.trade()
    fixture.chain.unfinal = 3
    await mined(fixture)
    fixture.chain.move(order.maker, has(0n))
    await mined(fixture)
    expect(told).toEqual([])
    fixture.chain.move(order.maker, has(HUGE))
    for (let i = 0; i < 5; i += 1) await mined(fixture)
    expect(told).toHaveLength(1)
    expect(told[0]?.defunding.blockNumber).toBeLessThan(fixture.chain.block - 5)
  })

  it('is announced once by two nodes that see it', async () => {
    const { fixture, told } = await watched()
    const { order } = await fixture.trade()
    await createRelay(fixture.ports, RELAY_SETTINGS).start()
    await mined(fixture)
    fixture.chain.move(order.maker, has(0n))
    await mined(fixture)
    await mined(fixture)
    expect([told.length, facts(fixture).length]).toEqual([1, 1])
  })

  it('and is looked at again after an outage of the node that answers', async () => {
    const { fixture, told } = await watched()
    const { order } = await fixture.trade()
    await mined(fixture)
    fixture.chain.down = true
    fixture.chain.move(order.maker, has(0n))
    await mined(fixture)
    expect(told).toEqual([])
    fixture.chain.down = false
    await mined(fixture)
    expect(told).toHaveLength(1)
  })
})

describe('no message', () => {
  it('for an order that ended up to the same block, whatever its wallet has then', async () => {
    const { fixture, told } = await watched()
    const { order } = await fixture.trade()
    await mined(fixture)
    fixture.chain.use(order)
    fixture.chain.move(order.maker, has(0n))
    await mined(fixture)
    expect([told, facts(fixture)]).toEqual([[], []])
  })

  it('for an order that a fill of another one leaves without money', async () => {
    const { fixture, told } = await watched()
    const [first, second] = [await fixture.trade(), await fixture.trade()]
    const { strikeBps } = first.option as VanillaOption
    const collateral = first.order.optionAmount * BigInt(10_000 - strikeBps) * 100n
    // As much as one of them takes: its taker could pay for no more when the second was signed.
    fixture.chain.move(first.order.maker, has(collateral))
    await fixture.clock.advance(500)
    fixture.chain.use(first.order)
    fixture.chain.move(first.order.maker, has(0n))
    await mined(fixture)
    expect(second.order.maker).toBe(first.order.maker)
    expect([told, facts(fixture)]).toEqual([[], []])
    const { outcomes } = await fixture.ports.store.makerRecords.find('ada')
    expect(outcomes.map(({ kind }) => kind)).toEqual(['confirmed', 'confirmed'])
  })

  it('for an order that was signed before this process began, until it has looked once', async () => {
    const { fixture } = await watched()
    const { order } = await fixture.trade()
    fixture.chain.move(order.maker, has(0n))
    const next = await fixture.restart(5_000)
    const told: MakerMessage[] = []
    next.ports.bus.subscribe('maker', 'ada', (message) => message.kind === 'order_defunded' && told.push(message))
    await next.relay.start()
    await mined(next)
    await mined(next)
    expect(told).toEqual([])
  })

  it('and nothing read while no order is open', async () => {
    const { fixture } = await watched()
    await mined(fixture)
    await mined(fixture)
    expect(fixture.chain.reads).toEqual([])
  })

  it('and nothing read without a chain', async () => {
    const { fixture } = await watched({ mode: 'simulated' })
    await fixture.trade()
    fixture.chain.reads.length = 0
    await mined(fixture)
    expect(fixture.chain.reads).toEqual([])
  })
})

describe('a look is bounded', () => {
  const wallet = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`

  /** What the store is asked after, poll by poll, where it has so many open orders of each of so many wallets. */
  async function askedAfter(polls: number, { wallets, each }: { wallets: number; each: number }): Promise<string[]> {
    const { fixture } = await watched()
    const { option, createdAt, ...signed } = await fixture.trade()
    const listed = Array.from({ length: wallets }, (_, i) => wallet(i + 1)).flatMap((maker) =>
      Array.from({ length: each }, () => ({
        ...signed,
        order: { ...signed.order, maker },
        option,
        createdAt,
        confirmedAt: 0,
      })),
    )
    const asked: string[] = []
    fixture.ports.store.orders.open = async ({ after, wallets: most, limit }) => {
      asked.push(after)
      const later = listed.filter(({ order }) => order.maker > after && order.maker <= wallet(Number(after) + most))
      return later.slice(0, limit)
    }
    for (let i = 0; i < polls; i += 1) await mined(fixture)
    return asked.filter((after, i) => after !== asked[i - 1])
  }

  it('to a hundred wallets: the next poll takes the next ones, and begins again after the last', async () => {
    expect(await askedAfter(3, { wallets: 150, each: 1 })).toEqual(['', wallet(100), ''])
  })

  it('to two thousand orders, of which one wallet may have all: the others have their turn', async () => {
    expect(await askedAfter(3, { wallets: 2, each: 1_999 })).toEqual(['', wallet(1), ''])
    expect(await askedAfter(4, { wallets: 2, each: 2_000 })).toEqual(['', wallet(1), wallet(2), ''])
  })
})
