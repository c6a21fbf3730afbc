import Type, { type Static } from 'typebox'
import { hitRate, type MakerRecord, type MakerRefusal, percentile, reliabilityScore } from '../domain/reliability.ts'
import { decodeTime, encodeTime } from './fields.ts'
import { Count, Figure, IsoTime, nullable, optional, Text } from './schemas.ts'

/** A maker as it stands: its connections now, and what it has done since the relay started. */
export const MakerStandingFields = Type.Object({
  makerId: Text,
  streams: Count,
  sockets: Count,
  quotes: Count,
  requestsQuoted: Count,
  refused: Count,
  asked: Count,
  confirmed: Count,
  declined: Count,
  missed: Count,
  hitRate: nullable(Figure),
  score: nullable(Count),
  confirmP50Ms: nullable(Count),
  confirmP99Ms: nullable(Count),
  demotedUntil: optional(IsoTime),
  lastQuoteAt: nullable(IsoTime),
  lastRefusal: nullable(Type.Object({ at: IsoTime, code: Text, detail: Text }, { description: 'an object' })),
})

/** A maker as operators know it. Times are Unix milliseconds and milliseconds; null before there was any. */
export type MakerStanding = {
  makerId: string
  streams: number
  sockets: number
  quotes: number
  requestsQuoted: number
  refused: number
  asked: number
  confirmed: number
  declined: number
  missed: number
  hitRate: number | null
  score: number | null
  confirmP50Ms: number | null
  confirmP99Ms: number | null
  /** Until when its quotes rank behind all others; null: they do not. */
  demotedUntil: number | null
  lastQuoteAt: number | null
  lastRefusal: MakerRefusal | null
}

/** A maker as it stands, its figures worked out. */
export function encodeMakerStanding({
  makerId,
  streams,
  sockets,
  record,
  demotedUntil,
}: {
  makerId: string
  streams: number
  sockets: number
  record: MakerRecord
  demotedUntil: number | null
}): Static<typeof MakerStandingFields> {
  const { quotes, answered, refused, asked, confirmed, declined, missed, waits, lastQuoteAt, lastRefusal } = record
  return {
    makerId,
    streams,
    sockets,
    quotes,
    requestsQuoted: answered,
    refused,
    asked,
    confirmed,
    declined,
    missed,
    hitRate: hitRate(record),
    score: reliabilityScore(record),
    confirmP50Ms: percentile(waits, 0.5),
    confirmP99Ms: percentile(waits, 0.99),
    demotedUntil: demotedUntil === null ? null : encodeTime(demotedUntil),
    lastQuoteAt: lastQuoteAt === null ? null : encodeTime(lastQuoteAt),
    lastRefusal: lastRefusal === null ? null : { ...lastRefusal, at: encodeTime(lastRefusal.at) },
  }
}

/** A maker whose schema was checked. */
export const decodeMakerStanding = (fields: Static<typeof MakerStandingFields>): MakerStanding => ({
  ...fields,
  demotedUntil: fields.demotedUntil == null ? null : decodeTime(fields.demotedUntil, 'demotedUntil'),
  lastQuoteAt: fields.lastQuoteAt === null ? null : decodeTime(fields.lastQuoteAt, 'lastQuoteAt'),
  lastRefusal:
    fields.lastRefusal === null
      ? null
      : { ...fields.lastRefusal, at: decodeTime(fields.lastRefusal.at, 'lastRefusal.at') },
})
