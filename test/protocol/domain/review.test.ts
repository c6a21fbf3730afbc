import { expect, test } from 'vitest'
import { labelPoints, resolvedSeries } from '../../../src/protocol/domain/review.ts'
import type { ResolutionBps } from '../../../src/protocol/domain/units.ts'

test('every price of a review has its origin, in the order of time, and the recorded one of a moment counts', () => {
  const recorded = [{ t: 1_000, p: 0.5 }]
  const fetched = [
    { t: 1_060, p: 0.6 },
    { t: 1_000, p: 0.9 },
  ]
  expect(labelPoints(recorded, fetched)).toEqual([
    { t: 1_000, p: 0.5, origin: 'recorded' },
    { t: 1_060, p: 0.6, origin: 'fetched' },
  ])
})

test('a resolution is shown with how it was found, and without the figures behind it', () => {
  const meta = { method: 'twap', twap: 0.59, pointCount: 3, yesPrice: 0.59, windowStart: 0, windowEnd: 1_800 } as const
  const resolution = { resolutionBps: 59 as ResolutionBps, meta, resolvedAt: 5, decision: null }
  expect(resolvedSeries(resolution)).toEqual({ resolutionBps: 59, method: 'twap', resolvedAt: 5, decision: null })
})
