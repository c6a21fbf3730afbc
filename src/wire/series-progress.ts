import Type, { type Static } from 'typebox'
import type { ResolutionMeta } from '../domain/resolution.ts'
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

/** A series on its way to settlement, as operators know it. */
export type SeriesProgress = {
  /** The series. */
  series: ListedSeries
  /** What its market asks; null where that is not known. */
  question: string | null
  /** Where it is on its way: `window` is the half-hour before expiry, `due` after it, `review` the wait for a person. */
  phase: 'trading' | 'window' | 'due' | 'resolved' | 'review' | 'settled'
  /** The prices of the half-hour, as far as they are known. */
  points: readonly PricePoint[]
  /** How many prices the average is of. */
  pointCount: number
  /** The average price of the YES token, dollars; null where there is none. */
  twap: number | null
  /** The price it resolves at, `resolutionBps`, and the `method`, null where only the chain tells it; null while open. */
  resolution: { resolutionBps: ResolutionBps; method: ResolutionMeta['method'] | null } | null
  /** Why it waits for a person (`reason`) and since when (`at`, Unix milliseconds); null where it does not. */
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
