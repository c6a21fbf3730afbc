import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Order } from '../../../src/protocol/domain/order.ts'
import {
  type Asker,
  checkFunds,
  type Funds,
  fromInventoryOf,
  type Inventory,
  moneyNeeded,
  type OutstandingOnChain,
  type OutstandingOrder,
  otherOf,
  outstandingOrder,
  reservedFor,
  reservedOnce,
  unfilledOf,
  withOrder,
} from '../../../src/protocol/domain/reservation.ts'
import { type Contracts, contracts, type StrikeBps, type Usd6, usd6 } from '../../../src/protocol/domain/units.ts'
import { walletOf } from '../../support/arbitraries.ts'
import { mostDrawn, owedByRunningSum } from '../../support/oracles/reservation.ts'

const NOW = 1_000_000
const MINUTE = 60_000
const [ada, bob] = [walletOf(1), walletOf(2)]
const asker: Asker = { makerId: 'maker-1', spender: 'core', seriesId: '1', chainTime: 1_000, now: NOW, isProven: false }

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
  optionAmount: contracts(5n),
  collateralEach: usd6(1n),
  longs: contracts(0n),
  taker: ada,
  takerAmount: usd6(2n),
  isProven: false,
  closes: false,
  endedIn: null,
}
/** A signed order to pay 2 for 5 options, which lock 1 each. */
const purchase: OutstandingOrder = { ...confirmed, spender: 'settlement', amount: usd6(2n), takerAmount: usd6(5n) }
const pending: OutstandingOrder = { ...confirmed, confirmedAt: null }
const has = (balance: bigint, allowance = balance): Funds => ({ balance: usd6(balance), allowance: usd6(allowance) })
const holding = (long: bigint, isApproved = true, short = 0n): Inventory => ({
  long: contracts(long),
  short: contracts(short),
  isApproved,
})
const onChain = (
  takers: OutstandingOnChain['takers'] = new Map(),
  used: number[] = [],
  positionOf: OutstandingOnChain['positionOf'] = () => holding(0n),
): OutstandingOnChain => ({
  hasEnded: ({ nonce }) => used.includes(nonce),
  own: { ...has(100n), long: contracts(40n) },
  isLookedAt: () => true,
  takers,
  positionOf,
})
const reserved = (orders: OutstandingOrder[], by: Partial<Asker> = {}, seen: OutstandingOnChain | null = null) =>
  reservedFor(orders, { ...asker, ...by }, seen)

