import Type, { type Static } from 'typebox'
import type { Series } from '../domain/series.ts'
import type { PricePoint } from '../domain/twap.ts'
import type { ResolutionBps } from '../domain/units.ts'
import { decodeSeriesFields, encodeSeriesFields, type ListedSeries, SeriesFields } from './discovery.ts'
import { decodeTime, encodeTime } from './fields.ts'
import { Count, Dollars, IsoTime, nullable, oneOf, ResolutionPrice, Text, UnixSeconds } from './schemas.ts'

const Phase = oneOf('trading', 'window', 'due', 'resolved', 'review', 'settled')

const Method = oneOf('outcome', 'twap', 'manual')

/** A series on its way to settlement. */
export const SeriesProgressFields = Type.Object({
  series: SeriesFields,
  question: nullable(Text),
  phase: Phase,
  points: Type.Array(Type.Object({ t: UnixSeconds, p: Dollars })),
  pointCount: Count,
  twap: nullable(Dollars),
  resolution: nullable(
    Type.Object({ resolutionBps: ResolutionPrice, method: nullable(Method) }, { description: 'an object' }),
  ),
  review: nullable(Type.Object({ reason: Text, at: IsoTime }, { description: 'an object' })),
})

/** A series as operators know it; `twap` in dollars, `review.at` in Unix milliseconds. */
export type SeriesProgress = {
  series: ListedSeries
  question: string | null
  phase: Static<typeof Phase>
  points: readonly PricePoint[]
  pointCount: number
  twap: number | null
  resolution: { resolutionBps: ResolutionBps; method: Static<typeof Method> | null } | null
  review: { reason: string; at: number } | null
}

/** A series on its way to settlement. */
export const encodeSeriesProgress = (
  progress: Omit<SeriesProgress, 'series'> & { series: Series },
): Static<typeof SeriesProgressFields> => ({
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
