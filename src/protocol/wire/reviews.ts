import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { ResolvedSeries, ReviewDecision, ReviewDetails, ReviewItem } from '../domain/review.ts'
import type { SeriesId } from '../domain/series.ts'
import type { ResolutionBps } from '../domain/units.ts'
import { AnySeries, decodeSeriesFields, encodeSeriesFields } from './discovery.ts'
import * as field from './field.ts'
import { decodePlainText, decodeTime, encodeTime } from './fields.ts'
import { createBodyReader, createReader } from './reader.ts'
import { described, Flag, IsoTime, nullable, oneOf, successOf, textOf } from './schemas.ts'

const MAX_NAME_LENGTH = 100
const MAX_REASON_LENGTH = 500

/** A series that waits for a person (decision S1). */
export const ReviewFields = Type.Object({
  series: AnySeries,
  reason: field.reason,
  windowStart: field.windowStart,
  windowEnd: field.windowEnd,
  escalatedAt: field.escalatedAt,
})

export const ReviewsAnswer = successOf({
  count: field.count,
  reviews: described(Type.Array(ReviewFields), 'Series that wait for review.'),
})

/** The resolution of a series; `by` and `reason` are null unless a person resolved it. */
const ResolvedFields = described(
  Type.Object({
    resolutionBps: field.resolutionBps,
    method: field.method,
    resolvedAt: described(IsoTime, 'Time of the resolution.', '2027-01-15T08:00:05.000Z'),
    by: nullable(field.by),
    reason: nullable(field.reason),
  }),
  'How the series was resolved; null until then.',
)

const PointFields = Type.Object({
  t: field.t,
  p: field.p,
  origin: described(oneOf('recorded', 'fetched'), 'Whether the relay recorded the price or fetched it later.'),
})

export const ReviewAnswer = successOf({
  series: AnySeries,
  windowStart: field.windowStart,
  windowEnd: field.windowEnd,
  review: nullable(
    described(
      Type.Object({ reason: field.reason, escalatedAt: field.escalatedAt }),
      'Why and since when the series waits for review; null when it does not.',
    ),
  ),
  resolution: nullable(ResolvedFields),
  sourceAvailable: described(Flag, 'Whether the price source answered.', true),
  points: described(Type.Array(PointFields), 'Prices of the YES token.'),
  pointCount: field.pointCount,
  maxGapS: nullable(field.maxGapS),
  twap: nullable(field.twap),
})

/** A person's decision (decision S2). */
export const DecisionBody = Type.Object({
  resolutionBps: field.resolutionBps,
  by: described(textOf(MAX_NAME_LENGTH), field.by),
  reason: described(textOf(MAX_REASON_LENGTH), field.reason),
})

export const DecidedAnswer = successOf({
  seriesId: field.seriesId,
  resolution: ResolvedFields,
})

const readReviews = createReader(ReviewsAnswer, 'the answer')
const readReview = createReader(ReviewAnswer, 'the answer')
const readDecision = createBodyReader(DecisionBody)
const readDecided = createReader(DecidedAnswer, 'the answer')

export const encodeReviews = (reviews: readonly ReviewItem[]): Static<typeof ReviewsAnswer> => ({
  success: true,
  count: reviews.length,
  reviews: reviews.map(({ series, escalatedAt, ...review }) => ({
    series: encodeSeriesFields(series),
    ...review,
    escalatedAt: encodeTime(escalatedAt),
  })),
})

export const decodeReviews = (answer: unknown): ReviewItem[] =>
  readReviews(answer).reviews.map(({ series, escalatedAt, ...review }) => ({
    ...review,
    series: decodeSeriesFields(series),
    escalatedAt: decodeTime(escalatedAt, 'escalatedAt'),
  }))

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

export function decodeDecision(body: unknown): ReviewDecision {
  const { resolutionBps, by, reason } = readDecision(body)
  return {
    resolutionBps: resolutionBps as ResolutionBps,
    by: decodePlainText(by, 'by', MAX_NAME_LENGTH),
    reason: decodePlainText(reason, 'reason', MAX_REASON_LENGTH),
  }
}

export const encodeDecision = ({ resolutionBps, by, reason }: ReviewDecision): Static<typeof DecisionBody> => ({
  resolutionBps,
  by,
  reason,
})

export const encodeDecided = (seriesId: SeriesId, resolved: ResolvedSeries): Static<typeof DecidedAnswer> => ({
  success: true,
  seriesId,
  resolution: encodeResolved(resolved),
})

export const decodeDecided = (answer: unknown): ResolvedSeries => decodeResolved(readDecided(answer).resolution)

const encodeResolved = ({ decision, ...resolved }: ResolvedSeries): Static<typeof ResolvedFields> => ({
  resolutionBps: resolved.resolutionBps,
  method: resolved.method,
  resolvedAt: encodeTime(resolved.resolvedAt),
  by: decision?.by ?? null,
  reason: decision?.reason ?? null,
})

const decodeResolved = ({ resolutionBps, method, resolvedAt, by, reason }: Static<typeof ResolvedFields>) => ({
  resolutionBps: resolutionBps as ResolutionBps,
  method,
  resolvedAt: decodeTime(resolvedAt, 'resolvedAt'),
  decision: by === null || reason === null ? null : { by, reason },
})
