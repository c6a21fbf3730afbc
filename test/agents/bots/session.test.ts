import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../src/agents/bots/random.ts'
import { drawGapMs, drawSession, TAKER_MIX, tradable } from '../../../src/agents/bots/session.ts'
import type { ListedSeries } from '../../../src/client/index.ts'
import type { ResolutionBps, StrikeBps } from '../../../src/protocol/domain/units.ts'

const NOW = Date.UTC(2026, 0, 1)

const series = (seriesId: string, over: Partial<ListedSeries> = {}): ListedSeries => ({
  seriesId,
  conditionId: `0x${'11'.repeat(32)}`,
  yesTokenId: '1',
  strikeBps: 4_500 as StrikeBps,
  expiry: NOW / 1_000 + 3_600,
  optionType: 'call',
  resolutionBps: null,
  ...over,
})

describe('the requests of a simulated taker', () => {
  test('are for series that are open and live for another minute, in an order of their own', () => {
    const listed = [
      series('3'),
      series('1'),
      series('2', { resolutionBps: 50 as ResolutionBps }),
      series('4', { expiry: NOW / 1_000 + 60 }),
      series('5', { expiry: NOW / 1_000 + 61 }),
    ]
    expect(tradable(listed, NOW).map(({ seriesId }) => seriesId)).toEqual(['1', '3', '5'])
  })

  test('keep within the mix', () => {
    const listed = [series('1'), series('2')]
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const session = drawSession(listed, TAKER_MIX, createRandom(seed))
        expect(session?.patienceMs).toBeGreaterThanOrEqual(TAKER_MIX.patienceMs.min)
        expect(session?.patienceMs).toBeLessThanOrEqual(TAKER_MIX.patienceMs.max)
        if (session?.trade.side === 'buy') {
          expect(session.trade.budget % 1_000_000n).toBe(0n)
          expect(session.trade.budget).toBeGreaterThanOrEqual(20_000_000n)
          expect(session.trade.budget).toBeLessThanOrEqual(400_000_000n)
        } else {
          expect(session?.trade.size).toBeGreaterThanOrEqual(50n)
          expect(session?.trade.size).toBeLessThanOrEqual(800n)
        }
      }),
    )
  })

  test('are on both sides and in every series, in the shares of the mix', () => {
    const random = createRandom(1)
    const listed = [series('1'), series('2'), series('3')]
    const sessions = Array.from({ length: 3_000 }, () => drawSession(listed, TAKER_MIX, random))
    const share = (holds: (session: (typeof sessions)[number]) => boolean) =>
      sessions.filter(holds).length / sessions.length
    expect(share((session) => session?.trade.side === 'buy')).toBeCloseTo(0.7, 1)
    expect(share((session) => session?.walksAway === true)).toBeCloseTo(0.15, 1)
    for (const { seriesId } of listed)
      expect(share((session) => session?.series.seriesId === seriesId)).toBeCloseTo(1 / 3, 1)
  })

  test('take the same draws when there is nothing to trade', () => {
    const [one, other] = [createRandom(5), createRandom(5)]
    expect(drawSession([], TAKER_MIX, one)).toBeNull()
    drawSession([series('1')], TAKER_MIX, other)
    expect(one()).toBe(other())
  })

  test('come at the rate that was asked for', () => {
    const random = createRandom(2)
    const gaps = Array.from({ length: 5_000 }, () => drawGapMs(30, random))
    expect(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length / 2_000).toBeCloseTo(1, 1)
  })
})
