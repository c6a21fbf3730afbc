import { describe, expect, it } from 'vitest'
import { type MakerProtections, NO_PROTECTIONS } from '../../../src/protocol/domain/maker-protections.ts'
import { type Address, usd6 } from '../../../src/protocol/domain/units.ts'
import { settle } from '../../support/fake-clock.ts'
import {
  createTestRelay,
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

/** Ada's wallet can pay for so many hundredths of a fill. */
const fund = (fixture: TestRelay, hundredths: bigint): void => {
  fixture.chain.wallets.set(walletOf('ada'), { core: funds((COLLATERAL * hundredths) / 100n) })
}

/** A wallet that can pay, has approved what it pays, and knows nothing of who names it. */
const RICH: Address = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'

type Taker = { wallet?: Address; isProven?: boolean; clientAddress?: string }

/** Commits a request of its own on which ada quotes; ada signs what it is asked. What comes of it, as a code. */
async function trade(fixture: TestRelay, ada: TestMaker, { wallet = TAKER, ...by }: Taker = {}): Promise<string> {
  const { requestId } = await fixture.open()
  const quoted = await refusal(fixture.quote('ada', requestId))
  if (quoted !== 'not refused') return `quote: ${quoted}`
  const asked = ada.accepted().length
  const commit = refusal(fixture.commit(requestId, { wallet }, by))
  await settle()
  if (ada.accepted().length > asked) await ada.confirm()
  return commit
}

const stranger: Taker = { wallet: RICH, isProven: false }

describe('a stranger that names a rich wallet', () => {
  it('binds none of a maker by a wallet that has approved nothing, from the first second', async () => {
    const fixture = createTestRelay()
    fund(fixture, 100n)
    const ada = await fixture.connect('ada')
    fixture.chain.wallets.set(RICH, { settlement: funds(10n ** 15n, 0n) })
    expect(await trade(fixture, ada, stranger)).toBe('not refused')
    expect(await trade(fixture, ada)).toBe('not refused')
  })

  it('binds a quarter of a maker at most, whatever that wallet has approved, and however often it is named', async () => {
    const fixture = createTestRelay()
    fund(fixture, 300n)
    const ada = await fixture.connect('ada')
    for (let n = 0; n < 3; n += 1) expect(await trade(fixture, ada, stranger)).toBe('not refused')
    // Of three fills three quarters are left: two whole ones.
    expect(await trade(fixture, ada)).toBe('not refused')
    expect(await trade(fixture, ada, { wallet: OTHER_TAKER })).toBe('not refused')
    expect(await trade(fixture, ada)).toBe('quote: maker_insufficient_balance')
  })

  it('is asked for a proof where only what other strangers took is in its way, which counts for nothing against the maker', async () => {
    const fixture = createTestRelay()
    fund(fixture, 150n)
    const ada = await fixture.connect('ada')
    expect(await trade(fixture, ada, stranger)).toBe('not refused')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const refused = await fixture.commit(requestId, { wallet: RICH }, { isProven: false }).catch((fault) => fault)
    expect(refused).toMatchObject({ code: 'maker_insufficient_balance', data: { proofRequired: true } })
    expect(refused.message).toMatch(/already promised\. A commit with a proof of its wallet is not held up by this\.$/)
    expect((await fixture.ports.store.makerRecords.find('ada')).outcomes.map(({ kind }) => kind)).toEqual(['confirmed'])
    expect(await fixture.ports.book.demoted()).toEqual([])
    expect(await trade(fixture, ada)).toBe('not refused')
  })

  it('finds what it found before where a proof would not help: the purse is empty', async () => {
    const fixture = createTestRelay()
    fund(fixture, 100n)
    const ada = await fixture.connect('ada')
    expect(await trade(fixture, ada)).toBe('not refused')
    const { requestId } = await fixture.open()
    fund(fixture, 250n)
    await fixture.quote('ada', requestId)
    fund(fixture, 100n)
    expect(await refusal(fixture.commit(requestId, { wallet: RICH }, { isProven: false }))).toBe(
      'maker_insufficient_balance',
    )
  })

  it('does not use up the orders that the wallet may have of a maker, nor is it let use up more than those', async () => {
    const fixture = createTestRelay({ settings: { maxUnfilledOrders: 2 } })
    const ada = await fixture.connect('ada')
    const inItsName = { wallet: TAKER, isProven: false }
    expect(await trade(fixture, ada, inItsName)).toBe('not refused')
    expect(await trade(fixture, ada, inItsName)).toBe('not refused')
    expect(await trade(fixture, ada, inItsName)).toBe('proof_required')
    expect(await trade(fixture, ada)).toBe('not refused')
    expect(await trade(fixture, ada)).toBe('not refused')
    expect(await trade(fixture, ada)).toBe('too_many_unfilled_orders')
  })

  it('is given so many orders of a maker from one address, and a proof or another address is given its own', async () => {
    const fixture = createTestRelay({ settings: { maxUnprovenOrders: 2 } })
    const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
    for (let n = 0; n < 2; n += 1) expect(await trade(fixture, ada, stranger)).toBe('not refused')
    expect(await trade(fixture, ada, stranger)).toBe('proof_required')
    expect(await trade(fixture, ada, { ...stranger, clientAddress: '192.0.2.7' })).toBe('not refused')
    expect(await trade(fixture, ada)).toBe('not refused')
    // Behind ada there is someone else.
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    await fixture.quote('bob', requestId, { price: usd6(130_000n) })
    const commit = fixture.commit(requestId, { wallet: RICH }, { isProven: false })
    await settle()
    await bob.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('bob')
  })
})

describe('a stranger without a cent, and the windows of a maker', () => {
  const guarded = (bounds: Partial<MakerProtections['windows'][0]>): MakerProtections => ({
    ...NO_PROTECTIONS,
    windows: [{ ms: 60_000, maxAccepted: null, maxContracts: null, maxNotional: null, maxCollateral: null, ...bounds }],
  })

  it.each([
    ['orders', { maxAccepted: 4 }],
    ['premiums', { maxNotional: usd6(400_000_000n) }],
  ])('takes a quarter of the %s, trips nothing, and leaves its quotes to others', async (_, bounds) => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    await fixture.relay.protections.put('ada', guarded(bounds))
    expect(await trade(fixture, ada, stranger)).toBe('not refused')
    const { requestId } = await fixture.open()
    const quoteId = await fixture.quote('ada', requestId)
    expect(await refusal(fixture.commit(requestId, { wallet: RICH }, { isProven: false }))).toBe('proof_required')
    expect((await fixture.relay.makerBook('ada')).quotes).toMatchObject([{ quoteId }])
    expect(await fixture.relay.protections.read('ada')).toMatchObject({ trip: null })
    const commit = fixture.commit(requestId)
    await settle()
    await ada.confirm()
    expect((await commit).execution.acceptance.quoteId).toBe(quoteId)
  })

  it('is passed over for the next maker, firm or not', async () => {
    const fixture = createTestRelay()
    const bob = await fixture.connect('bob')
    await fixture.relay.protections.put('ada', guarded({ maxAccepted: 1 }))
    const { requestId } = await fixture.open({ wallet: RICH })
    await fixture.quoteFirm('ada', requestId)
    await fixture.quote('bob', requestId, { price: usd6(130_000n) })
    const commit = fixture.commit(requestId, { wallet: RICH }, { isProven: false })
    await settle()
    await bob.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('bob')
    expect(await fixture.relay.protections.read('ada')).toMatchObject({ trip: null })
  })
})

