import { describe, expect, it } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import { orderTypedData } from '../../../src/protocol/domain/order.ts'
import { type Address, contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { settle } from '../../support/fake-clock.ts'
import {
  createTestRelay,
  makerAccount,
  OTHER_TAKER,
  refusal,
  TAKER,
  type TestMaker,
  type TestRelay,
  walletOf,
} from '../../support/test-relay.ts'

/** What a fill of the default request at 0.12 locks: 833 calls of 0.55 each. */
const COLLATERAL = 833n * 550_000n
const funds = (balance: bigint, allowance = balance) => ({ balance: usd6(balance), allowance: usd6(allowance) })

/** Ada's wallet can pay for so many fills. */
function fund(fixture: TestRelay, fills: bigint): void {
  fixture.chain.wallets.set(walletOf('ada'), { core: funds(COLLATERAL * fills) })
}

/** A request with one quote, of ada's wallet under whatever name. */
async function quoted(fixture: TestRelay, name: string, terms: Parameters<TestRelay['open']>[0] = {}) {
  const { requestId } = await fixture.open(terms)
  await fixture.quote(name, requestId, { maker: walletOf('ada') })
  return requestId
}

/** Confirms the newest order that a maker was sent, with the key of ada's wallet. */
async function sign(fixture: TestRelay, name: string, maker: TestMaker): Promise<string> {
  const acceptance = maker.accepted().at(-1)
  if (acceptance === undefined) throw new Error(`${name} was not asked`)
  const signature = await makerAccount('ada').signTypedData(orderTypedData(acceptance.order, acceptance.domain))
  const answer = await refusal(fixture.relay.confirm({ makerId: name, quoteId: acceptance.quoteId, signature }))
  await settle()
  return answer
}

/** Makes a trade of ada's with a taker; the order stays unfilled. */
async function trade(fixture: TestRelay, ada: TestMaker, wallet: Address = TAKER) {
  const requestId = await quoted(fixture, 'ada')
  const commit = fixture.commit(requestId, { wallet })
  await settle()
  await ada.confirm()
  return (await commit).execution.acceptance
}

describe('two commits against one wallet that can pay for one', () => {
  it.each([0, 1, 5, 30])('at the same moment, the chain answering %s ms later: one maker is asked', async (lateMs) => {
    const fixture = createTestRelay()
    fund(fixture, 1n)
    const ada = await fixture.connect('ada')
    const requests = [await quoted(fixture, 'ada'), await quoted(fixture, 'ada')]
    const { funds: read } = fixture.chain
    fixture.ports.chain.funds = async (...question) => {
      await new Promise<void>((resolve) => void fixture.clock.schedule(fixture.clock.now() + lateMs, resolve))
      return read(...question)
    }
    const commits = requests.map((requestId) => refusal(fixture.commit(requestId)))
    await fixture.clock.advance(100)
    expect(ada.accepted()).toHaveLength(1)
    await ada.confirm()
    expect((await Promise.all(commits)).sort()).toEqual(['maker_insufficient_balance', 'not refused'])
  })

  it('one after the other within the same answer of the chain: the second is judged by what the first promised', async () => {
    const fixture = createTestRelay()
    fund(fixture, 2n)
    const ada = await fixture.connect('ada')
    const requests = [await quoted(fixture, 'ada'), await quoted(fixture, 'ada'), await quoted(fixture, 'ada')]
    const commits = requests.map((requestId) => refusal(fixture.commit(requestId)))
    await settle()
    expect(ada.accepted()).toHaveLength(2)
    for (const acceptance of ada.accepted()) {
      const signature = await ada.sign(acceptance)
      await fixture.relay.confirm({ makerId: 'ada', quoteId: acceptance.quoteId, signature })
    }
    expect((await Promise.all(commits)).sort()).toEqual(['maker_insufficient_balance', 'not refused', 'not refused'])
  })

  it('under two makers: both are asked, the first signature wins, and the next best maker follows the other', async () => {
    const fixture = createTestRelay()
    fund(fixture, 1n)
    const [ada, bob, cyd] = [await fixture.connect('ada'), await fixture.connect('bob'), await fixture.connect('cyd')]
    const [first, second] = [await quoted(fixture, 'ada'), await quoted(fixture, 'bob')]
    await fixture.quote('cyd', second, { price: usd6(130_000n) })
    const commits = [fixture.commit(first), fixture.commit(second)]
    await settle()
    expect([ada.accepted().length, bob.accepted().length]).toEqual([1, 1])
    expect(await sign(fixture, 'ada', ada)).toBe('not refused')
    expect(await sign(fixture, 'bob', bob)).toBe('maker_insufficient_balance')
    expect(await sign(fixture, 'bob', bob)).toBe('no_pending_acceptance')
    await cyd.confirm()
    const makers = (await Promise.all(commits)).map(({ execution }) => execution.acceptance.makerId)
    expect(makers).toEqual(['ada', 'cyd'])
    expect(fixture.auditLog).toContainEqual(
      expect.objectContaining({
        kind: 'declined',
        makerId: 'bob',
        reason: expect.stringContaining('already promised'),
      }),
    )
  })

  it('under five makers that sign at the same moment: one signature wins', async () => {
    const fixture = createTestRelay()
    fund(fixture, 1n)
    const names = ['ada', 'bob', 'cyd', 'dan', 'eve']
    const makers = await Promise.all(names.map(async (name) => ({ name, maker: await fixture.connect(name) })))
    const commits: Promise<string>[] = []
    for (const name of names) commits.push(refusal(fixture.commit(await quoted(fixture, name))))
    await settle()
    const answers = await Promise.all(makers.map(({ name, maker }) => sign(fixture, name, maker)))
    expect(answers.sort()).toEqual([...Array(4).fill('maker_insufficient_balance'), 'not refused'])
    expect((await Promise.all(commits)).sort()).toEqual([...Array(4).fill('no_maker_confirmed'), 'not refused'])
  })

  it('under two makers, of a wallet that can pay for both: both stand', async () => {
    const fixture = createTestRelay()
    fund(fixture, 2n)
    const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
    const commits = [fixture.commit(await quoted(fixture, 'ada')), fixture.commit(await quoted(fixture, 'bob'))]
    await settle()
    expect([await sign(fixture, 'ada', ada), await sign(fixture, 'bob', bob)]).toEqual(['not refused', 'not refused'])
    await Promise.all(commits)
  })

  it('without a chain: no one is judged, and both win', async () => {
    const fixture = createTestRelay({ mode: 'simulated' })
    const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
    const commits = [fixture.commit(await quoted(fixture, 'ada')), fixture.commit(await quoted(fixture, 'bob'))]
    await settle()
    expect([await sign(fixture, 'ada', ada), await sign(fixture, 'bob', bob)]).toEqual(['not refused', 'not refused'])
    await Promise.all(commits)
  })
})

describe('a taker that leaves its orders unfilled', () => {
  it('reserves no more of a maker than it could pay for, all its orders together', async () => {
    const fixture = createTestRelay()
    fund(fixture, 4n)
    const ada = await fixture.connect('ada')
    const { order } = await trade(fixture, ada)
    for (let n = 0; n < 2; n += 1) await trade(fixture, ada)
    const next = await quoted(fixture, 'ada')
    // The third order of four fills: until here the taker can pay for each of them.
    await trade(fixture, ada)
    expect(await refusal(fixture.quote('ada', next))).toBe('maker_insufficient_balance')
    fixture.chain.move(TAKER, { settlement: funds(order.premiumAmount * 2n) })
    expect(await refusal(fixture.quote('ada', next))).toBe('not refused')
    const commit = fixture.commit(next, { wallet: OTHER_TAKER })
    await settle()
    await ada.confirm()
    await commit
    await quoted(fixture, 'ada')
  })

  it('reserves nothing after a minute in which it has approved nothing', async () => {
    const fixture = createTestRelay()
    fund(fixture, 1n)
    const ada = await fixture.connect('ada')
    const { order } = await trade(fixture, ada)
    fixture.chain.wallets.set(TAKER, { settlement: funds(order.premiumAmount, 0n) })
    const { requestId } = await fixture.open()
    expect(await refusal(fixture.quote('ada', requestId))).toBe('maker_insufficient_balance')
    await fixture.clock.advance(60_000)
    expect(await refusal(fixture.quote('ada', requestId))).toBe('not refused')
  })

  it('is refused by a maker wallet once so many of them wait, until one is filled or over', async () => {
    const fixture = createTestRelay({ settings: { maxUnfilledOrders: 2 } })
    const ada = await fixture.connect('ada')
    const [first] = [await trade(fixture, ada), await trade(fixture, ada)]
    const requestId = await quoted(fixture, 'ada')
    const refused = await fixture.commit(requestId).catch((fault: unknown) => fault)
    expect(refused).toMatchObject({ code: 'too_many_unfilled_orders', data: { retryAfterS: 131 } })
    const others = fixture.commit(await quoted(fixture, 'ada'), { wallet: OTHER_TAKER })
    await settle()
    await ada.confirm()
    await others
    fixture.chain.use(first.order)
    const commit = fixture.commit(requestId)
    await settle()
    await ada.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('ada')
  })

  it('costs a maker that can pay for all its orders no look at the chain', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    for (let n = 0; n < 3; n += 1) await trade(fixture, ada)
    fixture.chain.reads.length = 0
    fixture.chain.fundsAt = () => Promise.reject(new Error('nobody asks'))
    await quoted(fixture, 'ada')
    expect(fixture.chain.reads.map(({ wallet }) => wallet)).toEqual([ada.wallet])
  })

  it('is read once for all its orders, in the same turn as the rest', async () => {
    const fixture = createTestRelay()
    fund(fixture, 3n)
    const ada = await fixture.connect('ada')
    for (let n = 0; n < 3; n += 1) await trade(fixture, ada)
    fixture.chain.reads.length = 0
    const { requestId } = await fixture.open()
    expect(await refusal(fixture.quote('ada', requestId, { size: contracts(1n) }))).toBe('maker_insufficient_balance')
    // A refusal is judged twice, by what this node has heard and by what the book says, and the block says the same.
    expect(fixture.chain.reads.map(({ wallet }) => wallet)).toEqual([ada.wallet, ada.wallet, TAKER, ada.wallet])
  })

  it('costs one look for all quotes of a block, and another one in the next block or after a failed one', async () => {
    const fixture = createTestRelay()
    fund(fixture, 4n)
    const ada = await fixture.connect('ada')
    const { order } = await trade(fixture, ada)
    for (let n = 0; n < 3; n += 1) await trade(fixture, ada)
    fixture.chain.move(TAKER, { settlement: funds(order.premiumAmount) })
    const { requestId } = await fixture.open()
    const { fundsAt } = fixture.chain
    let looks = 0
    let isDown = true
    fixture.chain.fundsAt = (...asked) => {
      looks += 1
      return isDown ? Promise.reject(new RfqError('chain_unavailable')) : fundsAt(...asked)
    }
    expect(await refusal(fixture.quote('ada', requestId))).toBe('chain_unavailable')
    isDown = false
    const failed = looks
    for (let n = 0; n < 5; n += 1) expect(await refusal(fixture.quote('ada', requestId))).toBe('not refused')
    expect(looks).toBe(failed + 1)
    fixture.chain.move(TAKER, { settlement: funds(order.premiumAmount * 4n) })
    expect(await refusal(fixture.quote('ada', requestId))).toBe('maker_insufficient_balance')
    expect(looks).toBe(failed + 2)
  })
})

