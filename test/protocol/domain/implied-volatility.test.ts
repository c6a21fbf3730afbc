import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { impliedVolatility } from '../../../src/protocol/domain/implied-volatility.ts'
import type { Option } from '../../../src/protocol/domain/option.ts'
import { fairValue, greeks } from '../../../src/protocol/domain/pricing.ts'
import type { StrikeBps } from '../../../src/protocol/domain/units.ts'

const leg = (optionType: 'call' | 'put', strikeBps: number, quantity: number) => ({
  optionType,
  strikeBps: strikeBps as StrikeBps,
  quantity,
})
const CALL: Option = { optionType: 'call', strikeBps: 4_500 as StrikeBps }
const STRANGLE: Option = { legs: [leg('call', 6_000, 1), leg('put', 4_000, 2)] }
const BUTTERFLY: Option = { legs: [leg('call', 4_000, 1), leg('call', 4_500, -2), leg('call', 5_000, 1)] }

const MINUTE = 1 / 365 / 24 / 60

/** Prices carry an error of about this many dollars, and no volatility is better known than by it. */
const PRICE_ERROR = 1e-15

const options = fc.oneof(
  fc.record({
    optionType: fc.constantFrom('call' as const, 'put' as const),
    strikeBps: fc.integer({ min: 1, max: 9_999 }).map((bps) => bps as StrikeBps),
  }),
  fc.constant(STRANGLE),
)
const market = fc.record({
  spot: fc.integer({ min: 1, max: 9_999 }).map((bps) => bps / 10_000),
  volatility: fc.integer({ min: 1, max: 800 }).map((percent) => percent / 100),
  years: fc.integer({ min: 1, max: 3 * 365 * 24 * 60 }).map((minutes) => minutes * MINUTE),
})

describe('the implied volatility', () => {
  test('is the volatility that a fair value was computed with, as exactly as the price shows it', () => {
    let exact = 0
    fc.assert(
      fc.property(options, market, (option, { volatility, ...present }) => {
        const input = { ...present, volatility }
        const vega = greeks(option, input).vega * 100
        const implied = impliedVolatility(option, { ...present, price: fairValue(option, input) })
        if (vega > 1e-6) exact += 1
        if (implied === null) expect(vega).toBeLessThan(1e-6)
        else expect(Math.abs(implied - volatility)).toBeLessThanOrEqual(Math.max(1e-9, PRICE_ERROR / vega))
      }),
      { numRuns: 1_000 },
    )
    expect(exact).toBeGreaterThan(300)
  })

  test('is found on a grid of ordinary markets, minutes to years before expiry', () => {
    for (const optionType of ['call', 'put'] as const) {
      for (const spot of [0.02, 0.3, 0.45, 0.4501, 0.7, 0.98]) {
        for (const years of [MINUTE, 1 / 365, 30 / 365, 1]) {
          for (const volatility of [0.2, 1, 4]) {
            const input = { spot, volatility, years }
            const option: Option = { optionType, strikeBps: 4_500 as StrikeBps }
            const implied = impliedVolatility(option, { spot, years, price: fairValue(option, input) })
            if (greeks(option, input).vega > 1e-8) expect(implied).toBeCloseTo(volatility, 9)
            else expect(implied === null || Math.abs(implied - volatility) < 0.5 * volatility).toBe(true)
          }
        }
      }
    }
  })

  const present = { spot: 0.6, years: 0.1 }

  test.each([
    ['is the intrinsic value', 0.15],
    ['is nearer to the intrinsic value than a double shows', 0.15 + 5e-16],
    ['is below the intrinsic value', 0.1],
    ['is that of a coin flip, to which values tend as volatility grows', 0.6 * 0.55],
    ['is above all values', 0.4],
    ['is negative', -0.01],
    ['is not a number', Number.NaN],
  ])('is null where the price %s', (_, price) => {
    expect(impliedVolatility(CALL, { ...present, price })).toBeNull()
  })

  test('is null at expiry, and once the answer is known', () => {
    expect(impliedVolatility(CALL, { spot: 0.6, years: 0, price: 0.2 })).toBeNull()
    expect(impliedVolatility(CALL, { spot: 0.6, years: -1, price: 0.2 })).toBeNull()
    expect(impliedVolatility(CALL, { spot: 1, years: 1, price: 0.5 })).toBeNull()
  })
})

describe('the implied volatility of a package with sold legs', () => {
  const present = { spot: 0.48, years: 0.1 }
  const valueAt = (volatility: number) => fairValue(BUTTERFLY, { ...present, volatility })

  test('is the lowest of several that give the price', () => {
    const price = valueAt(0.2)
    const implied = impliedVolatility(BUTTERFLY, { ...present, price })
    expect(implied).toBeLessThan(0.1)
    expect(valueAt(implied as number)).toBeCloseTo(price, 15)
  })

  test('is the only one where no lower volatility gives the price', () => {
    for (const volatility of [0.3, 0.5, 1, 2, 4]) {
      expect(impliedVolatility(BUTTERFLY, { ...present, price: valueAt(volatility) })).toBeCloseTo(volatility, 9)
    }
  })

  test('is found close below the most that the package is ever worth, and null above it', () => {
    const top = Math.max(...Array.from({ length: 2_000 }, (_, i) => valueAt(0.1 + i / 10_000)))
    const implied = impliedVolatility(BUTTERFLY, { ...present, price: top - 1e-9 })
    expect(valueAt(implied as number)).toBeCloseTo(top - 1e-9, 14)
    expect(impliedVolatility(BUTTERFLY, { ...present, price: top + 1e-9 })).toBeNull()
  })

  test('is null where the legs balance, so that volatility changes nothing', () => {
    const spread: Option = { legs: [leg('call', 4_000, 1), leg('call', 6_000, -1)] }
    const balanced = { spot: 0.5, years: 0.1 }
    expect(fairValue(spread, { ...balanced, volatility: 1 })).toBeCloseTo(0.1, 14)
    expect(impliedVolatility(spread, { ...balanced, price: 0.1 })).toBeNull()
    expect(impliedVolatility(spread, { ...balanced, price: 0.11 })).toBeNull()
  })
})
