import { describe, expect, it } from 'vitest'
import {
  afterFact,
  hitRate,
  type MakerFact,
  NEW_MAKER,
  percentile,
  reliabilityScore,
  sumRecords,
} from '../../../src/protocol/domain/reliability.ts'

const recordOf = (...facts: MakerFact[]) => facts.reduce(afterFact, NEW_MAKER)

const quoted = { at: 1, kind: 'quoted', isRequote: false } as const
const asked = { at: 2, kind: 'asked' } as const
const missed = { at: 3, kind: 'missed' } as const
const confirmed = (waitedMs: number): MakerFact => ({ at: 3, kind: 'confirmed', waitedMs })

describe('the records of several nodes', () => {
  it('add up, with the latest quote and refusal of all', () => {
    const refusal = (at: number): MakerFact => ({ at, kind: 'quote_refused', code: 'side_mismatch', detail: `${at}` })
    const here = recordOf(quoted, asked, confirmed(20), refusal(7))
    const there = recordOf({ ...quoted, at: 5 }, asked, missed, refusal(6))
    expect(sumRecords([here, there])).toEqual({
      quotes: 2,
      answered: 2,
      refused: 2,
      asked: 2,
      confirmed: 1,
      declined: 0,
      missed: 1,
      lastQuoteAt: 5,
      lastRefusal: { at: 7, code: 'side_mismatch', detail: '7' },
      waits: [20],
    })
    expect(sumRecords([there, here]).lastRefusal).toMatchObject({ at: 7 })
    expect(sumRecords([NEW_MAKER, here])).toMatchObject({ lastQuoteAt: 1 })
    expect(sumRecords([here, NEW_MAKER])).toMatchObject({ lastQuoteAt: 1, lastRefusal: { at: 7 } })
    expect(sumRecords([NEW_MAKER, NEW_MAKER])).toEqual(NEW_MAKER)
  })
})

describe('a maker record', () => {
  it('counts every quote, but a request that was quoted on only once', () => {
    expect(recordOf(quoted, { at: 9, kind: 'quoted', isRequote: true })).toMatchObject({
      quotes: 2,
      answered: 1,
      lastQuoteAt: 9,
    })
  })

  it('keeps the newest refusal with its reason', () => {
    const first: MakerFact = { at: 1, kind: 'quote_refused', code: 'side_mismatch', detail: 'sides' }
    const second: MakerFact = { at: 2, kind: 'quote_refused', code: 'maker_insufficient_balance', detail: 'holds 3' }
    expect(recordOf(first, second)).toMatchObject({
      refused: 2,
      lastRefusal: { at: 2, code: 'maker_insufficient_balance', detail: 'holds 3' },
    })
  })

  it('counts a maker without a socket as a miss, one without funds as none', () => {
    const unreachable: MakerFact = { at: 1, kind: 'passed_over', code: 'maker_unreachable', detail: 'no socket' }
    const broke: MakerFact = { at: 2, kind: 'passed_over', code: 'maker_insufficient_balance', detail: 'holds 3' }
    expect(recordOf(unreachable)).toMatchObject({ missed: 1, lastRefusal: { code: 'maker_unreachable' } })
    expect(recordOf(broke)).toMatchObject({ missed: 0, lastRefusal: { code: 'maker_insufficient_balance' } })
  })

  it('keeps the newest hundred latencies', () => {
    const waits = recordOf(...Array.from({ length: 103 }, (_, i) => confirmed(i))).waits
    expect(waits).toHaveLength(100)
    expect([waits[0], waits.at(-1)]).toEqual([3, 102])
  })
})

describe('an order that was signed with its quote', () => {
  it('counts as asked for and confirmed, and tells nothing of how long the maker takes to sign', () => {
    const signed: MakerFact = { at: 3, kind: 'confirmed', waitedMs: 0, order: {} }
    expect(recordOf(quoted, signed)).toMatchObject({ asked: 1, confirmed: 1, waits: [] })
  })
})

describe('the hit rate', () => {
  it('is the share of quoted requests in which the maker was asked', () => {
    expect(hitRate(recordOf(quoted, quoted, quoted, quoted, asked))).toBe(0.25)
    expect(hitRate(NEW_MAKER)).toBeNull()
  })
})

describe('the score', () => {
  it('is unknown before the first ask ended', () => expect(reliabilityScore(recordOf(quoted, asked))).toBeNull())

  it('is 100 for who always signs, falls with each miss and each decline, and forgives one early miss', () => {
    expect(reliabilityScore(recordOf(confirmed(5)))).toBe(100)
    expect(reliabilityScore(recordOf(missed))).toBe(67)
    expect(reliabilityScore(recordOf(missed, missed, missed, missed, missed, missed))).toBe(25)
    expect(reliabilityScore(recordOf(confirmed(5), { at: 4, kind: 'declined', waitedMs: 9 }))).toBe(75)
  })
})

describe('a percentile', () => {
  it('is the figure of the nearest rank, in whatever order they come', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => 100 - i)
    expect(percentile(hundred, 0.5)).toBe(50)
    expect(percentile(hundred, 0.99)).toBe(99)
    expect(percentile([7], 0.99)).toBe(7)
    expect(percentile([], 0.5)).toBeNull()
  })
})
