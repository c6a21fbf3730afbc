import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { SeriesProgress } from '../domain/operations.ts'
import { AnySeries, decodeSeriesFields, encodeSeriesFields } from './discovery.ts'
import * as field from './field.ts'
import { decodeAmount, decodeTime, encodeAmount, encodeTime } from './fields.ts'
import { Dollars, described, nullable, oneOf } from './schemas.ts'

export const SeriesProgressFields = Type.Object({
  series: AnySeries,
  question: nullable(field.question),
  phase: described(
    oneOf('trading', 'window', 'due', 'resolved', 'review', 'settled'),
    'Phase of the series on its way to settlement.',
  ),
  points: described(Type.Array(Type.Object({ t: field.t, p: field.p })), 'Prices of the YES token.'),
  pointCount: field.pointCount,
  twap: nullable(field.twap),
  // A relay of an older version does not value series for operators.
  markUsd: Type.Optional(nullable(described(Dollars, field.mark))),
  intrinsicUsd: Type.Optional(nullable(described(Dollars, field.intrinsic))),
  resolution: nullable(
    described(
      Type.Object({ resolutionBps: field.resolutionBps, method: nullable(field.method) }),
      'How the series was resolved; null until then.',
    ),
  ),
  review: nullable(
    described(
      Type.Object({ reason: field.reason, at: field.at }),
      'Why and since when the series waits for review; null when it does not.',
    ),
  ),
})

export const encodeSeriesProgress = (progress: SeriesProgress): Static<typeof SeriesProgressFields> => ({
  series: encodeSeriesFields(progress.series),
  question: progress.question,
  phase: progress.phase,
  points: progress.points.map(({ t, p }) => ({ t, p })),
  pointCount: progress.pointCount,
  twap: progress.twap,
  markUsd: encodeAmount(progress.mark),
  intrinsicUsd: encodeAmount(progress.intrinsic),
  resolution: progress.resolution,
  review: progress.review === null ? null : { ...progress.review, at: encodeTime(progress.review.at) },
})

export const decodeSeriesProgress = ({
  markUsd = null,
  intrinsicUsd = null,
  ...fields
}: Static<typeof SeriesProgressFields>): SeriesProgress => ({
  ...fields,
  mark: decodeAmount(markUsd, 'markUsd'),
  intrinsic: decodeAmount(intrinsicUsd, 'intrinsicUsd'),
  series: decodeSeriesFields(fields.series),
  resolution: fields.resolution as SeriesProgress['resolution'],
  review: fields.review === null ? null : { ...fields.review, at: decodeTime(fields.review.at, 'review.at') },
})
