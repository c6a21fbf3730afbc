import { describe, expect, test } from 'vitest'
import type { ResolvedSeries, ReviewDetails } from '../../../src/protocol/domain/review.ts'
import type { ResolutionBps, StrikeBps } from '../../../src/protocol/domain/units.ts'
import {
  decodeDecided,
  decodeDecision,
  decodeReview,
  decodeReviews,
  encodeDecided,
  encodeDecision,
  encodeReview,
  encodeReviews,
} from '../../../src/protocol/wire/reviews.ts'
import { CONDITION_ID, overTheWire } from './examples.ts'

const series = {
  seriesId: '7',
  conditionId: CONDITION_ID,
  yesTokenId: '123456789',
  strikeBps: 4_500 as StrikeBps,
  expiry: 1_800_000_000,
  optionType: 'call',
  resolutionBps: null,
} as const
const window = { windowStart: 1_799_998_200, windowEnd: 1_800_000_000 }
const review = { reason: 'no_price_data', escalatedAt: 1_800_000_001_000 }
const resolution: ResolvedSeries = {
  resolutionBps: 59 as ResolutionBps,
  method: 'manual',
  resolvedAt: 1_800_000_002_000,
  decision: { by: 'Ada', reason: 'she knows' },
}

describe('reviews', () => {
  test('cross the wire', () => {
    const item = { series, ...window, ...review }
    const answer = overTheWire(encodeReviews([item]))
    expect(answer).toMatchObject({ success: true, count: 1, reviews: [{ escalatedAt: '2027-01-15T08:00:01.000Z' }] })
    expect(decodeReviews(answer)).toEqual([item])
  })

  test('cross the wire with all that is known', () => {
    const details: ReviewDetails = {
      series,
      ...window,
      review,
      resolution,
      sourceAvailable: true,
      points: [
        { t: 1_799_999_000, p: 0.5, origin: 'recorded' },
        { t: 1_799_999_060, p: 0.6, origin: 'fetched' },
      ],
      pointCount: 2,
      maxGapS: 940,
      twap: 0.55,
    }
    expect(decodeReview(overTheWire(encodeReview(details)))).toEqual(details)
  })

  test('say when nothing is known and the source is down', () => {
    const details: ReviewDetails = {
      series,
      ...window,
      review: null,
      resolution: null,
      sourceAvailable: false,
      points: [],
      pointCount: 0,
      maxGapS: null,
      twap: null,
    }
    expect(decodeReview(overTheWire(encodeReview(details)))).toEqual(details)
  })
})

describe('a decision', () => {
  const decision = { resolutionBps: 59 as ResolutionBps, by: 'Ada', reason: 'she knows' }

  test('crosses the wire', () => {
    expect(decodeDecision(overTheWire(encodeDecision(decision)))).toEqual(decision)
    expect(decodeDecided(overTheWire(encodeDecided('7', resolution)))).toEqual(resolution)
    const byItself = { ...resolution, decision: null }
    expect(decodeDecided(overTheWire(encodeDecided('7', byItself)))).toEqual(byItself)
  })

  test.each([
    ['a price above a dollar', { resolutionBps: 101 }],
    ['a price below nothing', { resolutionBps: -1 }],
    ['a price in parts of a cent', { resolutionBps: 0.59 }],
    ['a price in a string', { resolutionBps: '59' }],
    ['no name', { by: undefined }],
    ['an empty name', { by: ' ' }],
    ['a name without end', { by: 'x'.repeat(101) }],
    ['no reason', { reason: '' }],
    ['a reason that changes how text is shown', { reason: 'ok\u202e' }],
    ['a reason on two lines', { reason: 'a\nb' }],
  ])('is refused with %s', (_, changes) => {
    expect(() => decodeDecision({ ...decision, ...changes })).toThrowError(
      expect.objectContaining({ code: 'invalid_request' }),
    )
  })
})
