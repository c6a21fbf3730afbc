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

/** A maker as operators know it, since the relay started. Times are Unix milliseconds. */
export type MakerStanding = {
  /** Who. */
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
  /** The share of the requests it quoted on in which it was asked to sign, 0 to 1; null before the first. */
  hitRate: number | null
  /** How far its quotes can be relied on, 0 to 100: the share of asks that it confirmed; null before the first. */
  score: number | null
  /** The median of its newest waits from ask to signature, milliseconds; null before the first. */
  confirmP50Ms: number | null
  /** The 99th percentile of them, milliseconds; null before the first. */
  confirmP99Ms: number | null
  /** Until when its quotes rank behind all others; null: they do not. */
  demotedUntil: number | null
  /** When it last quoted; null: never. */
  lastQuoteAt: number | null
  /** Its newest quote that was refused, or why a commit went past it; null: none. */
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
