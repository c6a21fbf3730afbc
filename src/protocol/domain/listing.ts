import type { OptionType } from './option.ts'
import { utcText } from './safe-text.ts'
import type { VanillaTerms } from './series.ts'
import type { Hex, StrikeBps } from './units.ts'

/** Interval at which options of a market expire, at 08:00 UTC: each day, each Friday, or on the last Friday of each month. */
export type Cadence = 'daily' | 'weekly' | 'monthly'

/** A market as a source of markets describes it, as far as listing needs it. */
export type SourceMarket = {
  question: string
  conditionId: Hex
  /** Null where it is not a question of yes and no. */
  yesTokenId: string | null
  /** Time it ends, Unix seconds; null where the source does not know. */
  endsAt: number | null
  /** Reason that a series of it could not be priced or settled, as a fact about it: "it is closed"; null: it could. */
  unfit: string | null
}

/** Series that a market gets: every strike with every expiry and type. */
export type ListingRule = {
  strikes: readonly StrikeBps[]
  cadences: readonly Cadence[]
  optionTypes: readonly OptionType[]
}

/** A planned series, with the question of its market. */
export type PlannedSeries = VanillaTerms & { question: string }

/** A market, or one expiry of it (Unix seconds), that gets no series, with the reason. */
export type LeftOut = Pick<SourceMarket, 'question' | 'conditionId'> & { expiry: number | null; reason: string }

/** The series to be listed, and the markets and expiries left out. */
export type ListingPlan = { series: readonly PlannedSeries[]; leftOut: readonly LeftOut[] }

const HOUR_S = 3_600
const DAY_S = 24 * HOUR_S

/** The hour at which options expire, UTC. */
const EXPIRY_HOUR = 8

const FRIDAY = 5

/** Least time to an expiry that is listed, seconds: the next one is listed while the last one still trades. */
const LEAD_S: Readonly<Record<Cadence, number>> = { daily: 12 * HOUR_S, weekly: 2 * DAY_S, monthly: 7 * DAY_S }

/** The first expiry of a cadence that is far enough ahead of `now`, both in Unix seconds. */
export function nextExpiry(cadence: Cadence, now: number): number {
  const earliest = now + LEAD_S[cadence]
  const today = Math.floor(earliest / DAY_S) * DAY_S + EXPIRY_HOUR * HOUR_S
  let expiry = today < earliest ? today + DAY_S : today
  while (!isExpiryOf(cadence, expiry)) expiry += DAY_S
  return expiry
}

function isExpiryOf(cadence: Cadence, expiry: number): boolean {
  const day = new Date(expiry * 1_000)
  const isFriday = day.getUTCDay() === FRIDAY
  if (cadence !== 'monthly') return cadence === 'daily' || isFriday
  return isFriday && new Date((expiry + 7 * DAY_S) * 1_000).getUTCMonth() !== day.getUTCMonth()
}

/**
 * Plans the series of some markets by a rule at a time of the chain, Unix seconds. A market that could not settle gets nothing,
 * and no market gets options that expire after it has ended: it would have no trades to settle them by.
 */
export function planListing(markets: readonly SourceMarket[], rule: ListingRule, now: number): ListingPlan {
  const expiries = [...new Set(rule.cadences.map((cadence) => nextExpiry(cadence, now)))].toSorted((a, b) => a - b)
  const plans = markets.map((market) => planMarket(market, rule, expiries))
  return { series: plans.flatMap(({ series }) => series), leftOut: plans.flatMap(({ leftOut }) => leftOut) }
}

function planMarket(market: SourceMarket, rule: ListingRule, expiries: readonly number[]): ListingPlan {
  const { question, conditionId, yesTokenId, endsAt } = market
  const without = (reason: string) => ({ series: [], leftOut: [{ question, conditionId, expiry: null, reason }] })
  if (market.unfit !== null) return without(market.unfit)
  if (yesTokenId === null) return without('it has no YES token')
  if (endsAt === null) return without('it has no end date')
  const series = expiries
    .filter((expiry) => expiry <= endsAt)
    .flatMap((expiry) =>
      rule.strikes.flatMap((strikeBps) =>
        rule.optionTypes.map((optionType) => ({ question, conditionId, yesTokenId, strikeBps, expiry, optionType })),
      ),
    )
  const leftOut = expiries
    .filter((expiry) => expiry > endsAt)
    .map((expiry) => ({
      question,
      conditionId,
      expiry,
      reason: `the market ends before, at ${utcText(endsAt * 1_000)}`,
    }))
  return { series, leftOut }
}
