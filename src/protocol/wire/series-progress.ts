import Type, { type Static } from 'typebox'
import type { SeriesProgress } from '../domain/operations.ts'
import { AnySeries, decodeSeriesFields, encodeSeriesFields } from './discovery.ts'
import { decodeTime, encodeTime } from './fields.ts'
import { Count, Dollars, IsoTime, nullable, oneOf, ResolutionPrice, Text, UnixSeconds } from './schemas.ts'

const Phase = oneOf('trading', 'window', 'due', 'resolved', 'review', 'settled')

const Method = oneOf('outcome', 'twap', 'manual')

/** A series on its way to settlement. */
export const SeriesProgressFields = Type.Object({
  series: AnySeries,
  question: nullable(Text),
  phase: Phase,
  points: Type.Array(Type.Object({ t: UnixSeconds, p: Dollars })),
  pointCount: Count,
  twap: nullable(Dollars),
  resolution: nullable(Type.Object({ resolutionBps: ResolutionPrice, method: nullable(Method) })),
  review: nullable(Type.Object({ reason: Text, at: IsoTime })),
})

/** A series on its way to settlement. */
export const encodeSeriesProgress = (progress: SeriesProgress): Static<typeof SeriesProgressFields> => ({
  series: encodeSeriesFields(progress.series),
  question: progress.question,
  phase: progress.phase,
  points: progress.points.map(({ t, p }) => ({ t, p })),
  pointCount: progress.pointCount,
  twap: progress.twap,
  resolution: progress.resolution,
  review: progress.review === null ? null : { ...progress.review, at: encodeTime(progress.review.at) },
})

/** A series whose schema was checked. */
export const decodeSeriesProgress = (fields: Static<typeof SeriesProgressFields>): SeriesProgress => ({
  ...fields,
  series: decodeSeriesFields(fields.series),
  resolution: fields.resolution as SeriesProgress['resolution'],
  review: fields.review === null ? null : { ...fields.review, at: decodeTime(fields.review.at, 'review.at') },
})
