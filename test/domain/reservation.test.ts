import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Order } from '../../src/domain/order.ts'
import {
  type Asker,
  checkFunds,
  type Funds,
  fromInventoryOf,
  type OutstandingOnChain,
  type OutstandingOrder,
  otherOf,
  outstandingOrder,
  reservedFor,
  unfilledOf,
  withLostLongs,
} from '../../src/domain/reservation.ts'
import { contracts, type StrikeBps, type Usd6, usd6 } from '../../src/domain/units.ts'
import { walletOf } from '../support/arbitraries.ts'
import { mostDrawn, owedByRunningSum } from '../support/oracles/reservation.ts'

const NOW = 1_000_000
const MINUTE = 60_000
const [ada, bob] = [walletOf(1), walletOf(2)]
const asker: Asker = { makerId: 'maker-1', spender: 'core', seriesId: '1', chainTime: 1_000, now: NOW }

/** A signed order of 5 for which its taker pays 2. */
const confirmed: OutstandingOrder = {
  acceptanceId: 'acceptance-1',
  makerId: 'maker-1',
  nonce: 1,
  validUntil: 1_000,
  confirmedAt: NOW,
  spender: 'core',
  amount: usd6(5n),
  seriesId: '1',
  longs: contracts(0n),
  taker: ada,
  takerAmount: usd6(2n),
  endedIn: null,
}
const pending: OutstandingOrder = { ...confirmed, confirmedAt: null }
const has = (balance: bigint, allowance = balance): Funds => ({ balance: usd6(balance), allowance: usd6(allowance) })
const onChain = (takers: OutstandingOnChain['takers'] = new Map(), used: number[] = []): OutstandingOnChain => ({
  hasEnded: ({ nonce }) => used.includes(nonce),
  takers,
})
const reserved = (orders: OutstandingOrder[], by: Partial<Asker> = {}, seen: OutstandingOnChain | null = null) =>
  reservedFor(orders, { ...asker, ...by }, seen)

describe('what a wallet owes', () => {
  test('is nothing without promises', () => {
    expect(reserved([])).toEqual({ total: 0n, viaSpender: 0n, longs: 0n })
  })

  test('holds a confirmed order until the last second in which it can be filled', () => {
    expect(reserved([confirmed], { chainTime: 1_000 }).total).toBe(5n)
    expect(reserved([confirmed], { chainTime: 1_001 }).total).toBe(0n)
  })

  test('forgets a confirmed order that was filled or cancelled', () => {
    expect(reserved([confirmed], {}, onChain(new Map(), [2])).total).toBe(5n)
    expect(reserved([confirmed], {}, onChain(new Map(), [1])).total).toBe(0n)
  })

  test('holds a confirmed order whichever maker was asked: the wallet signed it', () => {
    expect(reserved([{ ...confirmed, makerId: 'maker-2' }]).total).toBe(5n)
    expect(reserved([confirmed], { makerId: null }).total).toBe(5n)
  })

  test("holds a pending acceptance against its own maker only, so that nobody blocks a stranger's wallet", () => {
    expect(reserved([pending]).total).toBe(5n)
    expect(reserved([pending], {}, onChain(new Map([[ada, { settlement: has(0n) }]]))).total).toBe(5n)
    expect(reserved([{ ...pending, makerId: 'maker-2' }]).total).toBe(0n)
    expect(reserved([pending], { makerId: null }).total).toBe(0n)
  })

  test('draws on the balance through either contract, but on an allowance only through its own', () => {
    const other: OutstandingOrder = { ...confirmed, spender: 'settlement', amount: usd6(7n) }
    expect(reserved([confirmed, other])).toEqual({ total: 12n, viaSpender: 5n, longs: 0n })
    expect(reserved([confirmed, other], { spender: 'settlement' })).toEqual({ total: 12n, viaSpender: 7n, longs: 0n })
  })
})

