import type { MarketSource, PriceSource } from '../../relay/ports/sources.ts'
import type { FixtureMarket } from '../markets/fixture-markets.ts'
import { priceAt } from './price-path.ts'

/** What the fixtures know of markets: histories and outcomes for the relay, spot prices for simulated makers. */
export type FixturePrices = PriceSource &
  MarketSource & {
    /** The YES price at a time in Unix milliseconds, in (0, 1) with at most 4 decimals; null for an unknown token. */
    spot: (yesTokenId: string, nowMs: number) => number | null
  }

/** A point a minute, as public price histories have. */
const POINT_EVERY_S = 60

/** Prices and outcomes of the fixture markets, the same for every run and any window, also one ahead of now. */
export function createFixturePrices(markets: readonly FixtureMarket[]): FixturePrices {
  const byToken = new Map(markets.map((market) => [market.yesTokenId, market]))
  const byCondition = new Map<string, FixtureMarket>(markets.map((market) => [market.conditionId, market]))

  function spot(yesTokenId: string, nowMs: number): number | null {
    const market = byToken.get(yesTokenId)
    return market === undefined ? null : priceAt(market.path, nowMs)
  }

  return {
    spot,

    async history(yesTokenId, from, to) {
      const market = byToken.get(yesTokenId)
      if (market === undefined) return []
      const first = Math.ceil(from / POINT_EVERY_S)
      const count = Math.max(0, Math.floor(to / POINT_EVERY_S) - first + 1)
      const times = Array.from({ length: count }, (_, i) => (first + i) * POINT_EVERY_S)
      return times.map((t) => ({ t, p: priceAt(market.path, t * 1_000) }))
    },

    async question(conditionId) {
      return byCondition.get(conditionId)?.question ?? null
    },

    async outcome(conditionId, yesTokenId) {
      const market = byCondition.get(conditionId)
      return market?.yesTokenId === yesTokenId ? market.outcome : null
    },
  }
}
