import { describe, expect, it } from 'vitest'
import { seriesTermsOf } from '../../../src/protocol/domain/request.ts'
import { seriesIdOf } from '../../../src/protocol/domain/series.ts'
import type { ResolutionBps } from '../../../src/protocol/domain/units.ts'
import { CALL_BUY, createTestRelay, EXPIRY_S, PUT_SELL, refusal, type TestRelay } from '../../support/test-relay.ts'

const CALL = seriesIdOf(seriesTermsOf(CALL_BUY))
const PUT = seriesIdOf(seriesTermsOf(PUT_SELL))
const TOKEN = CALL_BUY.market.yesTokenId
const START = EXPIRY_S - 1_800
const WINDOW = { windowStart: START, windowEnd: EXPIRY_S }

/** A relay at a time of its chain, and how often its source was asked. */
function fixtureAt(time: number): TestRelay & { asked: () => number } {
  let asked = 0
  const fixture = createTestRelay()
  fixture.chain.aheadS = time - fixture.clock.now() / 1_000
  const { prices } = fixture.ports
  const { history } = prices
  prices.history = (...input) => {
    asked += 1
    return history(...input)
  }
  return { ...fixture, asked: () => asked }
}

describe('the prices of a window', () => {
  it('are empty before it begins, and nothing is asked', async () => {
    const fixture = fixtureAt(START - 1)
    fixture.sources.points = [{ t: START, p: 0.5 }]
    expect(await fixture.relay.readWindowPrices(CALL)).toEqual({
      seriesId: CALL,
      ...WINDOW,
      points: [],
      twap: null,
      resolutionBps: null,
      method: null,
    })
    expect(fixture.asked()).toBe(0)
  })

  it('are those up to now, recorded and fetched, and their average up to now', async () => {
    const fixture = fixtureAt(START + 900)
    await fixture.ports.store.prices.record(TOKEN, { t: START, p: 0.2 })
    fixture.sources.points = [
      { t: START - 60, p: 0.9 },
      { t: START, p: 0.7 },
      { t: START + 600, p: 0.8 },
      { t: START + 901, p: 0.1 },
    ]
    expect(await fixture.relay.readWindowPrices(CALL)).toMatchObject({
      points: [
        { t: START, p: 0.2 },
        { t: START + 600, p: 0.8 },
      ],
      twap: 0.4,
      resolutionBps: null,
    })
  })

  it('are those that settle: the resolution is of their average', async () => {
    const fixture = fixtureAt(EXPIRY_S)
    fixture.sources.points = [
      { t: START, p: 0.5 },
      { t: START + 900, p: 0.68 },
    ]
    const { attestation, meta } = await fixture.relay.prepareSettlement(CALL)
    expect(await fixture.relay.readWindowPrices(CALL)).toMatchObject({
      points: fixture.sources.points,
      twap: meta.twap,
      resolutionBps: attestation.resolutionBps,
      method: 'twap',
    })
  })

  it('are not said to have made the price of the chain where that is another one', async () => {
    const fixture = fixtureAt(EXPIRY_S)
    fixture.sources.points = [{ t: START, p: 0.5 }]
    await fixture.relay.prepareSettlement(CALL)
    const put = fixture.register()
    fixture.chain.registered.set(CALL, { ...put, resolutionBps: 7 as ResolutionBps })
    expect(await fixture.relay.readWindowPrices(CALL)).toMatchObject({ resolutionBps: 7, method: null })
  })

  it('are asked of a source once in 15 s for all series of the market and expiry, and again once it is over', async () => {
    const fixture = fixtureAt(START + 60)
    fixture.sources.points = [{ t: START, p: 0.5 }]
    await Promise.all([CALL, CALL, PUT].map(fixture.relay.readWindowPrices))
    expect(fixture.asked()).toBe(1)
    await fixture.clock.advance(14_999)
    await fixture.relay.readWindowPrices(CALL)
    expect(fixture.asked()).toBe(1)
    await fixture.clock.advance(1)
    await fixture.relay.readWindowPrices(CALL)
    expect(fixture.asked()).toBe(2)
    fixture.chain.aheadS += 1_800
    await fixture.relay.readWindowPrices(CALL)
    expect(fixture.asked()).toBe(3)
  })

  it('are those that the relay has recorded where the source is down', async () => {
    const fixture = fixtureAt(EXPIRY_S)
    await fixture.ports.store.prices.record(TOKEN, { t: START + 1, p: 0.25 })
    fixture.sources.points = null
    expect(await fixture.relay.readWindowPrices(CALL)).toMatchObject({
      points: [{ t: START + 1, p: 0.25 }],
      twap: 0.25,
    })
  })

  it('are refused while the store is down, and there again when it is back', async () => {
    const fixture = fixtureAt(EXPIRY_S)
    const { prices } = fixture.ports.store
    const { between } = prices
    prices.between = async () => Promise.reject(new Error('down'))
    await expect(fixture.relay.readWindowPrices(CALL)).rejects.toThrow('down')
    prices.between = between
    expect((await fixture.relay.readWindowPrices(CALL)).points).toEqual([])
  })

  it('are of a series that there is', async () => {
    const fixture = fixtureAt(EXPIRY_S)
    for (const id of ['1', 'x', '']) {
      expect(await refusal(fixture.relay.readWindowPrices(id))).toBe('series_not_found')
    }
  })
})