describe('wallets that strangers make, each of which proves itself and has nothing', () => {
  const wallets = Array.from({ length: 600 }, (_, i): Address => `0x${(i + 1).toString(16).padStart(40, '0')}`)

  /** A signed order of ada's for each of the wallets, as the store lists them. */
  async function owed(fixture: TestRelay, isProven: boolean) {
    const ada = await fixture.connect('ada')
    expect(await trade(fixture, ada)).toBe('not refused')
    const { store } = fixture.ports
    const { version, orders } = await store.acceptances.outstandingOf(walletOf('ada'), 0)
    const [order] = orders
    if (order === undefined) throw new Error('nothing is owed')
    const many = wallets.map((taker, i) => ({ ...order, taker, nonce: i + 10, acceptanceId: `owed-${i}`, isProven }))
    store.acceptances.outstandingOf = () => ({ version, orders: many })
    for (const taker of wallets) fixture.chain.wallets.set(taker, { settlement: funds(0n) })
    return ada
  }

  it.each([true, false])('are read up to a bound, and bind a quarter beyond it (proven: %s)', async (isProven) => {
    const fixture = createTestRelay()
    fund(fixture, 200n)
    await owed(fixture, isProven)
    fixture.chain.reads.length = 0
    const { requestId } = await fixture.open()
    expect(await refusal(fixture.quote('ada', requestId))).toBe('not refused')
    const takers = fixture.chain.reads.filter(({ wallet }) => wallet !== walletOf('ada'))
    expect(takers).toHaveLength(512)
  })
})
