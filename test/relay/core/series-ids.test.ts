import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type SeriesTerms, seriesIdOf } from '../../../src/protocol/domain/series.ts'
import type { StrikeBps } from '../../../src/protocol/domain/units.ts'
import { createSeriesIds } from '../../../src/relay/core/open-request.ts'

/** Few values of each, so that the same series comes again, and others that differ from it in one term only. */
const aSeries: fc.Arbitrary<SeriesTerms> = fc.record({
  conditionId: fc.constantFrom(`0x${'0a'.repeat(32)}` as const, `0x${'a0'.repeat(32)}` as const),
  yesTokenId: fc.constantFrom('1', '11'),
  strikeBps: fc.constantFrom(1, 11).map((strike) => strike as StrikeBps),
  expiry: fc.constantFrom(1, 11),
  optionType: fc.constantFrom('call', 'put'),
})

it('a remembered id is the one that its terms hash to', () => {
  const idOf = createSeriesIds()
  fc.assert(fc.property(aSeries, (terms) => idOf(terms) === seriesIdOf(terms)))
})

it('beyond a thousand series it continues', () => {
  const idOf = createSeriesIds()
  const [terms] = fc.sample(aSeries, 1) as [SeriesTerms]
  for (let expiry = 1; expiry <= 1_002; expiry += 1) idOf({ ...terms, expiry })
  expect(idOf({ ...terms, expiry: 1_002 })).toBe(seriesIdOf({ ...terms, expiry: 1_002 }))
})
