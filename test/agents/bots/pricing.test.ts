import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { optionValue, type PricingInput } from '../../../src/agents/bots/pricing.ts'
import type { StrikeBps } from '../../../src/protocol/domain/units.ts'
import { callByIntegration } from './integration-oracle.ts'

const price = fc.double({ min: 0.0001, max: 0.9999, noNaN: true })
const strike = fc.integer({ min: 1, max: 9_999 }).map((strikeBps) => strikeBps / 10_000)
const market = fc.record({
  spot: price,
  strike,
  volatility: fc.double({ min: 0.01, max: 8, noNaN: true }),
  years: fc.double({ min: 0, max: 3, noNaN: true }),
})
const bps = (strike: number) => Math.round(strike * 10_000) as StrikeBps
const call = ({ strike, ...input }: PricingInput & { strike: number }) =>
  optionValue({ optionType: 'call', strikeBps: bps(strike) }, input)
const put = ({ strike, ...input }: PricingInput & { strike: number }) =>
  optionValue({ optionType: 'put', strikeBps: bps(strike) }, input)

describe('option values under the probit diffusion', () => {
  test('agree with an independent integration of the payoff over the price at expiry', () => {
    fc.assert(
      fc.property(market, (input) => {
        expect(call(input)).toBeCloseTo(callByIntegration(input), 8)
      }),
      { numRuns: 300 },
    )
  })

  test('lie between nothing and the most that the option can pay', () => {
    fc.assert(
      fc.property(market, (input) => {
        expect(call(input)).toBeGreaterThanOrEqual(0)
        expect(call(input)).toBeLessThanOrEqual(1 - input.strike)
        expect(put(input)).toBeGreaterThanOrEqual(0)
        expect(put(input)).toBeLessThanOrEqual(input.strike)
      }),
    )
  })

  test('a call less a put is the spot less the strike', () => {
    fc.assert(
      fc.property(market, (input) => {
        expect(call(input) - put(input)).toBeCloseTo(input.spot - input.strike, 12)
      }),
    )
  })

  test('a call falls and a put rises with the strike', () => {
    fc.assert(
      fc.property(market, strike, (input, other) => {
        const [low, high] = input.strike < other ? [input.strike, other] : [other, input.strike]
        expect(call({ ...input, strike: low })).toBeGreaterThanOrEqual(call({ ...input, strike: high }) - 1e-10)
        expect(put({ ...input, strike: low })).toBeLessThanOrEqual(put({ ...input, strike: high }) + 1e-10)
      }),
    )
  })

  test('grow with time and with volatility, from the intrinsic value upwards', () => {
    fc.assert(
      fc.property(market, (input) => {
        const intrinsic = Math.max(0, input.spot - input.strike)
        expect(call({ ...input, years: 0 })).toBe(intrinsic)
        expect(call({ ...input, volatility: 0 })).toBe(intrinsic)
        expect(call({ ...input, years: input.years * 2 })).toBeGreaterThanOrEqual(call(input) - 1e-10)
        expect(call(input)).toBeGreaterThanOrEqual(intrinsic)
      }),
    )
  })

  test('tend to the intrinsic value as time or volatility goes to nothing', () => {
    fc.assert(
      fc.property(price, strike, (spot, strike) => {
        const intrinsic = Math.max(0, spot - strike)
        expect(call({ spot, strike, volatility: 1, years: 1e-14 })).toBeCloseTo(intrinsic, 7)
        expect(call({ spot, strike, volatility: 1e-7, years: 1 })).toBeCloseTo(intrinsic, 7)
      }),
    )
  })

  test('tend to those of a coin flip once all is known: spot x (1 - strike)', () => {
    expect(call({ spot: 0.37, strike: 0.62, volatility: 40, years: 1 })).toBeCloseTo(0.37 * 0.38, 10)
  })

  test('are the intrinsic value for a spot that can no longer move', () => {
    expect(call({ spot: 1, strike: 0.4, volatility: 2, years: 1 })).toBeCloseTo(0.6, 15)
    expect(put({ spot: 0, strike: 0.4, volatility: 2, years: 1 })).toBe(0.4)
  })
})