describe('the debt of a wallet', () => {
  test('is nothing without promises', () => {
    expect(reserved([])).toMatchObject({ total: 0n, viaSpender: 0n, longs: 0n })
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

  test("holds a pending acceptance against its own maker only, so that no one blocks a stranger's wallet", () => {
    expect(reserved([pending]).total).toBe(5n)
    expect(reserved([pending], {}, onChain(new Map([[ada, { settlement: has(0n) }]]))).total).toBe(5n)
    expect(reserved([{ ...pending, makerId: 'maker-2' }]).total).toBe(0n)
    expect(reserved([pending], { makerId: null }).total).toBe(0n)
  })

  test('draws on the balance through either contract, but on an allowance only through its own', () => {
    const other: OutstandingOrder = { ...confirmed, spender: 'settlement', amount: usd6(7n) }
    expect(reserved([confirmed, other])).toMatchObject({ total: 12n, viaSpender: 5n })
    expect(reserved([confirmed, other], { spender: 'settlement' })).toMatchObject({ total: 12n, viaSpender: 7n })
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
    const seen = onChain(new Map([[ada, { settlement: has(2n), core: has(2n, 9n) }]]))
    const reverse = { ...purchase, nonce: 9, amount: usd6(7n), takerAmount: usd6(9n) }
    expect(reserved([confirmed, reverse], {}, seen)).toMatchObject({ total: 7n, viaSpender: 5n })
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

  test('draw a premium with what is left of the collateral after it: it is paid first', () => {
    const sold = (core: Funds) => reserved([purchase], {}, onChain(new Map([[ada, { core }]]))).total
    expect([sold(has(3n, 5n)), sold(has(2n, 5n)), sold(has(0n, 5n))]).toEqual([2n, 2n, 0n])
    const late = { now: NOW + MINUTE }
    expect(reserved([purchase], late, onChain(new Map([[ada, { core: has(9n, 0n) }]]))).total).toBe(0n)
  })

  test('are unfilled while they are signed, can be filled and were not', () => {
    const orders = [...three, { ...pending, nonce: 4 }, { ...confirmed, nonce: 5, taker: bob }]
    expect(unfilledOf(orders, ada, asker, null)).toHaveLength(3)
    expect(unfilledOf(orders, ada, asker, onChain(new Map(), [1, 2]))).toHaveLength(1)
    expect(unfilledOf(orders, ada, { ...asker, chainTime: 1_001 }, null)).toHaveLength(0)
  })

  test('are counted apart where it has proved its wallet: what others ask for in its name is not held against it', () => {
    const proven = { ...asker, isProven: true }
    expect(unfilledOf(three, ada, proven, null)).toHaveLength(0)
    const own = { ...confirmed, isProven: true }
    expect(unfilledOf([...three, own], ada, proven, null)).toEqual([own])
    expect(unfilledOf([...three, own], ada, asker, null)).toEqual(three)
  })
})

describe('for a taker that has proved its wallet, the orders of those that have not', () => {
  const of = (settlement: Funds) => onChain(new Map([[ada, { settlement }]]))
  const proven = { isProven: true }
  const rich = of(has(1_000n))
  const inAll = (amount: bigint, by: Partial<OutstandingOrder> = {}) => ({ ...confirmed, ...by, amount: usd6(amount) })

  test('bind from the first second what their takers have approved, and not what they hold', () => {
    expect(reserved([confirmed], proven, of(has(6n, 0n))).total).toBe(0n)
    expect(reserved([confirmed], proven, of(has(6n, 2n))).total).toBe(5n)
    expect(reserved([inAll(5n, proven)], proven, of(has(6n, 0n))).total).toBe(5n)
  })

  test('bind together at most a quarter of what the wallet has free of the others, of its balance and of each allowance', () => {
    expect(reserved([inAll(98n)], proven, rich)).toMatchObject({ total: 25n, viaSpender: 25n })
    expect(reserved([inAll(60n), inAll(38n, { nonce: 2 })], proven, rich).total).toBe(25n)
    expect(reserved([inAll(98n), inAll(60n, proven)], proven, rich).total).toBe(70n)
    expect(reserved([inAll(98n), inAll(100n, proven)], proven, rich).total).toBe(100n)
    expect(reserved([inAll(98n), inAll(120n, proven)], proven, rich).total).toBe(120n)
    const other = { ...asker, ...proven, spender: 'settlement' as const }
    expect(reserved([inAll(98n)], other, rich)).toMatchObject({ total: 25n, viaSpender: 0n })
  })

  test('bind no more while their makers are asked, and a quarter of the options that the wallet has free', () => {
    expect(reserved([{ ...inAll(98n), confirmedAt: null }], proven, rich).total).toBe(25n)
    expect(reserved([{ ...inAll(98n, proven), confirmedAt: null }], proven, rich).total).toBe(98n)
    expect(reserved([inAll(30n, { longs: contracts(30n) })], proven, rich).longs).toBe(10n)
  })

  test('are all there is for one that has not proved its own either: it finds what it found before', () => {
    expect(reserved([inAll(98n)], {}, of(has(1_000n, 0n)))).toMatchObject({ total: 98n, viaSpender: 98n })
  })

  test('have the same share as those whose takers were too many to look at, which count in full', () => {
    const unread = { ...of(has(0n)), isLookedAt: () => false }
    expect(reserved([inAll(98n, proven)], proven, unread).total).toBe(25n)
    expect(reserved([inAll(98n)], {}, unread).total).toBe(98n)
  })

  test('bind what is kept for them alike: the options of a series, and the money in their place', () => {
    const sale = { longs: contracts(10n), amount: usd6(10n) }
    const seen = { ...rich, own: { ...has(8n), long: contracts(40n) } }
    const of = reserved(
      [
        { ...confirmed, ...sale },
        { ...confirmed, ...sale, ...proven, nonce: 2 },
      ],
      proven,
      seen,
    )
    expect(of.held.get('1')).toMatchObject({ total: 10n })
    expect(reserved([{ ...confirmed, ...sale, seriesId: '2' }], proven, seen).held.get('2')).toMatchObject({
      total: 2n,
    })
  })
})

describe('a taker without money', () => {
  const broke = new Map([[ada, { core: has(0n), settlement: has(0n) }]])
  const sells = (orders: OutstandingOrder[], held: Inventory, by: Partial<Asker> = {}) =>
    reserved(
      orders,
      by,
      onChain(broke, [], ({ seriesId }) => (seriesId === '1' ? held : holding(0n))),
    ).total
  const dear = { ...purchase, collateralEach: usd6(10n), takerAmount: usd6(50n) }
  const two = [dear, { ...dear, nonce: 2 }]

  test('draws as much as it holds options of, in their own series', () => {
    expect(sells(two, holding(10n))).toBe(4n)
    expect(sells(two, holding(5n)), 'and what the premium pays for').toBe(3n)
    expect(sells(two, holding(0n))).toBe(0n)
    expect(sells([{ ...purchase, seriesId: '2' }], holding(10n))).toBe(0n)
  })

  test('draws no more than for a minute with options that it has not approved', () => {
    expect(sells(two, holding(10n, false))).toBe(4n)
    expect(sells(two, holding(10n, false), { now: NOW + MINUTE })).toBe(0n)
    expect(sells(two, holding(10n), { now: NOW + MINUTE })).toBe(4n)
  })

  test('pays with the premium for what it holds for what it does not', () => {
    expect(sells([...two, { ...confirmed, nonce: 3 }], holding(5n))).toBe(7n)
  })

  test('pays with the collateral of what it ends for more', () => {
    const ends = { ...confirmed, closes: true }
    expect(sells([ends], holding(0n, true, 5n))).toBe(5n)
    expect(sells([ends], holding(0n))).toBe(0n)
    expect(sells([confirmed], holding(0n, true, 5n)), 'nor does what it has written and does not end').toBe(0n)
  })
})

describe('options that a wallet holds', () => {
  const sale: OutstandingOrder = { ...confirmed, longs: contracts(5n) }

  test('are owed in their own series, and to a taker as far as it can pay for them', () => {
    expect(reserved([sale, { ...sale, seriesId: '2' }, { ...pending, longs: contracts(3n) }]).longs).toBe(8n)
    const poor = onChain(new Map([[ada, { settlement: has(2n) }]]))
    expect(reserved([sale, { ...sale, nonce: 2 }], {}, poor).longs).toBe(5n)
    expect(reserved([sale], {}, onChain(new Map(), [1])).longs).toBe(0n)
    const unread = onChain(new Map([[ada, { core: has(2n) }]]))
    expect(reserved([sale], {}, unread).longs, 'what its taker has for premiums is not known').toBe(5n)
  })

  test('come before new ones where they are approved and not promised', () => {
    const free = (long: bigint, promised: bigint, isApproved = true) =>
      fromInventoryOf(contracts(10n), holding(long, isApproved), { longs: contracts(promised) })
    expect([free(4n, 0n), free(40n, 0n), free(14n, 8n), free(7n, 8n), free(40n, 0n, false)]).toEqual([
      4n,
      10n,
      6n,
      0n,
      0n,
    ])
  })

  describe('need money', () => {
    const needed = (
      orders: OutstandingOrder[],
      held: Partial<Record<string, Inventory>> = {},
      by: Partial<Asker> = {},
    ) => moneyNeeded(reserved(orders, by), (seriesId) => held[seriesId] ?? holding(0n))

    test('not while they are enough for all orders of their series', () => {
      expect(needed([sale], { 1: holding(5n) })).toEqual({ total: 0n, viaSpender: 0n })
      expect(needed([sale, { ...sale, seriesId: '2' }], { 1: holding(5n), 2: holding(5n) }).total).toBe(0n)
    })

    test('for those that are too few, or not approved any more', () => {
      expect(needed([sale], { 1: holding(4n) })).toEqual({ total: 1n, viaSpender: 1n })
      expect(needed([sale], { 1: holding(5n, false) }).total).toBe(5n)
      expect(needed([sale, { ...sale, longs: contracts(1n) }], { 1: holding(6n) }).total).toBe(4n)
    })

    test('for all that another series may take in their place, where that has lost its own', () => {
      expect(needed([sale, { ...sale, seriesId: '2' }], { 1: holding(5n) }).total).toBe(10n)
    })

    test('for all that takers may fill by money, where money is promised to another order', () => {
      expect(needed([sale, confirmed], { 1: holding(5n) })).toEqual({ total: 10n, viaSpender: 10n })
      expect(needed([sale, purchase], { 1: holding(5n) })).toEqual({ total: 7n, viaSpender: 0n })
      expect(needed([sale, purchase], {}, { spender: 'settlement' })).toEqual({ total: 7n, viaSpender: 2n })
    })

    test('as well for an order that is about to be promised', () => {
      const more = (longs: bigint) =>
        moneyNeeded(withOrder(reserved([sale]), { ...sale, longs: contracts(longs) }), () => holding(8n))
      expect(more(3n)).toEqual({ total: 2n, viaSpender: 2n })
      expect(more(0n)).toEqual({ total: 10n, viaSpender: 10n })
      expect(withOrder(reserved([]), sale)).toEqual(reserved([sale]))
      expect(withOrder(reserved([]), confirmed)).toEqual(reserved([confirmed]))
    })
  })
})

describe('in every list of orders', () => {
  const amount = fc.bigInt({ min: 1n, max: 12n }) as fc.Arbitrary<Usd6>
  const anyOrder: fc.Arbitrary<OutstandingOrder> = fc.record({
    acceptanceId: fc.uuid(),
    makerId: fc.constantFrom('maker-1', 'maker-2'),
    nonce: fc.integer({ min: 1, max: 6 }),
    validUntil: fc.integer({ min: 999, max: 1_001 }),
    confirmedAt: fc.constantFrom(null, NOW, NOW - MINUTE),
    spender: fc.constantFrom('core', 'settlement'),
    amount,
    seriesId: fc.constantFrom('1', '2'),
    optionAmount: fc.bigInt({ min: 1n, max: 4n }) as fc.Arbitrary<Contracts>,
    collateralEach: fc.constant(usd6(3n)),
    longs: fc.constant(contracts(0n)),
    taker: fc.constantFrom(ada, bob),
    takerAmount: amount,
    isProven: fc.boolean(),
    closes: fc.boolean(),
    endedIn: fc.constant(null),
  })
  /** A taker that sells locks the collateral, of which no premium is more. */
  const order = anyOrder.map((one) => {
    if (one.spender === 'core') return one
    const takerAmount = usd6(one.optionAmount * one.collateralEach)
    return { ...one, takerAmount, amount: one.amount < takerAmount ? one.amount : takerAmount }
  })
  const orders = fc.array(order, { maxLength: 7 })
  const anyAsker: fc.Arbitrary<Asker> = fc.record({
    makerId: fc.constantFrom('maker-1', 'maker-2', null),
    spender: fc.constantFrom<'core' | 'settlement'>('core', 'settlement'),
    seriesId: fc.constant('1'),
    chainTime: fc.constant(1_000),
    now: fc.constant(NOW),
    isProven: fc.constant(false),
  })
  const funds = fc
    .record({
      balance: fc.bigInt({ min: 0n, max: 30n }),
      settlement: fc.bigInt({ min: 0n, max: 30n }),
      core: fc.bigInt({ min: 0n, max: 30n }),
    })
    .map(({ balance, settlement, core }) => ({ settlement: has(balance, settlement), core: has(balance, core) }))
  const anyChain = fc
    .record({
      used: fc.array(fc.integer({ min: 1, max: 6 })),
      ada: fc.option(funds),
      bob: fc.option(funds),
      held: fc.constantFrom('1', '2', 'none'),
      position: fc
        .record({ long: fc.nat(9), short: fc.nat(9), isApproved: fc.boolean() })
        .map(({ long, short, isApproved }) => holding(BigInt(long), isApproved, BigInt(short))),
    })
    .map(({ used, held, position, ...takers }) => {
      const known = [[ada, takers.ada] as const, [bob, takers.bob] as const]
      const funds = new Map(known.flatMap(([taker, its]) => (its === null ? [] : [[taker, its] as const])))
      return onChain(funds, used, ({ seriesId }) => (seriesId === held ? position : holding(0n)))
    })

  test('all that may count does, where the chain was not asked', () => {
    fc.assert(
      fc.property(orders, anyAsker, (list, by) => {
        expect(reservedFor(list, by, null)).toMatchObject(owedByRunningSum(list, by, null))
      }),
    )
  })

  test('the same list gives each asker the sum that is its own, however often and in which order they ask', () => {
    const askers = fc.record({
      makerId: fc.constantFrom('maker-1', 'maker-2', null),
      spender: fc.constantFrom<'core' | 'settlement'>('core', 'settlement'),
      seriesId: fc.constantFrom('1', '2'),
      chainTime: fc.integer({ min: 950, max: 1_050 }),
      now: fc.constant(NOW),
      isProven: fc.boolean(),
    })
    fc.assert(
      fc.property(orders, fc.array(askers, { minLength: 2, maxLength: 80 }), (promised, asking) => {
        const list = [...promised, { ...confirmed, longs: confirmed.optionAmount }]
        // More of them than are remembered.
        const later = Array.from({ length: 70 }, (_, s) => ({ ...asker, chainTime: 900 + s }))
        for (const by of [...asking, ...later, ...asking])
          expect(reservedOnce(list, by, null)).toEqual(reservedFor(list, by, null))
      }),
    )
  })

  test('the same look at the chain gives each asker its own sum, which holds for a second', () => {
    const askers = fc.record({
      makerId: fc.constantFrom('maker-1', null),
      spender: fc.constantFrom<'core' | 'settlement'>('core', 'settlement'),
      seriesId: fc.constantFrom('1', '2'),
      chainTime: fc.integer({ min: 995, max: 1_005 }),
      now: fc.integer({ min: NOW - 2_000, max: NOW + MINUTE + 2_000 }),
      isProven: fc.boolean(),
    })
    fc.assert(
      fc.property(orders, anyChain, fc.array(askers, { minLength: 2, maxLength: 20 }), (promised, seen, asking) => {
        const list = [...promised, confirmed]
        for (const by of [...asking, ...asking]) {
          const inSecond = { ...by, now: Math.floor(by.now / 1_000) * 1_000 }
          const owed = reservedOnce(list, by, seen)
          expect(owed).toEqual(reservedFor(list, inSecond, seen))
          expect(reservedOnce(list, inSecond, seen)).toBe(owed)
        }
      }),
    )
  })

  test('a wallet without orders owes nothing to any asker', () => {
    expect(reservedOnce([], asker, null)).toEqual(reservedFor([], asker, null))
    expect(reservedOnce([], asker, onChain())).toEqual(reservedFor([], asker, onChain()))
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

  test('a reservation beside a proven taker holds all that other proven ones can draw, and a quarter of the rest at most', () => {
    fc.assert(
      fc.property(orders, anyAsker, anyChain, (list, by, seen) => {
        const reserved = reservedFor(list, { ...by, isProven: true }, seen)
        const known = list.filter(({ isProven }) => isProven)
        const least = mostDrawn(known, by, seen)
        const most = reservedFor(known, by, seen)
        for (const part of ['total', 'viaSpender'] as const) {
          expect(reserved[part] >= least[part]).toBe(true)
          const free = part === 'total' ? seen.own.balance : seen.own.allowance
          expect(reserved[part] <= most[part] + (free > most[part] ? (free - most[part]) / 4n : 0n)).toBe(true)
          expect(reserved[part] <= owedByRunningSum(list, by, seen)[part]).toBe(true)
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
    optionAmount: 100n,
    collateralEach: 600_000n,
    longs: 0n,
    taker: ada,
    isProven: false,
    closes: false,
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

  test('says whether its taker has proved its wallet', () => {
    expect(outstandingOrder({ ...asked, proven: true }, null).isProven).toBe(true)
  })

  test('keeps the options for it that its maker holds, and the money: its taker may take either', () => {
    expect(outstandingOrder({ ...asked, fromInventory: contracts(40n) }, null)).toMatchObject({
      amount: 60_000_000n,
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
