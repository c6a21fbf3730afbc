import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { fairValue } from '../../../src/protocol/domain/pricing.ts'
import {
  fitSurface,
  markOf,
  type Slice,
  type VolatilityPoint,
  volatilityPoint,
} from '../../../src/protocol/domain/surface.ts'
import type { StrikeBps } from '../../../src/protocol/domain/units.ts'

const strike = (cents: number) => (cents * 100) as StrikeBps
const call = (cents: number) => ({ optionType: 'call' as const, strikeBps: strike(cents) })
const at = (cents: number, volatility: number, weight = 1): VolatilityPoint => ({
  strikeBps: strike(cents),
  volatility,
  weight,
})
const DAY = 1 / 365

/** A ten-thousandth of a micro-dollar is no arbitrage. */
const ROUNDING = 1e-10

const oneOf = (slices: readonly Slice[], spot = 0.45) => {
  const smiles = fitSurface(spot, slices)
  if (smiles === null) throw new Error('no surface')
  return smiles
}

describe('a point of a surface', () => {
  const market = { spot: 0.45, years: 7 * DAY }
  const worth = (cents: number, volatility: number) => fairValue(call(cents), { ...market, volatility })

  it('has the volatility that its price implies', () => {
    const [bid, ask] = [worth(45, 1.5), worth(45, 1.5)]
    const point = volatilityPoint({ ...call(45), ...market, bid, ask })
    expect(point?.volatility).toBeCloseTo(1.5, 9)
    expect(point?.weight).toBeCloseTo(1, 9)
  })

  it('counts half where its bounds are a tenth of the volatility away', () => {
    const point = volatilityPoint({ ...call(45), ...market, bid: worth(45, 1.5 / 1.105), ask: worth(45, 1.5 * 1.105) })
    expect(point?.volatility).toBeCloseTo(1.5, 9)
    expect(point?.weight).toBeCloseTo(0.5, 2)
  })

  it('is missing where a price implies no volatility: at the intrinsic value, or at the most that an option is worth', () => {
    for (const [cents, bid, ask] of [
      [70, 0, worth(70, 3)],
      [30, 0.15, worth(30, 3)],
      [30, worth(30, 3), 0.5],
    ] as const)
      expect(volatilityPoint({ ...call(cents), ...market, bid, ask })).toBeNull()
  })
})

describe('a surface', () => {
  it('is missing where nothing was observed', () => {
    expect(fitSurface(0.45, [])).toBeNull()
    expect(fitSurface(0.45, [{ years: DAY, points: [] }])).toBeNull()
  })

  it('has one volatility where all points have it', () => {
    const smiles = oneOf([DAY, 7 * DAY].map((years) => ({ years, points: [at(40, 1.5), at(45, 1.5), at(60, 1.5)] })))
    for (const smile of smiles) for (const cents of [5, 45, 95]) expect(smile(strike(cents))).toBeCloseTo(1.5, 12)
  })

  it('has the volatility of most makers, whatever one of them says', () => {
    const [smile] = oneOf([{ years: DAY, points: [at(45, 1.5), at(45, 1.52), at(45, 90)] }])
    expect(smile?.(strike(20))).toBeCloseTo(1.52, 2)
  })

  it('follows what was observed between strikes, and less of it farther away', () => {
    const [smile] = oneOf([{ years: 30 * DAY, points: [at(30, 1.6), at(45, 1.5), at(60, 1.4)] }])
    const [low, middle, high, far] = [30, 45, 60, 95].map((cents) => smile?.(strike(cents)) as number) as [
      number,
      number,
      number,
      number,
    ]
    expect(low).toBeGreaterThan(1.53)
    expect(middle).toBeCloseTo(1.5, 2)
    expect(high).toBeLessThan(1.47)
    expect(Math.abs(far - 1.5)).toBeLessThan(Math.abs(high - 1.5))
  })

  it('gives up a smile that would be arbitrage', () => {
    const [smile] = oneOf([{ years: 365 * DAY, points: [at(45, 0.4, 50), at(50, 0.8, 50), at(55, 0.4, 50)] }])
    const values = [45, 50, 55].map((cents) =>
      markOf(call(cents), { spot: 0.45, years: 1, smile: smile as NonNullable<typeof smile> }),
    ) as [number, number, number]
    expect(values[0] + values[2] - 2 * values[1]).toBeGreaterThanOrEqual(0)
  })

  it('has no less variance until a later expiry than until an earlier one', () => {
    const [early, late] = oneOf([
      { years: DAY, points: [at(45, 4)] },
      { years: 2 * DAY, points: [at(45, 1)] },
    ])
    const [first, second] = [early?.(strike(45)) ?? 0, late?.(strike(45)) ?? 0]
    expect(second ** 2 * 2).toBeCloseTo(first ** 2, 9)
  })

  it('interpolates variance at an expiry without a point, and keeps the volatility of the nearest outside', () => {
    const [before, , between, , after] = oneOf([
      { years: DAY / 2, points: [] },
      { years: DAY, points: [at(45, 1)] },
      { years: 2 * DAY, points: [] },
      { years: 3 * DAY, points: [at(45, 2)] },
      { years: 9 * DAY, points: [] },
    ])
    expect(before?.(strike(45))).toBeCloseTo(1, 12)
    expect((between?.(strike(45)) ?? 0) ** 2 * 2).toBeCloseTo((1 + 12) / 2, 12)
    expect(after?.(strike(45))).toBeCloseTo(2, 12)
  })
})

