import Type, { type Static } from 'typebox'
import type { ResolutionMeta } from '../domain/resolution.ts'
import type { SeriesId } from '../domain/series.ts'
import { type PricePoint, type Twap, type TwapWindow, twapToNumber, twapWindow } from '../domain/twap.ts'
import type { ResolutionBps } from '../domain/units.ts'
import { decodeSeriesFields, encodeSeriesFields, type ListedSeries, SeriesFields } from './discovery.ts'
import { decodePlainText, decodeTime, encodeTime } from './fields.ts'
import { createBodyReader, createReader } from './reader.ts'
import {
  Count,
  Dollars,
  Flag,
  IsoTime,
  nullable,
  oneOf,
  ResolutionPrice,
  successOf,
  Text,
  textOf,
  Uint256Text,
  UnixSeconds,
} from './schemas.ts'

const MAX_NAME_LENGTH = 100
const MAX_REASON_LENGTH = 500

/** A series that waits for a person (decision S1). */
export const ReviewFields = Type.Object({
  series: SeriesFields,
  reason: Text,
  windowStart: UnixSeconds,
  windowEnd: UnixSeconds,
  escalatedAt: IsoTime,
})

/** All series that wait for a person. */
export const ReviewsAnswer = successOf({ count: Count, reviews: Type.Array(ReviewFields) })

/** How a series was resolved; `by` and `reason` are null unless a person did it. */
const ResolvedFields = Type.Object({
  resolutionBps: ResolutionPrice,
  method: oneOf('outcome', 'twap', 'manual'),
  resolvedAt: IsoTime,
  by: nullable(Text),
  reason: nullable(Text),
})

const PointFields = Type.Object({ t: UnixSeconds, p: Dollars, origin: oneOf('recorded', 'fetched') })

/** All that is known of the prices and the resolution of a series. */
export const ReviewAnswer = successOf({
  series: SeriesFields,
  windowStart: UnixSeconds,
  windowEnd: UnixSeconds,
  review: nullable(Type.Object({ reason: Text, escalatedAt: IsoTime })),
  resolution: nullable(ResolvedFields),
  sourceAvailable: Flag,
  points: Type.Array(PointFields),
  pointCount: Count,
  maxGapS: nullable(Count),
  twap: nullable(Dollars),
})

/** A person's decision (decision S2). */
export const DecisionBody = Type.Object({
  resolutionBps: ResolutionPrice,
  by: textOf(MAX_NAME_LENGTH),
  reason: textOf(MAX_REASON_LENGTH),
})

/** A decision as it was pinned. */
export const DecidedAnswer = successOf({ seriesId: Uint256Text, resolution: ResolvedFields })

const readReviews = createReader(ReviewsAnswer, 'the answer')
const readReview = createReader(ReviewAnswer, 'the answer')
const readDecision = createBodyReader(DecisionBody)
const readDecided = createReader(DecidedAnswer, 'the answer')

type Note = { reason: string; at: number }

/** How a series was resolved. */
export type ResolvedSeries = {
  /** The price, in hundredths of $1. */
  resolutionBps: ResolutionBps
  /** By the market's outcome, by the average over the last half-hour, or by a person. */
  method: ResolutionMeta['method']
  /** When, Unix milliseconds. */
  resolvedAt: number
  /** Who decided (`by`) and the `reason`; null unless a person did. */
  decision: { by: string; reason: string } | null
}

/** A series that waits for a person. */
export type ReviewItem = TwapWindow & {
  /** The series. */
  series: ListedSeries
  /** Why no price can be trusted: `no_price_data`, `too_few_points` or `gap_too_long`. */
  reason: string
  /** Since when it waits, Unix milliseconds. */
  escalatedAt: number
}

/** All that is known of the prices and the resolution of a series. */
export type ReviewDetails = TwapWindow & {
  /** The series. */
  series: ListedSeries
  /** Why it waits for a person (`reason`) and since when (`escalatedAt`, Unix milliseconds); null where it does not. */
  review: { reason: string; escalatedAt: number } | null
  /** How it was resolved; null while it is not. */
  resolution: ResolvedSeries | null
  /** Whether the price source could be asked. */
  sourceAvailable: boolean
  /** The prices of the half-hour; `origin` says whether the relay recorded them then or fetched them later. */
  points: readonly (PricePoint & { origin: 'recorded' | 'fetched' })[]
  /** How many of them count. */
  pointCount: number
  /** The longest time without a price, seconds; null where there is no average. */
  maxGapS: number | null
  /** The average over the points of both origins, dollars; null where there is none. */
  twap: number | null
}

