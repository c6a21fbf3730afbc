import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Cadence,
  type ListingRule,
  nextExpiry,
  planListing,
  type SourceMarket,
} from '../../../src/protocol/domain/listing.ts'
import type { StrikeBps } from '../../../src/protocol/domain/units.ts'

const at = (text: string): number => Date.parse(text) / 1_000

describe('nextExpiry', () => {
  test.each<[Cadence, string, string]>([
    ['daily', '2026-11-23T07:00:00Z', '2026-11-24T08:00:00Z'],
    ['daily', '2026-11-22T20:00:00Z', '2026-11-23T08:00:00Z'],
    ['daily', '2026-11-22T20:00:01Z', '2026-11-24T08:00:00Z'],
    ['weekly', '2026-11-25T08:00:00Z', '2026-11-27T08:00:00Z'],
    ['weekly', '2026-11-25T08:00:01Z', '2026-12-04T08:00:00Z'],
    ['monthly', '2026-11-20T08:00:00Z', '2026-11-27T08:00:00Z'],
    ['monthly', '2026-11-20T08:00:01Z', '2026-12-25T08:00:00Z'],
    ['monthly', '2027-12-30T00:00:00Z', '2028-01-28T08:00:00Z'],
  ])('the next %s expiry at %s is %s', (cadence, now, expiry) => {
    expect(nextExpiry(cadence, at(now))).toBe(at(expiry))
  })

  test('is at 08:00 UTC, weekly and monthly ones on a Friday, monthly ones the last of the month, and never runs backwards', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Cadence>('daily', 'weekly', 'monthly'),
        fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2040-01-01T00:00:00Z') }),
        (cadence, now) => {
          const expiry = nextExpiry(cadence, now)
          const date = new Date(expiry * 1_000)
          const inAWeek = new Date((expiry + 7 * 86_400) * 1_000)
          expect(date.toISOString()).toMatch(/T08:00:00.000Z$/)
          if (cadence !== 'daily') expect(date.getUTCDay()).toBe(5)
          if (cadence === 'monthly') expect(inAWeek.getUTCMonth()).not.toBe(date.getUTCMonth())
          expect(expiry).toBeGreaterThan(now)
          expect(nextExpiry(cadence, now + 3_600)).toBeGreaterThanOrEqual(expiry)
        },
      ),
    )
  })
})

describe('planListing', () => {
  const now = at('2026-11-23T07:00:00Z')
  const market: SourceMarket = {
    question: 'Will it?',
    conditionId: `0x${'ab'.repeat(32)}`,
    yesTokenId: '7',
    endsAt: at('2027-06-01T00:00:00Z'),
    unfit: null,
  }
  const rule: ListingRule = {
    strikes: [2_500 as StrikeBps, 7_500 as StrikeBps],
    cadences: ['weekly', 'monthly'],
    optionTypes: ['call', 'put'],
  }

  test('a market gets every strike with every expiry and type', () => {
    const { series, leftOut } = planListing([market], rule, now)
    expect(series).toHaveLength(8)
    expect(leftOut).toEqual([])
    expect(series[0]).toEqual({
      question: 'Will it?',
      conditionId: market.conditionId,
      yesTokenId: '7',
      strikeBps: 2_500,
      expiry: at('2026-11-27T08:00:00Z'),
      optionType: 'call',
    })
    expect(new Set(series.map((one) => JSON.stringify(one))).size).toBe(8)
  })

  test('an expiry that is both the weekly and the monthly one is listed once', () => {
    const { series } = planListing([market], rule, at('2026-11-19T00:00:00Z'))
    expect(series.map(({ expiry }) => expiry)).toEqual(Array(4).fill(at('2026-11-27T08:00:00Z')))
  })

  test('a series that expires after the end of its market is left out, to the second', () => {
    const monthly = at('2026-12-25T08:00:00Z')
    const ends = (endsAt: number) => planListing([{ ...market, endsAt }], rule, now)
    expect(ends(monthly)).toMatchObject({ series: { length: 8 }, leftOut: [] })
    expect(ends(monthly - 1)).toMatchObject({
      series: { length: 4 },
      leftOut: [{ expiry: monthly, reason: 'the market ends before, at 2026-12-25T07:59:59Z' }],
    })
  })

  test.each<[Partial<SourceMarket>, string]>([
    [{ unfit: 'it is closed' }, 'it is closed'],
    [{ yesTokenId: null }, 'it has no YES token'],
    [{ endsAt: null }, 'it has no end date'],
  ])('a market that could not settle gets nothing: %j', (change, reason) => {
    const { question, conditionId } = market
    expect(planListing([{ ...market, ...change }], rule, now)).toEqual({
      series: [],
      leftOut: [{ question, conditionId, expiry: null, reason }],
    })
  })
})
