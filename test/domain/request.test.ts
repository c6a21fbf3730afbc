import { expect, test } from 'vitest'
import { requestExpiry, seriesTermsOf, withoutTexts } from '../../src/domain/request.ts'
import type { StrikeBps } from '../../src/domain/units.ts'

test('a request asks about the series of its market and option, with the expiry floored to seconds', () => {
  const conditionId = `0x${'11'.repeat(32)}` as const
  const terms = seriesTermsOf({
    market: { conditionId, yesTokenId: '7', question: 'Will it rain?' },
    option: { optionType: 'put', strikeBps: 4_500 as StrikeBps, expiryMs: 1_800_000_000_999 },
  })
  expect(terms).toEqual({ conditionId, yesTokenId: '7', strikeBps: 4_500, expiry: 1_800_000_000, optionType: 'put' })
})

test('a request closes after its time to live', () => {
  expect(requestExpiry({ now: 1_000, ttlMs: 300_000, expiryMs: 500_000 })).toBe(301_000)
})

test('a request closes at the latest in the second in which its option expires', () => {
  expect(requestExpiry({ now: 1_000, ttlMs: 300_000, expiryMs: 200_000 })).toBe(200_000)
  expect(requestExpiry({ now: 1_000, ttlMs: 300_000, expiryMs: 200_999 })).toBe(200_000)
})

test('of a request that came to nothing all is remembered but its question', () => {
  const market = {
    conditionId: `0x${'11'.repeat(32)}` as const,
    yesTokenId: '7',
    question: 'Will it rain?',
    yesPrice: 0.4,
  }
  expect(withoutTexts({ requestId: 'request-1', market })).toEqual({
    requestId: 'request-1',
    market: { ...market, question: null },
  })
})
