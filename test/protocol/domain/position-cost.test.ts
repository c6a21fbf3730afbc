import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { costOf, type PositionChange } from '../../../src/protocol/domain/position-cost.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'

const LONG = { long: contracts(100n), short: contracts(0n) }

const bought = (count: bigint, paid: bigint): PositionChange => ({ long: count, short: 0n, paid: usd6(paid) })
const wrote = (count: bigint, paid: bigint): PositionChange => ({ long: 0n, short: count, paid: usd6(paid) })

describe('the cost of a position', () => {
  test('is the premiums paid for what is held', () => {
    expect(costOf(LONG, [bought(60n, 7_000_000n), bought(40n, 3_000_000n)])).toBe(10_000_000n)
  })

  test('is the collateral locked for what is written, without the premium received', () => {
    expect(costOf({ long: contracts(0n), short: contracts(50n) }, [wrote(50n, 27_500_000n - 6_000_000n)])).toBe(
      21_500_000n,
    )
  })

  test('is less what a part of it brought', () => {
    expect(costOf(LONG, [bought(-50n, -9_000_000n), bought(150n, 15_000_000n)])).toBe(6_000_000n)
  })

  test('is nothing for what is not held', () => {
    expect(costOf({ long: contracts(0n), short: contracts(0n) }, [bought(10n, 1n)])).toBe(0n)
  })

  test('counts nothing from before the wallet had none', () => {
    const before = [bought(-30n, 0n), bought(30n, 5_000_000n)]
    expect(costOf(LONG, [bought(100n, 12_000_000n), ...before])).toBe(12_000_000n)
  })

  test('is not known where options came from another wallet, or went to one', () => {
    expect(costOf(LONG, [{ long: 100n, short: 0n, paid: null }])).toBe('moved')
    expect(costOf(LONG, [bought(10n, 1n), { long: 90n, short: 0n, paid: null }])).toBe('moved')
    expect(costOf(LONG, [bought(150n, 15_000_000n)])).toBe('moved')
  })

  test('is not known while changes are missing', () => {
    expect(costOf(LONG, [])).toBe('earlier')
    expect(costOf(LONG, [bought(60n, 7_000_000n)])).toBe('earlier')
  })

  test('is what went in and never came back, for any way to the position', () => {
    const change = fc.tuple(fc.bigInt(1n, 1_000n), fc.boolean(), fc.bigInt(0n, 10n ** 9n))
    fc.assert(
      fc.property(fc.array(change, { minLength: 1 }), (trades) => {
        const changes = trades.map(([count, buys, paid]) => (buys ? bought(count, paid) : wrote(count, paid)))
        const sum = (amounts: (bigint | null)[]) =>
          amounts.reduce<bigint>((total, amount) => total + (amount ?? 0n), 0n)
        const position = {
          long: contracts(sum(changes.map(({ long }) => long))),
          short: contracts(sum(changes.map(({ short }) => short))),
        }
        expect(costOf(position, changes)).toBe(sum(changes.map(({ paid }) => paid)))
      }),
    )
  })
})
