import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { probit } from '../../../src/agents/bots/normal.ts'
import { cdf } from './integration-oracle.ts'

describe('the normal quantile', () => {
  test('undoes the distribution function, also far out in the tails', () => {
    fc.assert(
      fc.property(fc.double({ min: -8, max: 5, noNaN: true }), (x) => {
        expect(probit(cdf(x))).toBeCloseTo(x, 9)
      }),
    )
  })

  test('knows the figures of the tables', () => {
    expect(probit(0.5)).toBe(0)
    expect(probit(0.975)).toBeCloseTo(1.959963984540054, 14)
    expect(probit(0.0001)).toBeCloseTo(-3.71901648545568, 13)
    expect(probit(1e-20)).toBeCloseTo(-9.262340089798405, 13)
  })

  test('is infinite at the ends', () => {
    expect(probit(0)).toBe(-Infinity)
    expect(probit(1)).toBe(Infinity)
  })
})
