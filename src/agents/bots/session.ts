import type { ListedSeries, Trade } from '@rfqctl/client/index'
import { contracts, usd6 } from '@rfqctl/protocol/domain/units'
import { between, type Random } from './random.ts'

/** Shares are 0..1, times milliseconds. */
export type TakerMix = {
  /** Share of its requests that buy; the others write options. */
  buyShare: number
  /** Whole dollars. */
  budgetUsd: { min: number; max: number }
  size: { min: number; max: number }
  /** Time spent watching quotes before deciding. */
  patienceMs: { min: number; max: number }
  /** Share of requests that are cancelled in the end. */
  walkAwayShare: number
}

export const TAKER_MIX: TakerMix = {
  buyShare: 0.7,
  budgetUsd: { min: 20, max: 400 },
  size: { min: 50, max: 800 },
  patienceMs: { min: 800, max: 3_500 },
  walkAwayShare: 0.15,
}

export type TakerSession = { series: ListedSeries; trade: Trade; patienceMs: number; walksAway: boolean }

/** Seconds. A series closer to expiry is left alone: its options would expire before they are filled. */
const LEAST_LIFE_S = 60

/** The series still tradable at `now` (Unix milliseconds), in an order independent of the relay's. */
export function tradable(series: readonly ListedSeries[], now: number): ListedSeries[] {
  return series
    .filter(({ resolutionBps, expiry }) => resolutionBps === null && expiry > now / 1_000 + LEAST_LIFE_S)
    .sort((a, b) => (a.seriesId < b.seriesId ? -1 : 1))
}

/** Always takes the same number of draws; null when there is nothing to trade. */
export function drawSession(series: readonly ListedSeries[], mix: TakerMix, random: Random): TakerSession | null {
  const pick = random()
  const isBuy = random() < mix.buyShare
  const amount = random()
  const patienceMs = Math.round(between(random, mix.patienceMs))
  const walksAway = random() < mix.walkAwayShare
  const chosen = series[Math.floor(pick * series.length)]
  if (chosen === undefined) return null
  const whole = ({ min, max }: { min: number; max: number }) => BigInt(Math.round(min + amount * (max - min)))
  const trade: Trade = isBuy
    ? { side: 'buy', budget: usd6(whole(mix.budgetUsd) * 1_000_000n) }
    : { side: 'sell', size: contracts(whole(mix.size)) }
  return { series: chosen, trade, patienceMs, walksAway }
}

/** The pause before the next request of a taker that opens `perMinute` on average: exponential, milliseconds. */
export const drawGapMs = (perMinute: number, random: Random): number =>
  Math.round((-Math.log(1 - random()) * 60_000) / perMinute)
