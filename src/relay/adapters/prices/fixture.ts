import type { MarketSource, PriceSource } from '../../core/ports/sources.ts'
import type { FixtureMarket } from '../markets/fixture-markets.ts'

/** A repeatable path of a price in (0, 1): `base` is its centre, `swing` how far it strays, in logits. */
export type PricePath = { seed: number; base: number; swing: number }

/** The slowest wave; each further one is twice as fast and 1/sqrt(2) as high, which is how a Brownian path looks. */
const LONGEST_WAVE_MS = 4 * 60 * 60 * 1_000
/** The fastest wave takes 56 s, so that a maker sees the price move within one quote request. */
const WAVES = 9

/** Prices are on a grid of 1/10,000, ends excluded. */
const GRID = 10_000

/**
 * The price of a path at a time in Unix milliseconds, with at most 4 decimals: value noise, summed over octaves, around
 * the logit of the base. A pure function of its arguments, so that any window can be asked for, in any order.
 * @see K. Perlin, "An image synthesizer", SIGGRAPH 1985, for sums of smoothed lattice noise
 */
export function priceAt({ seed, base, swing }: PricePath, timeMs: number): number {
  let noise = 0
  for (let wave = 0; wave < WAVES; wave += 1) {
    noise += 2 ** (-wave / 2) * smoothNoise(seed * WAVES + wave, (timeMs * 2 ** wave) / LONGEST_WAVE_MS)
  }
  const logit = Math.log(base / (1 - base)) + swing * noise
  const ticks = Math.round(GRID / (1 + Math.exp(-logit)))
  return Math.min(Math.max(ticks, 1), GRID - 1) / GRID
}

/** Noise in [-1, 1): random at whole x, with level tangents there. */
function smoothNoise(seed: number, x: number): number {
  const left = Math.floor(x)
  const t = x - left
  const weight = t * t * (3 - 2 * t)
  return latticeNoise(seed, left) * (1 - weight) + latticeNoise(seed, left + 1) * weight
}

/**
 * A number in [-1, 1) for each seed and whole x: the finaliser of MurmurHash3, twice.
 * @see A. Appleby, "MurmurHash3", public domain
 */
function latticeNoise(seed: number, x: number): number {
  return mix32(mix32(seed) ^ x) / 2 ** 31 - 1
}

function mix32(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Histories and outcomes for the relay, spot prices for simulated makers. */
export type FixturePrices = PriceSource &
  MarketSource & {
    /** The YES price at a time in Unix milliseconds, in (0, 1) with at most 4 decimals; null for an unknown token. */
    spot: (yesTokenId: string, nowMs: number) => number | null
  }

/** Public price histories have a point a minute, too. */
const POINT_EVERY_S = 60

/** The same for every run and any window, even a future one. */
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