describe('the orders of one taker', () => {
  const three = [1, 2, 3].map((nonce) => ({ ...confirmed, nonce, acceptanceId: `acceptance-${nonce}` }))
  const of = (settlement: Funds) => onChain(new Map([[ada, { settlement }]]))

  test('count as far as it can pay for them together', () => {
    expect(reserved(three, {}, of(has(6n))).total).toBe(15n)
    expect(reserved(three, {}, of(has(4n))).total).toBe(10n)
    expect(reserved(three, {}, of(has(0n))).total).toBe(0n)
  })

  test('are bounded from above where it can pay for one in part', () => {
    expect(reserved(three, {}, of(has(3n))).total).toBe(8n)
  })

  test('count by what draws most for its money', () => {
    const dear = { ...confirmed, nonce: 9, amount: usd6(100n), takerAmount: usd6(3n) }
    expect(reserved([confirmed, dear], {}, of(has(3n))).total).toBe(100n)
  })

  test('count together whichever way they are paid, since they are paid from one balance', () => {
    const seen = onChain(new Map([[ada, { settlement: has(2n), core: has(2n) }]]))
    const reverse: OutstandingOrder = { ...confirmed, nonce: 9, spender: 'settlement', amount: usd6(7n) }
    expect(reserved([confirmed, reverse], {}, seen)).toEqual({ total: 7n, viaSpender: 5n, longs: 0n })
  })

  test('do not count together with those of another taker', () => {
    const seen = onChain(new Map([ada, bob].map((taker) => [taker, { settlement: has(2n) }])))
    expect(reserved([...three, { ...confirmed, taker: bob }], {}, seen).total).toBe(10n)
  })

  test('count for a minute although it has approved nothing: the approval comes after the commit', () => {
    expect(reserved(three, { now: NOW + MINUTE - 1 }, of(has(6n, 0n))).total).toBe(15n)
    expect(reserved(three, { now: NOW + MINUTE }, of(has(6n, 0n))).total).toBe(0n)
    expect(reserved(three, { now: NOW + MINUTE }, of(has(6n, 2n))).total).toBe(5n)
  })

  test('are unfilled while they are signed, can be filled and were not', () => {
    const orders = [...three, { ...pending, nonce: 4 }, { ...confirmed, nonce: 5, taker: bob }]
    expect(unfilledOf(orders, ada, 1_000, null)).toHaveLength(3)
    expect(unfilledOf(orders, ada, 1_000, onChain(new Map(), [1, 2]))).toHaveLength(1)
    expect(unfilledOf(orders, ada, 1_001, null)).toHaveLength(0)
  })
})

describe('options that a wallet holds', () => {
  const sale: OutstandingOrder = { ...confirmed, amount: usd6(0n), longs: contracts(5n) }

  test('are owed in their own series, and to a taker as far as it can pay for them', () => {
    expect(reserved([sale, { ...sale, seriesId: '2' }, { ...pending, longs: contracts(3n) }]).longs).toBe(8n)
    const poor = onChain(new Map([[ada, { settlement: has(2n) }]]))
    expect(reserved([sale, { ...sale, nonce: 2 }], {}, poor).longs).toBe(5n)
    expect(reserved([sale], {}, onChain(new Map(), [1])).longs).toBe(0n)
    const unread = onChain(new Map([[ada, { core: has(2n) }]]))
    expect(reserved([sale], {}, unread).longs, 'what its taker has for premiums is not known').toBe(5n)
  })

  test('come before new ones where they are approved and not promised', () => {
    const inventory = (long: bigint, isApproved = true) => ({ long: contracts(long), isApproved })
    const free = (long: bigint, promised: bigint, isApproved = true) =>
      fromInventoryOf(contracts(10n), inventory(long, isApproved), { longs: contracts(promised) })
    expect([free(4n, 0n), free(40n, 0n), free(14n, 8n), free(7n, 8n), free(40n, 0n, false)]).toEqual([
      4n,
      10n,
      6n,
      0n,
      0n,
    ])
  })

  test('that are promised and gone are owed as the collateral of new ones', () => {
    const owed = { total: usd6(1n), viaSpender: usd6(0n), longs: contracts(8n) }
    const then = (long: bigint, isApproved = true) =>
      withLostLongs(owed, { long: contracts(long), isApproved }, usd6(100n))
    expect(then(8n)).toBe(owed)
    expect(then(6n)).toEqual({ total: 201n, viaSpender: 200n, longs: 8n })
    expect(then(8n, false)).toMatchObject({ total: 801n })
  })
})

