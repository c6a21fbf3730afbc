import { expect, test } from 'vitest'
import { labelPoints } from '../../src/domain/review.ts'

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