test('a package is worth what its legs are worth at their own volatilities, less its floor', () => {
  const smile = (strikeBps: number) => (strikeBps < 5_000 ? 1.5 : 1.2)
  const market = { spot: 0.45, years: 7 * DAY }
  const spread = {
    legs: [
      { ...call(40), quantity: 1 },
      { ...call(60), quantity: -1 },
    ],
  }
  const expected =
    fairValue(call(40), { ...market, volatility: 1.5 }) - fairValue(call(60), { ...market, volatility: 1.2 })
  expect(markOf(spread, { ...market, smile })).toBeCloseTo(expected, 12)
})

const anyPoint = fc.record({
  strikeBps: fc.integer({ min: 1, max: 99 }).map(strike),
  volatility: fc.double({ min: 0.05, max: 20, noNaN: true }),
  weight: fc.double({ min: 0.001, max: 50, noNaN: true }),
})
const anySlices = fc
  .uniqueArray(
    fc.record({ years: fc.double({ min: 1e-5, max: 2, noNaN: true }), points: fc.array(anyPoint, { maxLength: 8 }) }),
    {
      selector: ({ years }) => years,
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((slices) => slices.toSorted((a, b) => a.years - b.years))

test('whatever was observed, no surface has arbitrage: calls fall with the strike, are convex in it and rise with the expiry', () => {
  const cents = Array.from({ length: 99 }, (_, i) => i + 1)
  const property = fc.property(fc.double({ min: 0.01, max: 0.99, noNaN: true }), anySlices, (spot, slices) => {
    const smiles = fitSurface(spot, slices)
    fc.pre(smiles !== null)
    const values = slices.map(({ years }, i) =>
      cents.map((one) => markOf(call(one), { spot, years, smile: smiles?.[i] as NonNullable<typeof smiles>[number] })),
    )
    for (const [i, calls] of values.entries()) {
      const whole = [spot, ...calls, 0]
      for (let k = 1; k < whole.length; k += 1) {
        const fall = (whole[k - 1] as number) - (whole[k] as number)
        expect(fall).toBeGreaterThanOrEqual(-ROUNDING)
        expect(fall).toBeLessThanOrEqual(0.01 + ROUNDING)
        const next = whole[k + 1]
        if (next !== undefined) expect(fall - ((whole[k] as number) - next)).toBeGreaterThanOrEqual(-ROUNDING)
      }
      for (const [k, later] of (values[i + 1] ?? []).entries())
        expect(later).toBeGreaterThanOrEqual((calls[k] as number) - ROUNDING)
    }
  })
  fc.assert(property, { numRuns: 100, endOnFailure: true })
})
