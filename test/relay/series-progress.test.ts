import { describe, expect, it } from 'vitest'
import type { ResolutionBps } from '../../src/domain/units.ts'
import { usd6 } from '../../src/domain/units.ts'
import { CALL_BUY, createRelayHouse, EXPIRY_S, type RelayHouse, refusal, START_MS } from '../support/relay-house.ts'

const WINDOW_START_S = EXPIRY_S - 1_800

async function progressOf({ operations }: RelayHouse) {
  const { standing } = await operations.feed.open(null)
  const [call] = standing.series?.filter(({ series }) => series.optionType === 'call') ?? []
  if (call === undefined) throw new Error('no series')
  return call
}

const moveTo = ({ clock }: RelayHouse, second: number) => clock.advance(second * 1_000 - clock.now())

describe('the progress of a series', () => {
  it('goes from trading through its window to due, and shows the points until now only', async () => {
    const house = createRelayHouse()
    house.sources.points = [-600, 0, 600, 1_200].map((offset) => ({ t: WINDOW_START_S + offset, p: 0.4 }))
    expect(await progressOf(house)).toMatchObject({
      phase: 'trading',
      points: [],
      twap: null,
      question: 'Will it rain?',
    })
    await moveTo(house, WINDOW_START_S + 700)
    expect(await progressOf(house)).toMatchObject({ phase: 'window', pointCount: 2, twap: 0.4, resolution: null })
    await moveTo(house, EXPIRY_S)
    expect(await progressOf(house)).toMatchObject({ phase: 'due', pointCount: 3 })
  })

  it('shows the pinned resolution, and after settlement that of the chain', async () => {
    const house = createRelayHouse()
    house.sources.points = [{ t: WINDOW_START_S, p: 0.59 }]
    const { seriesId } = house.register(CALL_BUY)
    await moveTo(house, EXPIRY_S)
    await house.relay.prepareSettlement(seriesId)
    expect(await progressOf(house)).toMatchObject({
      phase: 'resolved',
      resolution: { resolutionBps: 59, method: 'twap' },
    })
    const series = house.chain.registered.get(seriesId)
    if (series !== undefined) house.chain.registered.set(seriesId, { ...series, resolutionBps: 60 as ResolutionBps })
    expect(await progressOf(house)).toMatchObject({ phase: 'settled', resolution: { resolutionBps: 60, method: null } })
  })

  it('waits for a person when there is no price, and says why and since when', async () => {
    const house = createRelayHouse()
    const { seriesId } = house.register(CALL_BUY)
    await moveTo(house, EXPIRY_S)
    expect(await refusal(house.relay.prepareSettlement(seriesId))).toBe('manual_review')
    expect(await progressOf(house)).toMatchObject({
      phase: 'review',
      review: { reason: 'no_price_data', at: EXPIRY_S * 1_000 },
    })
  })

  it('asks a source about an open window at most every 15 s', async () => {
    const house = createRelayHouse()
    house.sources.points = [{ t: WINDOW_START_S, p: 0.4 }]
    await moveTo(house, WINDOW_START_S + 1)
    await progressOf(house)
    house.sources.points = [...house.sources.points, { t: WINDOW_START_S + 2, p: 0.5 }]
    await house.clock.advance(14_000)
    expect(await progressOf(house)).toMatchObject({ pointCount: 1 })
    await house.clock.advance(1_000)
    expect(await progressOf(house)).toMatchObject({ pointCount: 2 })
  })

  it('asks about a window that is over once more, and then hardly ever', async () => {
    const house = createRelayHouse()
    house.sources.points = [{ t: WINDOW_START_S, p: 0.4 }]
    await moveTo(house, EXPIRY_S - 10)
    await progressOf(house)
    house.sources.points = [...house.sources.points, { t: EXPIRY_S - 1, p: 0.5 }]
    await moveTo(house, EXPIRY_S + 5)
    expect(await progressOf(house)).toMatchObject({ phase: 'due', pointCount: 2 })
    house.sources.points = []
    await house.clock.advance(299_000)
    expect(await progressOf(house)).toMatchObject({ pointCount: 2 })
    await house.clock.advance(1_000)
    expect(await progressOf(house)).toMatchObject({ pointCount: 0 })
  })

  it('averages so far: the last price has held until now, not yet until expiry', async () => {
    const house = createRelayHouse()
    house.sources.points = [
      { t: WINDOW_START_S, p: 0.4 },
      { t: WINDOW_START_S + 600, p: 0.8 },
    ]
    await moveTo(house, WINDOW_START_S + 800)
    expect((await progressOf(house)).twap).toBe(0.5)
  })

  it('thins the points of a full window, and keeps the last one', async () => {
    const house = createRelayHouse()
    house.sources.points = Array.from({ length: 1_800 }, (_, i) => ({ t: WINDOW_START_S + i, p: i / 1_800 }))
    await moveTo(house, EXPIRY_S - 1)
    const { points, pointCount } = await progressOf(house)
    expect([points.length, pointCount, points.at(-1)?.t]).toEqual([60, 1_800, EXPIRY_S - 1])
  })

  it('does without a source that is down', async () => {
    const house = createRelayHouse()
    house.sources.points = null
    await moveTo(house, EXPIRY_S - 1)
    expect(await progressOf(house)).toMatchObject({ phase: 'window', pointCount: 0 })
  })

  it('shows the series that expire first', async () => {
    const house = createRelayHouse()
    const later = { ...CALL_BUY, option: { ...CALL_BUY.option, expiryMs: START_MS + 7_200_000 } }
    house.register({ ...later, trade: { side: 'buy', budget: usd6(1n) } })
    const { standing } = await house.operations.feed.open(null)
    const expiries = standing.series?.map(({ series }) => series.expiry)
    expect(expiries).toEqual([EXPIRY_S, EXPIRY_S, EXPIRY_S + 3_600])
  })
})
