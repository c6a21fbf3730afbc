import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalDistribution, probit } from '../../../src/protocol/domain/normal.ts'
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

describe('the normal distribution function', () => {
  test('agrees with an independent one, also far out in the tails', () => {
    fc.assert(
      fc.property(fc.double({ min: -30, max: 30, noNaN: true }), (x) => {
        expect(normalDistribution(x)).toBeCloseTo(cdf(x), 15)
      }),
    )
  })

  test('knows the figures of the tables', () => {
    expect(normalDistribution(0)).toBe(0.5)
    expect(normalDistribution(1.959963984540054)).toBeCloseTo(0.975, 15)
    expect(normalDistribution(-6)).toBeCloseTo(9.865876450376946e-10, 15)
  })
  test('is not a number of what is not one', () => {
    expect(normalDistribution(Number.NaN)).toBeNaN()
  })
})
