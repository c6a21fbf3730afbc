import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { twapWindow } from '../../../../src/protocol/domain/twap.ts'
import { readFixtureMarkets } from '../../../../src/relay/adapters/markets/fixture-markets.ts'
import { createFixturePrices, priceAt } from '../../../../src/relay/adapters/prices/fixture.ts'

const markets = readFixtureMarkets()
const prices = createFixturePrices(markets)
const open = markets.filter(({ outcome }) => outcome === null)
const closed = markets.filter(({ outcome }) => outcome !== null)
const NOON = 1_800_014_400

const pathOf = fc.record({
  seed: fc.nat(),
  base: fc.double({ min: 0.001, max: 0.999, noNaN: true }),
  swing: fc.double({ min: 0, max: 2, noNaN: true }),
})
const anyTime = fc.integer({ min: 0, max: 4_102_444_800_000 })

describe('priceAt', () => {
  it('is always within (0, 1) and has at most 4 decimals', () => {
    fc.assert(
      fc.property(pathOf, anyTime, (path, timeMs) => {
        const price = priceAt(path, timeMs)
        expect(price).toBeGreaterThan(0)
        expect(price).toBeLessThan(1)
        expect(String(price)).toMatch(/^0\.\d{1,4}$/)
      }),
    )
  })

  it('gives pinned prices, so that a seeded run can be repeated on another machine', () => {
    const path = { seed: 11, base: 0.54, swing: 0.35 }
    const hours = [0, 1, 2, 3].map((hour) => priceAt(path, (NOON + hour * 3_600) * 1_000))
    expect(hours).toMatchInlineSnapshot(`
      [
        0.4187,
        0.5316,
        0.5618,
        0.513,
      ]
    `)
  })

  it('stays at the base without a swing', () => {
    expect(priceAt({ seed: 5, base: 0.3, swing: 0 }, 123_456_789)).toBe(0.3)
  })

  it('does not jump: within a second it moves by less than a cent', () => {
    fc.assert(
      fc.property(fc.nat(), anyTime, (seed, timeMs) => {
        const path = { seed, base: 0.5, swing: 0.4 }
        expect(Math.abs(priceAt(path, timeMs + 1_000) - priceAt(path, timeMs))).toBeLessThan(0.01)
      }),
    )
  })

  it('goes other ways for other seeds', () => {
    const at = (seed: number) => priceAt({ seed, base: 0.5, swing: 0.4 }, NOON * 1_000)
    expect(new Set([1, 2, 3, 4, 5].map(at)).size).toBeGreaterThan(3)
  })
})

describe('the fixture prices', () => {
  it('have a point at each whole minute of a window, both ends in', async () => {
    const [market] = open
    const { windowStart, windowEnd } = twapWindow(NOON)
    const points = await prices.history(market?.yesTokenId ?? '', windowStart, windowEnd)
    expect(points.map(({ t }) => t)).toEqual(Array.from({ length: 31 }, (_, i) => windowStart + i * 60))
  })

  it('leave out minutes that lie only partly in the window', async () => {
    const token = open[0]?.yesTokenId ?? ''
    expect((await prices.history(token, NOON + 1, NOON + 121)).map(({ t }) => t)).toEqual([NOON + 60, NOON + 120])
    expect(await prices.history(token, NOON + 1, NOON + 59)).toEqual([])
    expect(await prices.history(token, NOON, NOON - 600)).toEqual([])
  })

  it('tell the same history in one piece or in two', async () => {
    const token = open[1]?.yesTokenId ?? ''
    const whole = await prices.history(token, NOON, NOON + 1_200)
    const parts = [
      ...(await prices.history(token, NOON, NOON + 600)),
      ...(await prices.history(token, NOON + 601, NOON + 1_200)),
    ]
    expect(parts).toEqual(whole)
  })

  it('quote a spot that lies on the history at whole minutes and moves in between', async () => {
    for (const { yesTokenId } of open) {
      const points = await prices.history(yesTokenId, NOON, NOON + 3_600)
      expect(points.map(({ t }) => prices.spot(yesTokenId, t * 1_000))).toEqual(points.map(({ p }) => p))
      const seconds = Array.from({ length: 60 }, (_, i) => prices.spot(yesTokenId, (NOON + i) * 1_000))
      expect(new Set(seconds).size).toBeGreaterThan(5)
    }
  })

  it('keep the sandbox markets away from certainty for days on end', async () => {
    for (const { yesTokenId } of open) {
      const week = (await prices.history(yesTokenId, NOON, NOON + 7 * 86_400)).map(({ p }) => p)
      expect(Math.min(...week)).toBeGreaterThan(0.05)
      expect(Math.max(...week)).toBeLessThan(0.95)
      expect(Math.max(...week) - Math.min(...week)).toBeGreaterThan(0.1)
    }
  })

  it('know nothing of a foreign token: no points, no spot', async () => {
    expect(await prices.history('1', NOON, NOON + 600)).toEqual([])
    expect(prices.spot('1', NOON * 1_000)).toBeNull()
  })
})

describe('the fixture markets as a source', () => {
  it('know the question of each market and of no other', async () => {
    for (const { conditionId, question } of markets) expect(await prices.question(conditionId)).toBe(question)
    expect(await prices.question(`0x${'00'.repeat(32)}`)).toBeNull()
  })

  it('know the outcome of the closed market only, and only for its own YES token', async () => {
    const [market] = closed
    if (market === undefined) throw new Error('no closed market')
    expect(await prices.outcome(market.conditionId, market.yesTokenId)).toEqual({
      yesPrice: 1,
      closedAt: 1_735_603_200,
    })
    expect(await prices.outcome(market.conditionId, '1')).toBeNull()
    for (const { conditionId, yesTokenId } of open) expect(await prices.outcome(conditionId, yesTokenId)).toBeNull()
    expect(await prices.outcome(`0x${'00'.repeat(32)}`, market.yesTokenId)).toBeNull()
  })
})
