import { describe, expect, test } from 'vitest'
import {
  type FinalOutcome,
  manualResolution,
  resolveSeries,
  type TwapLimits,
} from '../../../src/protocol/domain/resolution.ts'
import type { PricePoint } from '../../../src/protocol/domain/twap.ts'
import type { ResolutionBps } from '../../../src/protocol/domain/units.ts'
import { LIVE_TWAP } from '../../../src/relay/config/definitions.ts'

const EXPIRY = 1_800_000_000
const window = { windowStart: EXPIRY - 1_800, windowEnd: EXPIRY }
const PRICES: PricePoint[] = [
  { t: EXPIRY - 1_800, p: 0.57 },
  { t: EXPIRY - 900, p: 0.6 },
]

const resolve = ({
  outcome = null,
  recorded = [],
  fetched = PRICES,
  limits = {},
}: {
  outcome?: FinalOutcome | null
  recorded?: PricePoint[]
  fetched?: PricePoint[]
  limits?: Partial<TwapLimits>
}) => resolveSeries({ expiry: EXPIRY, outcome, recorded, fetched, limits: { minPoints: 1, maxGapS: null, ...limits } })

describe('the waterfall', () => {
  test.each([
    [1, 100],
    [0, 0],
  ] as const)('takes the final outcome %d of a market that closed by expiry', (yesPrice, resolutionBps) => {
    const resolved = {
      kind: 'resolved',
      resolutionBps,
      meta: { method: 'outcome', twap: yesPrice, pointCount: 0, yesPrice, ...window },
    }
    expect(resolve({ outcome: { yesPrice, closedAt: EXPIRY } })).toEqual(resolved)
    expect(resolve({ outcome: { yesPrice, closedAt: null } })).toEqual(resolved)
  })

  test('falls to the average of the window when the market closed after expiry or is open', () => {
    const resolved = {
      kind: 'resolved',
      resolutionBps: 59,
      meta: { method: 'twap', twap: 0.585, pointCount: 2, yesPrice: 0.585, maxGapS: 900, ...window },
    }
    expect(resolve({ outcome: { yesPrice: 1, closedAt: EXPIRY + 1 } })).toEqual(resolved)
    expect(resolve({})).toEqual(resolved)
  })

  test('prefers recorded points to fetched ones of the same second', () => {
    const decision = resolve({ recorded: [{ t: EXPIRY - 900, p: 0.47 }] })
    expect(decision).toMatchObject({ kind: 'resolved', resolutionBps: 52, meta: { twap: 0.52, pointCount: 2 } })
  })

  test('leaves a window without a price to a person', () => {
    expect(resolve({ fetched: [] })).toEqual({ kind: 'review', reason: 'no_price_data' })
    expect(resolve({ fetched: [{ t: EXPIRY - 1_801, p: 0.5 }] })).toEqual({ kind: 'review', reason: 'no_price_data' })
  })

  test('leaves too few points to a person', () => {
    expect(resolve({ limits: { minPoints: 2 } }).kind).toBe('resolved')
    expect(resolve({ limits: { minPoints: 3 } })).toEqual({ kind: 'review', reason: 'too_few_points' })
  })

  test('leaves too long a time without a point to a person', () => {
    expect(resolve({ limits: { maxGapS: 900 } }).kind).toBe('resolved')
    expect(resolve({ limits: { maxGapS: 899 } })).toEqual({ kind: 'review', reason: 'gap_too_long' })
  })

  describe('within the limits of live prices (decision 0126)', () => {
    const honest = (...minutes: number[]): PricePoint[] => minutes.map((minute) => at(minute * 60, 0.4))
    const at = (second: number, p: number): PricePoint => ({ t: EXPIRY - 1_800 + second, p })
    const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)

    test('leaves two prints, each with a hole of ten minutes after it, to a person', () => {
      const fetched = [...honest(...range(0, 7)), at(600, 0.99), at(1_200, 0.99)]
      expect(resolve({ fetched })).toMatchObject({ kind: 'resolved', resolutionBps: 79 })
      expect(resolve({ fetched, limits: LIVE_TWAP })).toEqual({ kind: 'review', reason: 'too_few_points' })
      const many = [...range(0, 29).map((second) => at(second, 0.4)), ...fetched]
      expect(resolve({ fetched: many, limits: LIVE_TWAP })).toEqual({ kind: 'review', reason: 'gap_too_long' })
    })

    test('gives two prints at most two elevenths, with the longest holes that pass', () => {
      const fetched = [at(150, 0.99), ...honest(...range(5, 24)), at(1_500, 0.99), at(1_650, 0.4)]
      expect(resolve({ fetched, limits: LIVE_TWAP })).toMatchObject({ kind: 'resolved', resolutionBps: 51 })
    })

    test('lets a minute be missing, at the ends of the window as well, with half a minute of jitter', () => {
      const fetched = [at(150, 0.4), ...honest(3, 4, 5), at(450, 0.4), ...honest(...range(9, 27)), at(1_650, 0.4)]
      expect(resolve({ fetched, limits: LIVE_TWAP })).toMatchObject({ kind: 'resolved', resolutionBps: 40 })
    })

    test.each([
      ['the first three', range(3, 30)],
      ['two', [...range(0, 10), ...range(13, 30)]],
      ['the last three', range(0, 27)],
    ])('leaves a window without %s of its minutes to a person', (_, minutes) => {
      expect(resolve({ fetched: honest(...minutes), limits: LIVE_TWAP })).toEqual({
        kind: 'review',
        reason: 'gap_too_long',
      })
    })
  })

  test('asks nothing of the prices when the outcome is known', () => {
    const limits = { minPoints: 9, maxGapS: 1 }
    expect(resolve({ outcome: { yesPrice: 1, closedAt: EXPIRY - 1 }, fetched: [], limits }).kind).toBe('resolved')
  })
})

test("an operator's decision has the shape of a resolution", () => {
  expect(manualResolution(59 as ResolutionBps, EXPIRY)).toEqual({
    resolutionBps: 59,
    meta: { method: 'manual', twap: 0.59, pointCount: 0, yesPrice: 0.59, ...window },
  })
})
