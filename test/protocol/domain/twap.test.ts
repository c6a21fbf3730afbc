import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  mergePoints,
  type PricePoint,
  shownPoints,
  TWAP_WINDOW_S,
  type Twap,
  twapOf,
  twapResolutionBps,
  twapToNumber,
  twapWindow,
} from '../../../src/protocol/domain/twap.ts'
import { multiply, rational, rationalOf, roundHalfUp } from '../../support/oracles/rational.ts'
import { isClose, longestGap, twapSecondBySecond } from '../../support/oracles/twap.ts'

const EXPIRY = 1_800_000_000
const START = EXPIRY - 1_800
const window = twapWindow(EXPIRY)

const twap = (...points: [t: number, p: number][]): Twap | null =>
  twapOf(
    points.map(([t, p]) => ({ t, p })),
    window,
  )
const average = (...points: [t: number, p: number][]): number | null => {
  const found = twap(...points)
  return found === null ? null : twapToNumber(found)
}

test('the window is the 30 minutes that end at expiry', () => {
  expect(TWAP_WINDOW_S).toBe(30 * 60)
  expect(window).toEqual({ windowStart: START, windowEnd: EXPIRY })
})

describe('the average', () => {
  test('weighs each price by how long it holds, the last one until expiry', () => {
    expect(average([START, 0.2], [START + 600, 0.5], [START + 1_200, 0.8])).toBe(0.5)
    expect(average([START, 0.2], [START + 1_350, 0.6])).toBe(0.3)
  })

  test('is exact, of prices rounded half up to 18 decimals', () => {
    expect(twap([START, 0.2], [EXPIRY - 600, 0.5])).toEqual({
      numerator: 2n * 10n ** 17n * 1_200n + 5n * 10n ** 17n * 600n,
      denominator: 1_800n,
      pointCount: 2,
      dropped: 0,
      maxGapS: 1_200,
    })
    expect(twap([EXPIRY, 5e-19])?.numerator).toBe(1n)
    expect(twap([EXPIRY, 4.9e-19])?.numerator).toBe(0n)
  })

  test('starts at the first point, not at the start of the window', () => {
    expect(average([EXPIRY - 600, 0.4], [EXPIRY - 300, 0.6])).toBe(0.5)
  })

  test('takes the points on both ends of the window and none beyond', () => {
    expect(average([START, 0.25])).toBe(0.25)
    expect(average([START - 1, 0.25])).toBeNull()
    expect(average([EXPIRY, 0.25])).toBe(0.25)
    expect(average([EXPIRY + 1, 0.25])).toBeNull()
    expect(average([START - 1, 0.9], [START + 900, 0.5], [EXPIRY + 1, 0.9])).toBe(0.5)
  })

  test('is the price at expiry where that is the only point, and gives it no weight after others', () => {
    expect(twap([EXPIRY, 0.7])).toEqual({
      numerator: 7n * 10n ** 17n,
      denominator: 1n,
      pointCount: 1,
      dropped: 0,
      maxGapS: 1_800,
    })
    expect(average([START, 0.3], [EXPIRY, 0.7])).toBe(0.3)
    expect(twap([START, 0.3], [EXPIRY, 0.7])?.pointCount).toBe(2)
  })

  test('does not depend on the order of the points, and of equal times takes the last', () => {
    expect(average([START + 900, 0.6], [START, 0.2])).toBe(0.4)
    expect(average([START, 0.9], [START, 0.2])).toBe(0.2)
    expect(twap([START, 0.9], [START, 0.2])?.pointCount).toBe(1)
  })

  test('drops and counts invalid prices', () => {
    const good: [number, number] = [START, 0.5]
    for (const p of [-0.001, 1.001, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(twap(good, [START + 900, p])).toMatchObject({ pointCount: 1, dropped: 1 })
      expect(average(good, [START + 900, p])).toBe(0.5)
    }
    for (const t of [Number.NaN, START + 0.5, Number.POSITIVE_INFINITY]) {
      expect(twap(good, [t, 0.9])).toMatchObject({ pointCount: 1, dropped: 1 })
    }
    expect(twap([START, 2])).toBeNull()
    expect(average([START, 0])).toBe(0)
    expect(average([START, 1])).toBe(1)
  })

  test('tells the longest time without a point, also before the first and after the last', () => {
    expect(twap([START, 0.5])?.maxGapS).toBe(1_800)
    expect(twap([START + 700, 0.5], [START + 1_200, 0.5])?.maxGapS).toBe(700)
    expect(twap([START + 100, 0.5], [START + 1_000, 0.5])?.maxGapS).toBe(900)
    expect(twap([START + 100, 0.5], [START + 200, 0.5])?.maxGapS).toBe(1_600)
  })

  const shortWindow = { windowStart: 1_000, windowEnd: 1_060 }
  const price = fc.oneof(
    fc.integer({ min: 0, max: 200 }).map((half) => half / 200),
    fc.integer({ min: 0, max: 10_000 }).map((tick) => tick / 10_000),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.constantFrom(-0.5, 1.5),
  )
  const points: fc.Arbitrary<PricePoint[]> = fc.array(
    fc.record({ t: fc.integer({ min: 990, max: 1_070 }), p: price }),
    {
      maxLength: 12,
    },
  )

  test('agrees with looking up the price of every second, and rounds to the same resolution', () => {
    fc.assert(
      fc.property(points, (list) => {
        const found = twapOf(list, shortWindow)
        const expected = twapSecondBySecond(list, shortWindow.windowStart, shortWindow.windowEnd)
        expect(found === null).toBe(expected === null)
        if (found === null || expected === null) return
        expect(isClose(rational(found.numerator, found.denominator * 10n ** 18n), expected)).toBe(true)
        expect(isClose(rationalOf(twapToNumber(found)), expected)).toBe(true)
        expect(twapResolutionBps(found)).toBe(Number(roundHalfUp(multiply(expected, rational(100n)))))
      }),
      { numRuns: 2_000 },
    )
  })

  test('counts points, drops and gaps as looking at every second does', () => {
    fc.assert(
      fc.property(points, (list) => {
        const found = twapOf(list, shortWindow)
        if (found === null) return
        const usable = list.filter(({ p }) => p >= 0 && p <= 1)
        const inside = usable.filter(({ t }) => t >= shortWindow.windowStart && t <= shortWindow.windowEnd)
        expect(found.pointCount).toBe(new Set(inside.map(({ t }) => t)).size)
        expect(found.dropped).toBe(list.length - usable.length)
        expect(found.maxGapS).toBe(longestGap(inside, shortWindow.windowStart, shortWindow.windowEnd))
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('the resolution of an average', () => {
  test.each([
    [0, 0],
    [0.004_999_999, 0],
    [0.005, 1],
    [0.584_999, 58],
    [0.585, 59],
    [0.594_999, 59],
    [0.994_999, 99],
    [0.995, 100],
    [1, 100],
  ])('is %d for %d dollars', (dollars, resolution) => {
    expect(twapResolutionBps(twap([START, dollars]) as Twap)).toBe(resolution)
  })

  test('rounds a half up also where no double is a half', () => {
    const third = { numerator: 35n * 10n ** 16n, denominator: 100n }
    expect(twapResolutionBps({ ...third, numerator: third.numerator + 15n * 10n ** 16n })).toBe(1)
    expect(twapResolutionBps({ ...third, numerator: 5n * 10n ** 17n - 1n })).toBe(0)
  })
})

test('an average is shown to 12 decimals, halves up', () => {
  expect(twapToNumber({ numerator: 10n ** 18n, denominator: 3n })).toBe(0.333333333333)
  expect(twapToNumber({ numerator: 2n * 10n ** 18n, denominator: 3n })).toBe(0.666666666667)
  expect(twapToNumber({ numerator: 500_000n, denominator: 1n })).toBe(1e-12)
  expect(twapToNumber({ numerator: 499_999n, denominator: 1n })).toBe(0)
})

test('a recorded point wins over a fetched one of the same time', () => {
  const recorded = [{ t: START, p: 0.2 }]
  const fetched = [
    { t: START, p: 0.9 },
    { t: START + 900, p: 0.4 },
  ]
  const merged = twapOf(mergePoints(recorded, fetched), window) as Twap
  expect(twapToNumber(merged)).toBe(0.3)
  expect(merged.pointCount).toBe(2)
})

describe('the points that are shown', () => {
  const rising = (count: number) => Array.from({ length: count }, (_, t) => ({ t: START + t, p: t / count }))

  test('are in the order of time, of a second the last, and none that is no price', () => {
    const points = [
      { t: START + 60, p: 0.2 },
      { t: START, p: 0.9 },
      { t: START + 60, p: 0.3 },
      { t: START + 1, p: 1.5 },
    ]
    expect(shownPoints(points)).toEqual([
      { t: START, p: 0.9 },
      { t: START + 60, p: 0.3 },
    ])
    expect(shownPoints([])).toEqual([])
  })

  test('are a thousand at most, evenly, the first and the last among them', () => {
    expect(shownPoints(rising(1_000))).toEqual(rising(1_000))
    const all = rising(1_801)
    const shown = shownPoints(all)
    expect(shown).toHaveLength(1_000)
    expect([shown[0], shown.at(-1)]).toEqual([all[0], all.at(-1)])
    const gaps = shown.slice(1).map(({ t }, i) => t - (shown[i]?.t ?? 0))
    expect(new Set(gaps)).toEqual(new Set([1, 2]))
  })
})
