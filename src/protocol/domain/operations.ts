import type { RankedQuote } from './best-quote.ts'
import { hitRate, type MakerActivity, type MakerRefusal, percentile, reliabilityScore } from './reliability.ts'
import type { RequestTerms } from './request.ts'
import type { ResolutionMeta } from './resolution.ts'
import type { ListedSeries } from './series.ts'
import type { PricePoint } from './twap.ts'
import type { ResolutionBps, Usd6 } from './units.ts'

/** A series on its way to settlement, as operators know it. */
export type SeriesProgress = {
  series: ListedSeries
  /** Null where no market source knows it. */
  question: string | null
  /** `window` is the half-hour before expiry, `due` after it, `review` the wait for a person. */
  phase: 'trading' | 'window' | 'due' | 'resolved' | 'review' | 'settled'
  /** The prices of the half-hour, as far as known. */
  points: readonly PricePoint[]
  /** Number of prices in the average. */
  pointCount: number
  /** The average price of the YES token, dollars; null where there is none. */
  twap: number | null
  /** The mark of one option by the surface of its market, micro-dollars; null where there is none, and from expiry on. */
  mark: Usd6 | null
  /** The payoff of one option at the present YES price, micro-dollars; null without that price, and from expiry on. */
  intrinsic: Usd6 | null
  /** Price it resolves at, `resolutionBps`; the `method` is null where only the chain has the price. Null while open. */
  resolution: { resolutionBps: ResolutionBps; method: ResolutionMeta['method'] | null } | null
  /** Why and since when (`at`, Unix milliseconds) it waits for a person; null where it does not. */
  review: { reason: string; at: number } | null
}

/** A maker as operators know it, since the relay started. Times are Unix milliseconds. */
export type MakerStanding = {
  makerId: string
  /** Open streams. */
  streams: number
  /** Open sockets. */
  sockets: number
  /** Quotes taken into the book, re-quotes included. */
  quotes: number
  /** Requests that it quoted on. */
  requestsQuoted: number
  /** Quotes that were refused. */
  refused: number
  /** Orders that it was asked to sign. */
  asked: number
  /** Orders that it signed. */
  confirmed: number
  /** Orders that it declined. */
  declined: number
  /** Orders that it left unanswered, and asks that found it without a socket. */
  missed: number
  /** Share of the requests it quoted on that asked it to sign, 0 to 1; null before the first. */
  hitRate: number | null
  /** Percentage of asks that it confirmed; null before the first. */
  score: number | null
  /** Median of its newest waits from ask to signature, milliseconds; null before the first. */
  confirmP50Ms: number | null
  /** The 99th percentile of them, milliseconds; null before the first. */
  confirmP99Ms: number | null
  /** Its quotes rank behind all others; null: they do not. */
  demotedUntil: number | null
  /** The time until which it is suspended. */
  suspendedUntil: number | null
  /** Time of its last quote; null: never. */
  lastQuoteAt: number | null
  /** Null: it was refused nothing. */
  lastRefusal: MakerRefusal | null
}

/** An open request as operators know it. Times are Unix milliseconds. */
export type RequestSnapshot = {
  requestId: string
  /** The series it asks about. */
  seriesId: string
  /** Time it was opened. */
  createdAt: number
  /** Time it closes. */
  expiresAt: number
  /** Whether only the taker secret opens, polls and watches it. */
  locked: boolean
  /** Terms that it asks for. */
  terms: RequestTerms
  /** Its best quotes, the best first. */
  quotes: readonly RankedQuote[]
  /** Number of quotes in all. */
  quoteCount: number
  /** Maker asked at `askedAt` to sign until `deadline`; null while none is. */
  pending: { makerId: string; quoteId: string; askedAt: number; deadline: number } | null
}

/** The standing of a maker, from its connections and its record. */
export function makerStanding({
  record,
  ...maker
}: Pick<MakerStanding, 'makerId' | 'streams' | 'sockets' | 'demotedUntil' | 'suspendedUntil'> & {
  record: MakerActivity
}): MakerStanding {
  const { answered, waits, ...counts } = record
  return {
    ...maker,
    ...counts,
    requestsQuoted: answered,
    hitRate: hitRate(record),
    score: reliabilityScore(record),
    confirmP50Ms: percentile(waits, 0.5),
    confirmP99Ms: percentile(waits, 0.99),
  }
}
