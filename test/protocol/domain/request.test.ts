import { expect, test } from 'vitest'
import {
  requestExpiry,
  seriesTermsOf,
  takesInventory,
  toRequestedOption,
  withoutTexts,
} from '../../../src/protocol/domain/request.ts'
import { contracts, type StrikeBps } from '../../../src/protocol/domain/units.ts'

test('a request asks about the series of its market and option, with the expiry floored to seconds', () => {
  const conditionId = `0x${'11'.repeat(32)}` as const
  const terms = seriesTermsOf({
    market: { conditionId, yesTokenId: '7', question: 'Will it rain?' },
    option: { optionType: 'put', strikeBps: 4_500 as StrikeBps, expiryMs: 1_800_000_000_999 },
  })
  expect(terms).toEqual({ conditionId, yesTokenId: '7', strikeBps: 4_500, expiry: 1_800_000_000, optionType: 'put' })
})

test('a request closes after its time to live', () => {
  expect(requestExpiry({ now: 1_000, ttlMs: 300_000, tradingEndsAt: 500 })).toBe(301_000)
})

test('a request closes at the latest in the second in which trading ends', () => {
  expect(requestExpiry({ now: 1_000, ttlMs: 300_000, tradingEndsAt: 200 })).toBe(200_000)
})

test('an unfilled request keeps all but its question and its standing limit', () => {
  const market = {
    conditionId: `0x${'11'.repeat(32)}` as const,
    yesTokenId: '7',
    question: 'Will it rain?',
    yesPrice: 0.4,
  }
  expect(withoutTexts({ requestId: 'request-1', market, standing: { proof: '0x5afe' } })).toEqual({
    requestId: 'request-1',
    market: { ...market, question: null },
  })
})

test('options that their seller holds are filled for a taker that says so, or that only closes', () => {
  const sale = { side: 'sell', size: contracts(10n) } as const
  expect(takesInventory({ trade: sale })).toBe(false)
  expect(takesInventory({ trade: sale, inventory: true })).toBe(true)
  expect(takesInventory({ trade: { ...sale, reduceOnly: true } })).toBe(true)
})

test('an option is asked for as its series has it, calls, puts and packages', () => {
  const call = { optionType: 'call', strikeBps: 4_500 as StrikeBps } as const
  const legs = [
    { ...call, quantity: 1 },
    { ...call, strikeBps: 6_000 as StrikeBps, quantity: -1 },
  ]
  for (const option of [call, { legs }]) {
    const asked = toRequestedOption({ ...option, expiry: 1_800_000_000 })
    expect(asked).toEqual({ ...option, expiryMs: 1_800_000_000_000 })
  }
})
