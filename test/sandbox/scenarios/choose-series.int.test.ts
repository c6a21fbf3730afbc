import { describe, expect, test } from 'vitest'
import { decideQuote, type QuotePlan } from '../../../src/agents/bots/quote-plan.ts'
import { MAKER_STYLES } from '../../../src/agents/bots/style.ts'
import type { Trade } from '../../../src/protocol/domain/request.ts'
import { toRequestedOption } from '../../../src/protocol/domain/request.ts'
import { type ListedSeries, seriesIdOf } from '../../../src/protocol/domain/series.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { fixtureSeries, readFixtureMarkets } from '../../../src/relay/adapters/markets/fixture-markets.ts'
import { createFixturePrices } from '../../../src/relay/adapters/prices/fixture.ts'
import { chooseSeries } from '../../../src/sandbox/scenarios/demo/choose-series.ts'

const STYLES = ['requoting', 'tight', 'wide'] as const
const BUY: Trade = { side: 'buy', budget: usd6(250_000_000n) }
const SPREAD: Trade = { side: 'buy', budget: usd6(100_000_000n) }
const SELL: Trade = { side: 'sell', size: contracts(300n) }

const DAY_S = 86_400
const SOME_DAY_S = Date.UTC(2026, 10, 1) / 1_000
/** Every 20 minutes of a month, at another second of the five minutes each time: longer and finer than the slowest wave. */
const STARTS = Array.from({ length: 30 * 72 }, (_, i) => SOME_DAY_S + (i * DAY_S) / 72 + ((i * 61) % 300))

const markets = readFixtureMarkets()
const prices = createFixturePrices(markets)

/** What a fresh demo sees that is started at a time, Unix seconds. */
function listingAt(now: number) {
  const listed = fixtureSeries(markets, now).map(
    (terms): ListedSeries => ({ ...terms, seriesId: seriesIdOf(terms), resolutionBps: null }),
  )
  const spots = new Map(markets.map(({ yesTokenId }) => [yesTokenId, prices.spot(yesTokenId, now * 1_000) ?? 0]))
  return { listed, spots, now }
}

/** Which of the demo's makers quote, the most timid way that their plans allow. */
function quoting(series: ListedSeries, trade: Trade, spot: number, now: number) {
  const request = { option: toRequestedOption(series), trade }
  return STYLES.filter((name) =>
    ([-1, 1] as const).every((way) => {
      const style = MAKER_STYLES[name]
      const plan: QuotePlan = { view: way * style.opinion, pausesMs: [0] }
      return decideQuote({ request, style, plan, spot, position: 0, round: 0, now: now * 1_000 }).kind === 'quote'
    }),
  )
}

describe('the series of the demo', () => {
  test('are quoted by all of its makers at whatever hour it is started', () => {
    const silent = STARTS.flatMap((start) => {
      const { listed, spots, now } = listingAt(start)
      const { call, put } = chooseSeries(listed, { spots, now })
      const bought = quoting(call, BUY, spots.get(call.yesTokenId) as number, now)
      const written = quoting(put, SELL, spots.get(put.yesTokenId) as number, now)
      return bought.length === STYLES.length && written.length === STYLES.length ? [] : [{ start, bought, written }]
    })
    expect(silent).toEqual([])
  })

  test('have a call spread that can go either way, and all makers sell it', () => {
    const spreads = STARTS.map((start) => {
      const { listed, spots, now } = listingAt(start)
      const { spread } = chooseSeries(listed, { spots, now })
      return { spread, quoted: quoting(spread, SPREAD, spots.get(spread.yesTokenId) as number, now).length }
    })
    expect(spreads.filter(({ quoted }) => quoted < STYLES.length)).toEqual([])
    const [{ spread } = { spread: null }] = spreads
    expect(spread).toMatchObject({ legs: [{ quantity: 1 }, { quantity: -1 }], resolutionBps: null })
  })

  test('are of two markets', () => {
    for (const start of STARTS) {
      const { listed, spots, now } = listingAt(start)
      const { call, put } = chooseSeries(listed, { spots, now })
      expect(put.conditionId).not.toBe(call.conditionId)
    }
  })

  test('are the first to expire of those worth some cents', () => {
    const { listed, now } = listingAt(SOME_DAY_S)
    const putAt = (spot: number) =>
      chooseSeries(listed, { spots: new Map(markets.map(({ yesTokenId }) => [yesTokenId, spot])), now }).put
    expect(putAt(0.49)).toMatchObject({ strikeBps: 5_500, expiry: now + 600 })
    // At 70 cents the put at 55 is worth nothing, that at 90 is worth 20.
    expect(putAt(0.7)).toMatchObject({ strikeBps: 9_000, expiry: now + 600 })
  })
})
