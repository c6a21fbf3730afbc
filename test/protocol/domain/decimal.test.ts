import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  formatUsd6,
  type Rounding,
  toFixedPoint,
  toUsd6,
  usd6ToNumber,
  usdText,
} from '../../../src/protocol/domain/decimal.ts'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { fixedPointFromText } from '../../support/oracles/decimal-text.ts'

const ROUNDINGS: Rounding[] = ['up', 'down', 'half-up']
const finite = fc.double({ noNaN: true, noDefaultInfinity: true })
const dollars = fc.oneof(
  fc.double({ noNaN: true, min: -1, max: 1 }),
  fc.double({ noNaN: true, min: 0, max: 1e9 }),
  fc.integer({ min: 0, max: 1_000_000 }).map((micro) => micro / 1e6),
  fc.integer({ min: 0, max: 20_000_000 }).map((tenthMicro) => tenthMicro / 1e7),
)

describe('toFixedPoint', () => {
  test('agrees with rounding the decimal text on paper, for every double and rounding', () => {
    fc.assert(
      fc.property(
        fc.oneof(finite, dollars),
        fc.integer({ min: 0, max: 20 }),
        fc.constantFrom(...ROUNDINGS),
        (value, decimals, rounding) => {
          expect(toFixedPoint(value, decimals, rounding)).toBe(fixedPointFromText(value, decimals, rounding))
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('takes a number for what its text says, not for the double beside it', () => {
    expect(toUsd6(0.1, 'up')).toBe(100_000n)
    expect(toUsd6(0.3, 'down')).toBe(300_000n)
    expect(toUsd6(2.01, 'down')).toBe(2_010_000n)
    expect(toUsd6(1e21, 'up')).toBe(10n ** 27n)
  })

  test('rounds digits beyond the scale away from zero, towards zero or half up', () => {
    const each = (value: number) => ROUNDINGS.map((rounding) => toUsd6(value, rounding))
    expect(each(0.42874999999999996)).toEqual([428_750n, 428_749n, 428_750n])
    expect(each(0.0000004)).toEqual([1n, 0n, 0n])
    expect(each(0.0000005)).toEqual([1n, 0n, 1n])
    expect(each(1e-7)).toEqual([1n, 0n, 0n])
    expect(each(5e-324)).toEqual([1n, 0n, 0n])
    expect(each(0.9999999999999999)).toEqual([1_000_000n, 999_999n, 1_000_000n])
  })

  test('mirrors negative numbers', () => {
    expect(ROUNDINGS.map((rounding) => toUsd6(-0.0000005, rounding))).toEqual([-1n, 0n, -1n])
    expect(toUsd6(-0, 'up')).toBe(0n)
    expect(toUsd6(-12.5, 'down')).toBe(-12_500_000n)
  })

  test('has no answer for what is not a finite number', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(toFixedPoint(value, 6, 'down')).toBeNull()
      expect(toUsd6(value, 'up')).toBeNull()
    }
  })
})

describe('formatUsd6', () => {
  test('writes dollars without trailing zeros', () => {
    expect(formatUsd6(usd6(99_960_000n))).toBe('99.96')
    expect(formatUsd6(usd6(1n))).toBe('0.000001')
    expect(formatUsd6(usd6(-1_500_000n))).toBe('-1.5')
    expect(formatUsd6(usd6(-1n))).toBe('-0.000001')
    expect(formatUsd6(usd6(100_000_000n))).toBe('100')
    expect(formatUsd6(usd6(0n))).toBe('0')
  })

  test('survives the way to a JSON number and back, up to a billion dollars', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), (micro) => {
        const sent = JSON.parse(JSON.stringify(usd6ToNumber(usd6(micro))))
        for (const rounding of ROUNDINGS) expect(toUsd6(sent, rounding)).toBe(micro)
      }),
    )
  })
})

test('a sentence shows dollars in groups of three, with two decimals at least and none dropped', () => {
  expect(usdText(usd6(1_234_567_500_000n))).toBe('$1,234,567.50')
  expect(usdText(usd6(176_000n))).toBe('$0.1760')
  expect(usdText(usd6(99_999_000n))).toBe('$99.9990')
  expect(usdText(usd6(49_999_950n))).toBe('$49.999950')
  expect(usdText(usd6(500_000n), 6)).toBe('$0.500000')
  expect(usdText(usd6(1n))).toBe('$0.000001')
  expect(usdText(usd6(0n))).toBe('$0.00')
  expect(usdText(usd6(-1_000_000_000n))).toBe('-$1,000.00')
})
