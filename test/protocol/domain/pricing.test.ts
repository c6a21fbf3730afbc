import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Option } from '../../../src/protocol/domain/option.ts'
import { fairValue, greeks, type PricingInput } from '../../../src/protocol/domain/pricing.ts'
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
  fairValue({ optionType: 'call', strikeBps: bps(strike) }, input)
const put = ({ strike, ...input }: PricingInput & { strike: number }) =>
  fairValue({ optionType: 'put', strikeBps: bps(strike) }, input)

describe('fair values under the probit diffusion', () => {
  test('agree with an independent integration of the payoff over the price at expiry', () => {
    fc.assert(
      fc.property(market, (input) => {
        expect(call(input)).toBeCloseTo(callByIntegration(input), 8)
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    ['out of the money by far less than it moves', { spot: 0.449, variance: 0.5 }, 0.1065144928913163],
    ['in the money, with nearly all known', { spot: 0.7, variance: 30 }, 0.3849999579022024],
  ])('agree with an integration in 30 digits: %s', (_, { spot, variance }, value) => {
    expect(call({ spot, strike: 0.45, volatility: 1, years: variance })).toBeCloseTo(value, 15)
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

/** Away from the ends, where differences of doubles show a slope. */
const calm = fc.record({
  spot: fc.double({ min: 0.05, max: 0.95, noNaN: true }),
  volatility: fc.double({ min: 0.3, max: 3, noNaN: true }),
  years: fc.double({ min: 0.05, max: 1, noNaN: true }),
})
const leg = (optionType: 'call' | 'put', strike: number, quantity: number) => ({
  optionType,
  strikeBps: bps(strike),
  quantity,
})
const OPTIONS: [name: string, option: Option][] = [
  ['a call', { optionType: 'call', strikeBps: bps(0.45) }],
  ['a put', { optionType: 'put', strikeBps: bps(0.45) }],
  ['a call spread', { legs: [leg('call', 0.4, 1), leg('call', 0.6, -1)] }],
  ['a butterfly', { legs: [leg('call', 0.4, 1), leg('call', 0.5, -2), leg('call', 0.6, 1)] }],
]

describe.each(OPTIONS)('the greeks of %s', (_, option) => {
  const valueAt = (input: PricingInput) => fairValue(option, input)
  const deltaAt = (input: PricingInput) => greeks(option, input).delta
  const slope = (f: (x: number) => number, x: number) => (f(x + 1e-5) - f(x - 1e-5)) / 2e-5

  test('are the slopes of the fair value', () => {
    fc.assert(
      fc.property(calm, (input) => {
        const { delta, gamma, vega, theta } = greeks(option, input)
        const { spot, volatility, years } = input
        expect(delta).toBeCloseTo(
          slope((spot) => valueAt({ ...input, spot }), spot),
          6,
        )
        expect(gamma).toBeCloseTo(
          slope((spot) => deltaAt({ ...input, spot }), spot),
          4,
        )
        expect(vega * 100).toBeCloseTo(
          slope((volatility) => valueAt({ ...input, volatility }), volatility),
          6,
        )
        expect(theta * 365).toBeCloseTo(-slope((years) => valueAt({ ...input, years }), years), 6)
      }),
    )
  })
})

describe('the greeks of an option whose price can no longer move', () => {
  const at = (spot: number, input: Partial<PricingInput>) =>
    greeks({ optionType: 'call', strikeBps: bps(0.45) }, { spot, volatility: 1, years: 1, ...input })

  test.each([
    ['at expiry', { years: 0 }],
    ['without volatility', { volatility: 0 }],
  ])('are the slope of the payoff alone %s', (_, input) => {
    expect(at(0.5, input)).toEqual({ delta: 1, gamma: 0, vega: 0, theta: 0 })
    expect(at(0.4, input)).toEqual({ delta: 0, gamma: 0, vega: 0, theta: 0 })
    expect(at(0.45, input)).toEqual({ delta: 0.5, gamma: 0, vega: 0, theta: 0 })
  })

  test('are so for a known answer, too', () => {
    expect(at(1, {})).toEqual({ delta: 1, gamma: 0, vega: 0, theta: 0 })
    expect(at(0, {})).toEqual({ delta: 0, gamma: 0, vega: 0, theta: 0 })
    expect(greeks({ optionType: 'put', strikeBps: bps(0.45) }, { spot: 0, volatility: 1, years: 1 }).delta).toBe(-1)
  })
})

test('a spot that is not a number, as of a market without a price, makes figures that are none', () => {
  const input = { spot: Number.NaN, volatility: 1, years: 1 }
  const option: Option = { optionType: 'call', strikeBps: bps(0.45) }
  expect(fairValue(option, input)).toBeNaN()
  expect(greeks(option, input).delta).toBeNaN()
})
