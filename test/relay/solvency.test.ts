import { describe, expect, it } from 'vitest'
import { orderTypedData } from '../../src/domain/order.ts'
import { type Address, contracts, usd6 } from '../../src/domain/units.ts'
import { settle } from '../support/fake-clock.ts'
import {
  createRelayHouse,
  makerAccount,
  OTHER_TAKER,
  type RelayHouse,
  refusal,
  TAKER,
  type TestMaker,
  walletOf,
} from '../support/relay-house.ts'

/** What a fill of the default request at 0.12 locks: 833 calls of 0.55 each. */
const COLLATERAL = 833n * 550_000n
const funds = (balance: bigint, allowance = balance) => ({ balance: usd6(balance), allowance: usd6(allowance) })

/** Ada's wallet can pay for so many fills. */
function fund(house: RelayHouse, fills: bigint): void {
  house.chain.wallets.set(walletOf('ada'), { core: funds(COLLATERAL * fills) })
}

/** A request with one quote, of ada's wallet under whatever name. */
async function quoted(house: RelayHouse, name: string, terms: Parameters<RelayHouse['open']>[0] = {}) {
  const { requestId } = await house.open(terms)
  await house.quote(name, requestId, { maker: walletOf('ada') })
  return requestId
}

/** Confirms the newest order that a maker was sent, with the key of ada's wallet. */
async function sign(house: RelayHouse, name: string, maker: TestMaker): Promise<string> {
  const acceptance = maker.accepted().at(-1)
  if (acceptance === undefined) throw new Error(`${name} was not asked`)
  const signature = await makerAccount('ada').signTypedData(orderTypedData(acceptance.order, acceptance.domain))
  const answer = await refusal(house.relay.confirm({ makerId: name, quoteId: acceptance.quoteId, signature }))
  await settle()
  return answer
}

/** Makes a trade of ada's with a taker; the order stays unfilled. */
async function trade(house: RelayHouse, ada: TestMaker, wallet: Address = TAKER) {
  const requestId = await quoted(house, 'ada')
  const commit = house.commit(requestId, { wallet })
  await settle()
  await ada.confirm()
  return (await commit).execution.acceptance
}

describe('two commits against one wallet that can pay for one', () => {
  it.each([0, 1, 5, 30])('at the same moment, the chain answering %s ms later: one maker is asked', async (lateMs) => {
    const house = createRelayHouse()
    fund(house, 1n)
    const ada = await house.connect('ada')
    const requests = [await quoted(house, 'ada'), await quoted(house, 'ada')]
    const { funds: read } = house.chain
    house.ports.chain.funds = async (...question) => {
      await new Promise<void>((resolve) => void house.clock.schedule(house.clock.now() + lateMs, resolve))
      return read(...question)
    }
    const commits = requests.map((requestId) => refusal(house.commit(requestId)))
    await house.clock.advance(100)
    expect(ada.accepted()).toHaveLength(1)
    await ada.confirm()
    expect((await Promise.all(commits)).sort()).toEqual(['maker_insufficient_balance', 'not refused'])
  })

  it('one after the other within the same answer of the chain: the second is judged by what the first promised', async () => {
    const house = createRelayHouse()
    fund(house, 2n)
    const ada = await house.connect('ada')
    const requests = [await quoted(house, 'ada'), await quoted(house, 'ada'), await quoted(house, 'ada')]
    const commits = requests.map((requestId) => refusal(house.commit(requestId)))
    await settle()
    expect(ada.accepted()).toHaveLength(2)
    for (const acceptance of ada.accepted()) {
      const signature = await ada.sign(acceptance)
      await house.relay.confirm({ makerId: 'ada', quoteId: acceptance.quoteId, signature })
    }
    expect((await Promise.all(commits)).sort()).toEqual(['maker_insufficient_balance', 'not refused', 'not refused'])
  })

  it('under two makers: both are asked, the first signature stands, and the next best maker follows the other', async () => {
    const house = createRelayHouse()
    fund(house, 1n)
    const [ada, bob, cyd] = [await house.connect('ada'), await house.connect('bob'), await house.connect('cyd')]
    const [first, second] = [await quoted(house, 'ada'), await quoted(house, 'bob')]
    await house.quote('cyd', second, { price: usd6(130_000n) })
    const commits = [house.commit(first), house.commit(second)]
    await settle()
    expect([ada.accepted().length, bob.accepted().length]).toEqual([1, 1])
    expect(await sign(house, 'ada', ada)).toBe('not refused')
    expect(await sign(house, 'bob', bob)).toBe('maker_insufficient_balance')
    expect(await sign(house, 'bob', bob)).toBe('no_pending_acceptance')
    await cyd.confirm()
    const makers = (await Promise.all(commits)).map(({ execution }) => execution.acceptance.makerId)
    expect(makers).toEqual(['ada', 'cyd'])
    expect(house.trail).toContainEqual(
      expect.objectContaining({
        kind: 'declined',
        makerId: 'bob',
        reason: expect.stringContaining('already promised'),
      }),
    )
  })

  it('under five makers that sign at the same moment: one signature stands', async () => {
    const house = createRelayHouse()
    fund(house, 1n)
    const names = ['ada', 'bob', 'cyd', 'dan', 'eve']
    const makers = await Promise.all(names.map(async (name) => ({ name, maker: await house.connect(name) })))
    const commits: Promise<string>[] = []
    for (const name of names) commits.push(refusal(house.commit(await quoted(house, name))))
    await settle()
    const answers = await Promise.all(makers.map(({ name, maker }) => sign(house, name, maker)))
    expect(answers.sort()).toEqual([...Array(4).fill('maker_insufficient_balance'), 'not refused'])
    expect((await Promise.all(commits)).sort()).toEqual([...Array(4).fill('no_maker_confirmed'), 'not refused'])
  })

  it('under two makers, of a wallet that can pay for both: both stand', async () => {
    const house = createRelayHouse()
    fund(house, 2n)
    const [ada, bob] = [await house.connect('ada'), await house.connect('bob')]
    const commits = [house.commit(await quoted(house, 'ada')), house.commit(await quoted(house, 'bob'))]
    await settle()
    expect([await sign(house, 'ada', ada), await sign(house, 'bob', bob)]).toEqual(['not refused', 'not refused'])
    await Promise.all(commits)
  })

  it('without a chain: nobody is judged, and both stand', async () => {
    const house = createRelayHouse({ mode: 'simulated' })
    const [ada, bob] = [await house.connect('ada'), await house.connect('bob')]
    const commits = [house.commit(await quoted(house, 'ada')), house.commit(await quoted(house, 'bob'))]
    await settle()
    expect([await sign(house, 'ada', ada), await sign(house, 'bob', bob)]).toEqual(['not refused', 'not refused'])
    await Promise.all(commits)
  })
})

