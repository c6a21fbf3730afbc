import Type, { type Static } from 'typebox'
import type { ResolvedSeries, ReviewDecision, ReviewDetails, ReviewItem } from '../domain/review.ts'
import type { SeriesId } from '../domain/series.ts'
import type { ResolutionBps } from '../domain/units.ts'
import { AnySeries, decodeSeriesFields, encodeSeriesFields } from './discovery.ts'
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
  series: AnySeries,
  reason: Text,
  windowStart: UnixSeconds,
  windowEnd: UnixSeconds,
  escalatedAt: IsoTime,
})

/** All series that wait for a person. */
export const ReviewsAnswer = successOf({ count: Count, reviews: Type.Array(ReviewFields) })

/** The resolution of a series; `by` and `reason` are null unless a person resolved it. */
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
  series: AnySeries,
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

/** All series that wait for a person. */
export const encodeReviews = (reviews: readonly ReviewItem[]): Static<typeof ReviewsAnswer> => ({
  success: true,
  count: reviews.length,
  reviews: reviews.map(({ series, escalatedAt, ...review }) => ({
    series: encodeSeriesFields(series),
    ...review,
    escalatedAt: encodeTime(escalatedAt),
  })),
})

/** All series that wait for a person. */
export const decodeReviews = (answer: unknown): ReviewItem[] =>
  readReviews(answer).reviews.map(({ series, escalatedAt, ...review }) => ({
    ...review,
    series: decodeSeriesFields(series),
    escalatedAt: decodeTime(escalatedAt, 'escalatedAt'),
  }))

/** All that is known of a series. */
export const encodeReview = (details: ReviewDetails): Static<typeof ReviewAnswer> => ({
  success: true,
  series: encodeSeriesFields(details.series),
  windowStart: details.windowStart,
  windowEnd: details.windowEnd,
  review: details.review && { ...details.review, escalatedAt: encodeTime(details.review.escalatedAt) },
  resolution: details.resolution && encodeResolved(details.resolution),
  sourceAvailable: details.sourceAvailable,
  points: [...details.points],
  pointCount: details.pointCount,
  maxGapS: details.maxGapS,
  twap: details.twap,
})

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
export function decodeDecision(body: unknown): ReviewDecision {
  const { resolutionBps, by, reason } = readDecision(body)
  return {
    resolutionBps: resolutionBps as ResolutionBps,
    by: decodePlainText(by, 'by', MAX_NAME_LENGTH),
    reason: decodePlainText(reason, 'reason', MAX_REASON_LENGTH),
  }
}

/** The body of a decision. */
export const encodeDecision = ({ resolutionBps, by, reason }: ReviewDecision): Static<typeof DecisionBody> => ({
  resolutionBps,
  by,
  reason,
})

/** A decision as it was pinned. */
export const encodeDecided = (seriesId: SeriesId, resolved: ResolvedSeries): Static<typeof DecidedAnswer> => ({
  success: true,
  seriesId,
  resolution: encodeResolved(resolved),
})

/** A decision as it was pinned. */
export const decodeDecided = (answer: unknown): ResolvedSeries => decodeResolved(readDecided(answer).resolution)

const encodeResolved = ({
  resolutionBps,
  method,
  resolvedAt,
  decision,
}: ResolvedSeries): Static<typeof ResolvedFields> => ({
  resolutionBps,
  method,
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