describe('the fill of an order that a wallet owes', () => {
  /** Each block has its own funds; a read in a block gives those of it. */
  function withFundsByBlock(fixture: TestRelay, fundsIn: (block: number) => bigint) {
    const { chain } = fixture
    const orders = fixture.ports.orderEvents
    if (orders === null) throw new Error('there is a chain')
    chain.funds = async () => funds(fundsIn(chain.block))
    chain.fundsAt = async (wallets, { block }) =>
      wallets.map(({ wallet }) => (wallet === walletOf('ada') ? funds(fundsIn(block)) : funds(10n ** 15n)))
    return { chain, orders }
  }

  it('gives its wallet no money twice, whenever it comes between the reads', async () => {
    // Before the fill the wallet holds two fills and owes one; after it, one. So one more may be promised, and never two.
    for (const moment of ['before the funds', 'before the events', 'after the events', 'after the funds'] as const) {
      const fixture = createTestRelay()
      const [ada] = [await fixture.connect('ada')]
      fund(fixture, 9n)
      const { order } = await trade(fixture, ada)
      const filledIn = fixture.chain.block + 1
      const { chain, orders } = withFundsByBlock(fixture, (block) => COLLATERAL * (block < filledIn ? 2n : 1n))
      const fill = (at: typeof moment) => at === moment && chain.block < filledIn && chain.use(order)
      const { funds: latest, fundsAt } = chain
      const { read } = orders
      fixture.ports.chain.funds = async (...asked) => {
        fill('before the funds')
        return latest(...asked)
      }
      orders.read = async (freshness) => {
        fill('before the events')
        const sight = await read(freshness)
        fill('after the events')
        return sight
      }
      fixture.ports.chain.fundsAt = async (...asked) => {
        const found = await fundsAt(...asked)
        fill('after the funds')
        return found
      }
      const requests = [await quoted(fixture, 'ada'), await quoted(fixture, 'ada')]
      const commits = requests.map((requestId) => refusal(fixture.commit(requestId, { wallet: OTHER_TAKER })))
      await settle()
      expect(ada.accepted(), moment).toHaveLength(2)
      for (const one of ada.accepted().slice(1))
        await fixture.relay.confirm({ makerId: 'ada', quoteId: one.quoteId, signature: await ada.sign(one) })
      expect((await Promise.all(commits)).sort(), moment).toEqual(['maker_insufficient_balance', 'not refused'])
    }
  })

  it('that another node has seen does not count for funds of an earlier block', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    fund(fixture, 9n)
    const acceptance = await trade(fixture, ada)
    const filledIn = fixture.chain.block + 3
    withFundsByBlock(fixture, (block) => COLLATERAL * (block < filledIn ? 1n : 0n))
    const end = { state: 'filled', transactionHash: `0x${'ab'.repeat(32)}`, blockNumber: filledIn } as const
    await fixture.ports.store.orders.end([{ ...acceptance, end }])
    const { requestId } = await fixture.open()
    expect(await refusal(fixture.quote('ada', requestId))).toBe('maker_insufficient_balance')
    fixture.chain.block = filledIn
    expect(await refusal(fixture.quote('ada', requestId))).toBe('maker_insufficient_balance')
  })

  it('refuses no wallet for a block that is older than its newest money', async () => {
    const fixture = createTestRelay()
    fund(fixture, 1n)
    const ada = await fixture.connect('ada')
    const { order } = await trade(fixture, ada)
    fixture.chain.move(walletOf('ada'), { core: funds(0n) })
    fixture.chain.use(order)
    fixture.chain.move(walletOf('ada'), { core: funds(COLLATERAL) })
    fixture.chain.eventsBehind = 1
    await expect(quoted(fixture, 'ada')).resolves.toBeTypeOf('string')
  })

  it('releases what it had reserved at once, also before it is final', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    fund(fixture, 1n)
    const { order } = await trade(fixture, ada)
    const { requestId } = await fixture.open()
    expect(await refusal(fixture.quote('ada', requestId))).toBe('maker_insufficient_balance')
    fixture.chain.unfinal = 100
    fixture.chain.use(order)
    expect(await refusal(fixture.quote('ada', requestId))).toBe('not refused')
  })

  it('is looked for with one read, whatever the number of orders, and a commit is refused where events cannot be read', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    for (let n = 0; n < 12; n += 1) await trade(fixture, ada)
    fund(fixture, 12n)
    let reads = 0
    const orders = fixture.ports.orderEvents as NonNullable<TestRelay['ports']['orderEvents']>
    const { read } = orders
    orders.read = async (freshness) => {
      reads += 1
      return read(freshness)
    }
    const { requestId } = await fixture.open()
    expect(await refusal(fixture.quote('ada', requestId))).toBe('maker_insufficient_balance')
    // A refusal is judged twice.
    expect(reads).toBe(2)
    orders.read = () => Promise.reject(new RfqError('chain_unavailable'))
    expect(await refusal(fixture.quote('ada', requestId))).toBe('chain_unavailable')
  })
})