/** A person's decision. */
export type Decision = {
  /** The price, in hundredths of $1. */
  resolutionBps: ResolutionBps
  /** Who made it. */
  by: string
  /** Why. */
  reason: string
}

type Resolution = Pick<ResolvedSeries, 'resolutionBps' | 'resolvedAt' | 'decision'> & { meta: ResolutionMeta }

/** All series that wait for a person. */
export function encodeReviews(
  reviews: readonly { series: ListedSeries; escalation: TwapWindow & Note }[],
): Static<typeof ReviewsAnswer> {
  return {
    success: true,
    count: reviews.length,
    reviews: reviews.map(({ series, escalation: { reason, windowStart, windowEnd, at } }) => ({
      series: encodeSeriesFields(series),
      reason,
      windowStart,
      windowEnd,
      escalatedAt: encodeTime(at),
    })),
  }
}

/** All series that wait for a person. */
export const decodeReviews = (answer: unknown): ReviewItem[] =>
  readReviews(answer).reviews.map(({ series, escalatedAt, ...review }) => ({
    ...review,
    series: decodeSeriesFields(series),
    escalatedAt: decodeTime(escalatedAt, 'escalatedAt'),
  }))

/** All that is known of a series. */
export function encodeReview(details: {
  series: ListedSeries
  escalation: Note | null
  resolution: Resolution | null
  recorded: readonly PricePoint[]
  fetched: readonly PricePoint[] | null
  twap: Twap | null
}): Static<typeof ReviewAnswer> {
  const { series, escalation, resolution, recorded, fetched, twap } = details
  return {
    success: true,
    series: encodeSeriesFields(series),
    ...twapWindow(series.expiry),
    review: escalation === null ? null : { reason: escalation.reason, escalatedAt: encodeTime(escalation.at) },
    resolution: resolution === null ? null : encodeResolved(resolution),
    sourceAvailable: fetched !== null,
    points: labelPoints(recorded, fetched ?? []),
    pointCount: twap?.pointCount ?? 0,
    maxGapS: twap?.maxGapS ?? null,
    twap: twap === null ? null : twapToNumber(twap),
  }
}

/** All that is known of a series. */
export function decodeReview(answer: unknown): ReviewDetails {
  const { success: _, series, review, resolution, ...rest } = readReview(answer)
  return {
    ...rest,
    series: decodeSeriesFields(series),
    review:
      review === null
        ? null
        : { reason: review.reason, escalatedAt: decodeTime(review.escalatedAt, 'review.escalatedAt') },
    resolution: resolution === null ? null : decodeResolved(resolution),
  }
}

/** A person's decision. */
export function decodeDecision(body: unknown): Decision {
  const { resolutionBps, by, reason } = readDecision(body)
  return {
    resolutionBps: resolutionBps as ResolutionBps,
    by: decodePlainText(by, 'by', MAX_NAME_LENGTH),
    reason: decodePlainText(reason, 'reason', MAX_REASON_LENGTH),
  }
}

/** The body of a decision. */
export const encodeDecision = ({ resolutionBps, by, reason }: Decision): Static<typeof DecisionBody> => ({
  resolutionBps,
  by,
  reason,
})

/** A decision as it was pinned. */
export const encodeDecided = (decided: Resolution & { seriesId: SeriesId }): Static<typeof DecidedAnswer> => ({
  success: true,
  seriesId: decided.seriesId,
  resolution: encodeResolved(decided),
})

/** A decision as it was pinned. */
export const decodeDecided = (answer: unknown): ResolvedSeries => decodeResolved(readDecided(answer).resolution)

const encodeResolved = ({ resolutionBps, meta, resolvedAt, decision }: Resolution): Static<typeof ResolvedFields> => ({
  resolutionBps,
  method: meta.method,
  resolvedAt: encodeTime(resolvedAt),
  by: decision?.by ?? null,
  reason: decision?.reason ?? null,
})

const decodeResolved = ({ resolutionBps, method, resolvedAt, by, reason }: Static<typeof ResolvedFields>) => ({
  resolutionBps: resolutionBps as ResolutionBps,
  method,
  resolvedAt: decodeTime(resolvedAt, 'resolvedAt'),
  decision: by === null || reason === null ? null : { by, reason },
})

/** Points of both origins in the order of time; where both have a time, the recorded one stands (decision S3). */
function labelPoints(recorded: readonly PricePoint[], fetched: readonly PricePoint[]) {
  const byTime = new Map<number, Static<typeof PointFields>>()
  for (const { t, p } of fetched) byTime.set(t, { t, p, origin: 'fetched' })
  for (const { t, p } of recorded) byTime.set(t, { t, p, origin: 'recorded' })
  return [...byTime.values()].sort((a, b) => a.t - b.t)
}
