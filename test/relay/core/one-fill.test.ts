import { describe, expect, it } from 'vitest'
import { type Order, orderTypedData } from '../../../src/protocol/domain/order.ts'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { settle } from '../../support/fake-clock.ts'
import {
  createTestRelay,
  makerAccount,
  OTHER_TAKER,
  RELAY_SETTINGS,
  refusal,
  TAKER,
  type TestRelay,
  walletOf,
} from '../../support/test-relay.ts'

const ADA = walletOf('ada')
/** What a fill of the default request at 0.12 locks: 833 calls of 0.55 each. */
const COLLATERAL = 833n * 550_000n
const QUOTES = 12

const funds = (balance: bigint) => ({ balance: usd6(balance), allowance: usd6(balance) })

/** Ten insolvencies suspend a maker. */
const createRelay = () =>
  createTestRelay({ settings: { breaker: { ...RELAY_SETTINGS.breaker, suspensionMs: 900_000 } } })

/** An order of ada's wallet, which can pay it, for a taker that has no money for it yet; `name` signs. */
async function signed(fixture: TestRelay, name: string): Promise<Order> {
  fixture.chain.wallets.set(ADA, { core: funds(COLLATERAL) })
  fixture.chain.wallets.set(TAKER, { settlement: funds(0n) })
  const maker = await fixture.connect(name)
  const { requestId } = await fixture.open()
  await fixture.quote(name, requestId, { maker: ADA })
  const commit = fixture.commit(requestId, { wallet: TAKER })
  await settle()
  const [acceptance] = maker.accepted()
  if (acceptance === undefined) throw new Error(`${name} was not asked`)
  const { quoteId, order, domain } = acceptance
  const signature = await makerAccount('ada').signTypedData(orderTypedData(order, domain))
  await fixture.relay.confirm({ makerId: name, quoteId, signature })
  await commit
  return order
}

/** Ada quotes on other requests, which strangers take a minute after her wallet was emptied, `apartMs` apart; what she did since. */
async function taken(fixture: TestRelay, empty: () => void, apartMs: number) {
  await fixture.connect('ada')
  await fixture.clock.advance(1_000)
  const requests: string[] = []
  for (let n = 0; n < QUOTES; n += 1) {
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    requests.push(requestId)
  }
  await fixture.clock.advance(1_000)
  empty()
  fixture.chain.wallets.set(ADA, { core: funds(0n) })
  await fixture.clock.advance(70_000)
  const answers = new Set<string>()
  for (const requestId of requests) {
    answers.add(await refusal(fixture.commit(requestId, { wallet: OTHER_TAKER })))
    await fixture.clock.advance(apartMs)
  }
  const { outcomes, suspension } = await fixture.ports.store.makerRecords.find('ada')
  const marks = outcomes.map(({ kind }) => kind).filter((kind) => kind !== 'confirmed')
  return { answers: [...answers], marks, isSuspended: suspension !== null }
}

describe('a maker whose quotes are taken when its wallet is empty', () => {
  it.each([
    ['one fill of an order of its own', 'ada', 0],
    ['one fill that is not final yet', 'ada', 100_000],
    ['one fill of an order of another maker of the wallet', 'bob', 0],
  ])('is not marked for it by %s (invariant V12)', async (_, name, unfinal) => {
    const fixture = createRelay()
    await fixture.relay.start()
    fixture.chain.unfinal = unfinal
    const order = await signed(fixture, name)
    const { answers, marks, isSuspended } = await taken(fixture, () => fixture.chain.use(order), 11_000)
    expect({ answers, marks, isSuspended }).toEqual({
      answers: ['maker_insufficient_balance'],
      marks: [],
      isSuspended: false,
    })
  })

  it('is marked, and suspended, where it has moved its money away', async () => {
    const fixture = createRelay()
    await fixture.relay.start()
    fixture.chain.wallets.set(ADA, { core: funds(COLLATERAL) })
    const { marks, isSuspended } = await taken(fixture, () => {}, 11_000)
    expect(marks.length).toBeGreaterThanOrEqual(10)
    expect(new Set(marks)).toEqual(new Set(['insolvent']))
    expect(isSuspended).toBe(true)
  })

  it('is marked once where all are taken at once', async () => {
    const fixture = createRelay()
    await fixture.relay.start()
    fixture.chain.wallets.set(ADA, { core: funds(COLLATERAL) })
    const { marks, isSuspended } = await taken(fixture, () => {}, 0)
    expect({ marks, isSuspended }).toEqual({ marks: ['insolvent'], isSuspended: false })
  })
})