describe('in every list of orders', () => {
  const amount = fc.bigInt({ min: 1n, max: 12n }) as fc.Arbitrary<Usd6>
  const order: fc.Arbitrary<OutstandingOrder> = fc.record({
    acceptanceId: fc.uuid(),
    makerId: fc.constantFrom('maker-1', 'maker-2'),
    nonce: fc.integer({ min: 1, max: 6 }),
    validUntil: fc.integer({ min: 999, max: 1_001 }),
    confirmedAt: fc.constantFrom(null, NOW, NOW - MINUTE),
    spender: fc.constantFrom('core', 'settlement'),
    amount,
    seriesId: fc.constantFrom('1', '2'),
    longs: fc.constant(contracts(0n)),
    taker: fc.constantFrom(ada, bob),
    takerAmount: amount,
    endedIn: fc.constant(null),
  })
  const orders = fc.array(order, { maxLength: 8 })
  const anyAsker: fc.Arbitrary<Asker> = fc.record({
    makerId: fc.constantFrom('maker-1', 'maker-2', null),
    spender: fc.constantFrom<'core' | 'settlement'>('core', 'settlement'),
    seriesId: fc.constant('1'),
    chainTime: fc.constant(1_000),
    now: fc.constant(NOW),
  })
  const funds = fc
    .record({
      balance: fc.bigInt({ min: 0n, max: 30n }),
      settlement: fc.bigInt({ min: 0n, max: 30n }),
      core: fc.bigInt({ min: 0n, max: 30n }),
    })
    .map(({ balance, settlement, core }) => ({ settlement: has(balance, settlement), core: has(balance, core) }))
  const anyChain = fc
    .record({ used: fc.array(fc.integer({ min: 1, max: 6 })), ada: fc.option(funds), bob: fc.option(funds) })
    .map(({ used, ...takers }) => {
      const known = [[ada, takers.ada] as const, [bob, takers.bob] as const]
      return onChain(new Map(known.flatMap(([taker, its]) => (its === null ? [] : [[taker, its] as const]))), used)
    })

  test('all that may count does, where the chain was not asked', () => {
    fc.assert(
      fc.property(orders, anyAsker, (list, by) => {
        expect(reservedFor(list, by, null)).toMatchObject(owedByRunningSum(list, by, null))
      }),
    )
  })

  test('no choice of fills draws more than what is reserved, and never is more reserved than was promised', () => {
    fc.assert(
      fc.property(orders, anyAsker, anyChain, (list, by, seen) => {
        const reserved = reservedFor(list, by, seen)
        const least = mostDrawn(list, by, seen)
        const most = owedByRunningSum(list, by, seen)
        for (const part of ['total', 'viaSpender'] as const) {
          expect(reserved[part] >= least[part]).toBe(true)
          expect(reserved[part] <= most[part]).toBe(true)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('checkFunds', () => {
  const reserved = { total: usd6(30n), viaSpender: usd6(10n) }
  const check = (balance: bigint, allowance: bigint) => checkFunds(has(balance, allowance), usd6(100n), reserved)

  test('lets a wallet pass that can pay to the last micro-dollar', () => {
    expect(check(130n, 110n)).toBeNull()
  })

  test('names the balance first, then the allowance', () => {
    expect(check(129n, 110n)).toBe('maker_insufficient_balance')
    expect(check(130n, 109n)).toBe('maker_insufficient_allowance')
    expect(check(129n, 109n)).toBe('maker_insufficient_balance')
  })
})

describe('an order that a maker was asked to sign', () => {
  const order: Order = {
    maker: bob,
    seriesId: '1',
    optionAmount: contracts(100n),
    premiumAmount: usd6(12_000_000n),
    makerSelling: true,
    taker: ada,
    nonce: 7,
    validUntil: 1_000,
  }
  const option = { optionType: 'call', strikeBps: 4_000 as StrikeBps, expiryMs: 1 } as const
  const asked = { acceptanceId: 'acceptance-1', makerId: 'maker-1', order, option }
  const kept = {
    acceptanceId: 'acceptance-1',
    makerId: 'maker-1',
    nonce: 7,
    validUntil: 1_000,
    seriesId: '1',
    longs: 0n,
    taker: ada,
    endedIn: null,
  }

  test('makes a maker that sells owe the collateral, and its taker the premium', () => {
    expect(outstandingOrder(asked, null)).toEqual({
      ...kept,
      confirmedAt: null,
      spender: 'core',
      amount: 60_000_000n,
      takerAmount: 12_000_000n,
    })
  })

  test('makes a maker that buys owe the premium, and its taker the collateral', () => {
    expect(outstandingOrder({ ...asked, order: { ...order, makerSelling: false } }, NOW)).toEqual({
      ...kept,
      confirmedAt: NOW,
      spender: 'settlement',
      amount: 12_000_000n,
      takerAmount: 60_000_000n,
    })
  })

  test('takes no money for options that its maker holds', () => {
    expect(outstandingOrder({ ...asked, fromInventory: contracts(40n) }, null)).toMatchObject({
      amount: 36_000_000n,
      longs: 40n,
      takerAmount: 12_000_000n,
    })
    const bought = { ...asked, order: { ...order, makerSelling: false }, fromInventory: contracts(40n) }
    expect(outstandingOrder(bought, null)).toMatchObject({ amount: 12_000_000n, longs: 0n })
  })

  test('is paid by its taker through the other contract', () => {
    expect([otherOf('core'), otherOf('settlement')]).toEqual(['settlement', 'core'])
  })
})
