import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkFunds, type Reservation, reservedFor } from '../../src/domain/reservation.ts'
import { type Usd6, usd6 } from '../../src/domain/units.ts'
import { owedByRunningSum } from '../support/oracles/reservation.ts'

const confirmed: Reservation = {
  spender: 'core',
  amount: usd6(5n),
  state: 'confirmed',
  makerId: 'maker-1',
  validUntil: 1_000,
  nonceUsed: false,
  takerCanPay: true,
}
const pending: Reservation = { ...confirmed, state: 'pending' }
const asker = { makerId: 'maker-1', spender: 'core', chainTime: 1_000 } as const
const totalOwed = (reservation: Reservation, chainTime = 1_000) =>
  reservedFor([reservation], { ...asker, chainTime }).total

describe('what a wallet owes', () => {
  test('is nothing without promises', () => {
    expect(reservedFor([], asker)).toEqual({ total: 0n, viaSpender: 0n })
  })

  test('holds a confirmed order until the last second in which it can be filled', () => {
    expect(totalOwed(confirmed, 1_000)).toBe(5n)
    expect(totalOwed(confirmed, 1_001)).toBe(0n)
  })

  test('forgets a confirmed order that was filled or cancelled, or whose taker cannot pay', () => {
    expect(totalOwed({ ...confirmed, nonceUsed: true })).toBe(0n)
    expect(totalOwed({ ...confirmed, takerCanPay: false })).toBe(0n)
  })

  test('holds a confirmed order whichever maker was asked: the wallet signed it', () => {
    expect(totalOwed({ ...confirmed, makerId: 'maker-2' })).toBe(5n)
  })

  test("holds a pending acceptance against its own maker only, so that nobody blocks a stranger's wallet", () => {
    expect(totalOwed(pending)).toBe(5n)
    expect(totalOwed({ ...pending, makerId: 'maker-2' })).toBe(0n)
  })

  test('draws on the balance through either contract, but on an allowance only through its own', () => {
    const other: Reservation = { ...confirmed, spender: 'settlement', amount: usd6(7n) }
    expect(reservedFor([confirmed, other], asker)).toEqual({ total: 12n, viaSpender: 5n })
    expect(reservedFor([confirmed, other], { ...asker, spender: 'settlement' })).toEqual({ total: 12n, viaSpender: 7n })
  })

  test('is the running sum of ruling C13 for every list of promises', () => {
    const reservation: fc.Arbitrary<Reservation> = fc.record({
      spender: fc.constantFrom('core', 'settlement'),
      amount: fc.bigInt({ min: 0n, max: 10n ** 15n }) as fc.Arbitrary<Usd6>,
      state: fc.constantFrom('pending', 'confirmed'),
      makerId: fc.constantFrom('maker-1', 'maker-2'),
      validUntil: fc.integer({ min: 999, max: 1_001 }),
      nonceUsed: fc.boolean(),
      takerCanPay: fc.boolean(),
    })
    const anyAsker = fc.record({
      makerId: fc.constantFrom('maker-1', 'maker-2'),
      spender: fc.constantFrom<'core' | 'settlement'>('core', 'settlement'),
      chainTime: fc.constant(1_000),
    })
    fc.assert(
      fc.property(fc.array(reservation), anyAsker, (list, by) => {
        expect(reservedFor(list, by)).toEqual(owedByRunningSum(list, by))
      }),
    )
  })
})

describe('checkFunds', () => {
  const reserved = { total: usd6(30n), viaSpender: usd6(10n) }
  const check = (balance: bigint, allowance: bigint) =>
    checkFunds({ balance: usd6(balance), allowance: usd6(allowance) }, usd6(100n), reserved)

  test('lets a wallet pass that can pay to the last micro-dollar', () => {
    expect(check(130n, 110n)).toBeNull()
  })

  test('names the balance first, then the allowance', () => {
    expect(check(129n, 110n)).toBe('maker_insufficient_balance')
    expect(check(130n, 109n)).toBe('maker_insufficient_allowance')
    expect(check(129n, 109n)).toBe('maker_insufficient_balance')
  })
})
