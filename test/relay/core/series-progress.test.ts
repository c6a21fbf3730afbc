import { describe, expect, it } from 'vitest'
import { isPackage } from '../../../src/protocol/domain/option.ts'
import { seriesIdOf } from '../../../src/protocol/domain/series.ts'
import type { ResolutionBps, StrikeBps } from '../../../src/protocol/domain/units.ts'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { CALL_BUY, createTestRelay, EXPIRY_S, refusal, START_MS, type TestRelay } from '../../support/test-relay.ts'

const WINDOW_START_S = EXPIRY_S - 1_800

async function progressOf({ operations }: TestRelay) {
  const { state } = await operations.feed.open(null)
  const [call] = state.series?.filter(({ series }) => !isPackage(series) && series.optionType === 'call') ?? []
  if (call === undefined) throw new Error('no series')
  return call
}

const moveTo = ({ clock }: TestRelay, second: number) => clock.advance(second * 1_000 - clock.now())

describe('the progress of a series', () => {
  it('goes from trading through its window to due, and shows the points until now only', async () => {
    const fixture = createTestRelay()
    fixture.sources.points = [-600, 0, 600, 1_200].map((offset) => ({ t: WINDOW_START_S + offset, p: 0.4 }))
    expect(await progressOf(fixture)).toMatchObject({
      phase: 'trading',
      points: [],
      twap: null,
      question: 'Will it rain?',
    })
    await moveTo(fixture, WINDOW_START_S + 700)
    expect(await progressOf(fixture)).toMatchObject({ phase: 'window', pointCount: 2, twap: 0.4, resolution: null })
    await moveTo(fixture, EXPIRY_S)
    expect(await progressOf(fixture)).toMatchObject({ phase: 'due', pointCount: 3 })
  })

  it('shows the pinned resolution, and after settlement that of the chain', async () => {
    const fixture = createTestRelay()
    fixture.sources.points = [{ t: WINDOW_START_S, p: 0.59 }]
    const { seriesId } = fixture.register(CALL_BUY)
    await moveTo(fixture, EXPIRY_S)
    await fixture.relay.prepareSettlement(seriesId)
    expect(await progressOf(fixture)).toMatchObject({
      phase: 'resolved',
      resolution: { resolutionBps: 59, method: 'twap' },
    })
    const series = fixture.chain.registered.get(seriesId)
    if (series !== undefined) fixture.chain.registered.set(seriesId, { ...series, resolutionBps: 60 as ResolutionBps })
    expect(await progressOf(fixture)).toMatchObject({
      phase: 'settled',
      resolution: { resolutionBps: 60, method: null },
    })
  })

  it('waits for a person when there is no price, and says why and since when', async () => {
    const fixture = createTestRelay()
    const { seriesId } = fixture.register(CALL_BUY)
    await moveTo(fixture, EXPIRY_S)
    expect(await refusal(fixture.relay.prepareSettlement(seriesId))).toBe('manual_review')
    expect(await progressOf(fixture)).toMatchObject({
      phase: 'review',
      review: { reason: 'no_price_data', at: EXPIRY_S * 1_000 },
    })
  })

  it('is not shown of packages that expired and that no one holds: they would hide the others', async () => {
    const fixture = createTestRelay()
    const { seriesId, conditionId, yesTokenId, expiry } = fixture.register(CALL_BUY)
    const legs = [2, -2].map((quantity, i) => ({
      optionType: 'call' as const,
      strikeBps: (4_000 + i) as StrikeBps,
      quantity,
    }))
    const terms = { conditionId, yesTokenId, expiry, legs }
    const spread = { ...terms, seriesId: seriesIdOf(terms), halted: false, resolutionBps: null }
    fixture.chain.registered.set(spread.seriesId, spread)
    const shown = async () => {
      const { state } = await fixture.operations.feed.open(null)
      return state.series?.map(({ series }) => series.seriesId)
    }
    await moveTo(fixture, EXPIRY_S)
    expect(await shown()).toContain(spread.seriesId)
    fixture.chain.unheld.add(spread.seriesId)
    expect(await shown()).not.toContain(spread.seriesId)
    expect(await shown()).toContain(seriesId)
  })

  it('asks a source about an open window at most every 15 s', async () => {
    const fixture = createTestRelay()
    fixture.sources.points = [{ t: WINDOW_START_S, p: 0.4 }]
    await moveTo(fixture, WINDOW_START_S + 1)
    await progressOf(fixture)
    fixture.sources.points = [...fixture.sources.points, { t: WINDOW_START_S + 2, p: 0.5 }]
    await fixture.clock.advance(14_000)
    expect(await progressOf(fixture)).toMatchObject({ pointCount: 1 })
    await fixture.clock.advance(1_000)
    expect(await progressOf(fixture)).toMatchObject({ pointCount: 2 })
  })

  it('asks about a window that is over once more, and then hardly ever', async () => {
    const fixture = createTestRelay()
    fixture.sources.points = [{ t: WINDOW_START_S, p: 0.4 }]
    await moveTo(fixture, EXPIRY_S - 10)
    await progressOf(fixture)
    fixture.sources.points = [...fixture.sources.points, { t: EXPIRY_S - 1, p: 0.5 }]
    await moveTo(fixture, EXPIRY_S + 5)
    expect(await progressOf(fixture)).toMatchObject({ phase: 'due', pointCount: 2 })
    fixture.sources.points = []
    await fixture.clock.advance(299_000)
    expect(await progressOf(fixture)).toMatchObject({ pointCount: 2 })
    await fixture.clock.advance(1_000)
    expect(await progressOf(fixture)).toMatchObject({ pointCount: 0 })
  })

  it('averages so far: the last price has held until now, not yet until expiry', async () => {
    const fixture = createTestRelay()
    fixture.sources.points = [
      { t: WINDOW_START_S, p: 0.4 },
      { t: WINDOW_START_S + 600, p: 0.8 },
    ]
    await moveTo(fixture, WINDOW_START_S + 800)
    expect((await progressOf(fixture)).twap).toBe(0.5)
  })

  it('thins the points of a full window, and keeps the last one', async () => {
    const fixture = createTestRelay()
    fixture.sources.points = Array.from({ length: 1_800 }, (_, i) => ({ t: WINDOW_START_S + i, p: i / 1_800 }))
    await moveTo(fixture, EXPIRY_S - 1)
    const { points, pointCount } = await progressOf(fixture)
    expect([points.length, pointCount, points.at(-1)?.t]).toEqual([60, 1_800, EXPIRY_S - 1])
  })

  it('does without a source that is down', async () => {
    const fixture = createTestRelay()
    fixture.sources.points = null
    await moveTo(fixture, EXPIRY_S - 1)
    expect(await progressOf(fixture)).toMatchObject({ phase: 'window', pointCount: 0 })
  })

  it('shows the series that expire first', async () => {
    const fixture = createTestRelay()
    const later = { ...CALL_BUY, option: { ...CALL_BUY.option, expiryMs: START_MS + 7_200_000 } }
    fixture.register({ ...later, trade: { side: 'buy', budget: usd6(1n) } })
    const { state } = await fixture.operations.feed.open(null)
    const expiries = state.series?.map(({ series }) => series.expiry)
    expect(expiries).toEqual([EXPIRY_S, EXPIRY_S, EXPIRY_S + 3_600])
  })
})