describe('a taker that leaves its orders unfilled', () => {
  it('reserves no more of a maker than it could pay for, all its orders together', async () => {
    const house = createRelayHouse()
    fund(house, 4n)
    const ada = await house.connect('ada')
    const { order } = await trade(house, ada)
    for (let n = 0; n < 2; n += 1) await trade(house, ada)
    const next = await quoted(house, 'ada')
    // The third order of four fills: until here the taker can pay for each of them.
    await trade(house, ada)
    expect(await refusal(house.quote('ada', next))).toBe('maker_insufficient_balance')
    house.chain.wallets.set(TAKER, { settlement: funds(order.premiumAmount * 2n) })
    expect(await refusal(house.quote('ada', next))).toBe('not refused')
    const commit = house.commit(next, { wallet: OTHER_TAKER })
    await settle()
    await ada.confirm()
    await commit
    await quoted(house, 'ada')
  })

  it('reserves nothing after a minute in which it has approved nothing', async () => {
    const house = createRelayHouse()
    fund(house, 1n)
    const ada = await house.connect('ada')
    const { order } = await trade(house, ada)
    house.chain.wallets.set(TAKER, { settlement: funds(order.premiumAmount, 0n) })
    const { requestId } = await house.open()
    expect(await refusal(house.quote('ada', requestId))).toBe('maker_insufficient_balance')
    await house.clock.advance(60_000)
    expect(await refusal(house.quote('ada', requestId))).toBe('not refused')
  })

  it('is refused by a maker wallet once so many of them wait, until one is filled or over', async () => {
    const house = createRelayHouse({ settings: { maxUnfilledOrders: 2 } })
    const ada = await house.connect('ada')
    const [first] = [await trade(house, ada), await trade(house, ada)]
    const requestId = await quoted(house, 'ada')
    const refused = await house.commit(requestId).catch((fault: unknown) => fault)
    expect(refused).toMatchObject({ code: 'too_many_unfilled_orders', data: { retryAfterS: 131 } })
    const others = house.commit(await quoted(house, 'ada'), { wallet: OTHER_TAKER })
    await settle()
    await ada.confirm()
    await others
    house.chain.used.add(`${first.order.maker}:${first.order.nonce}`)
    const commit = house.commit(requestId)
    await settle()
    await ada.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('ada')
  })

  it('costs a maker that can pay for all its orders no look at the chain', async () => {
    const house = createRelayHouse()
    const ada = await house.connect('ada')
    for (let n = 0; n < 3; n += 1) await trade(house, ada)
    house.chain.reads.length = 0
    house.chain.usedNonces = () => Promise.reject(new Error('nobody asks'))
    await quoted(house, 'ada')
    expect(house.chain.reads.map(({ wallet }) => wallet)).toEqual([ada.wallet])
  })

  it('is read once for all its orders, in the same turn as the rest', async () => {
    const house = createRelayHouse()
    fund(house, 3n)
    const ada = await house.connect('ada')
    for (let n = 0; n < 3; n += 1) await trade(house, ada)
    house.chain.reads.length = 0
    const { requestId } = await house.open()
    expect(await refusal(house.quote('ada', requestId, { size: contracts(1n) }))).toBe('maker_insufficient_balance')
    // A refusal is judged twice: by what this node has heard, and by what the book says.
    const look = [ada.wallet, ada.wallet, TAKER]
    expect(house.chain.reads.map(({ wallet }) => wallet)).toEqual([...look, ...look])
  })
})
