import { expect, test } from 'vitest'
import { contracts, isResolutionBps, isStrikeBps, ONE_USD, usd6 } from '../../../src/protocol/domain/units.ts'

test('a strike is an integer from 1 to 9999', () => {
  expect([1, 5_000, 9_999].map(isStrikeBps)).toEqual([true, true, true])
  expect([0, 10_000, -1, 0.5, 4_500.5, Number.NaN, Number.POSITIVE_INFINITY].some(isStrikeBps)).toBe(false)
})

test('a resolution price is an integer from 0 to 100', () => {
  expect([0, 59, 100].map(isResolutionBps)).toEqual([true, true, true])
  expect([-1, 101, 0.5, 99.5, Number.NaN, Number.NEGATIVE_INFINITY].some(isResolutionBps)).toBe(false)
})

test('amounts are plain bigints, and one dollar is a million micro-dollars', () => {
  expect(usd6(99_960_000n)).toBe(99_960_000n)
  expect(contracts(833n)).toBe(833n)
  expect(ONE_USD).toBe(1_000_000n)
})
