import Type, { type Static } from 'typebox'
import type { MakerStanding } from '../domain/operations.ts'
import { decodeTime, encodeTime } from './fields.ts'
import { Count, Figure, IsoTime, nullable, optional, Text } from './schemas.ts'

/** The standing of a maker: its connections now, and its record since the relay started. */
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
  suspendedUntil: optional(IsoTime),
  lastQuoteAt: nullable(IsoTime),
  lastRefusal: nullable(Type.Object({ at: IsoTime, code: Text, detail: Text })),
})

/** A maker as operators see it. */
export const encodeMakerStanding = ({
  demotedUntil,
  suspendedUntil,
  lastQuoteAt,
  lastRefusal,
  ...standing
}: MakerStanding): Static<typeof MakerStandingFields> => ({
  ...standing,
  demotedUntil: demotedUntil === null ? null : encodeTime(demotedUntil),
  suspendedUntil: suspendedUntil === null ? null : encodeTime(suspendedUntil),
  lastQuoteAt: lastQuoteAt === null ? null : encodeTime(lastQuoteAt),
  lastRefusal: lastRefusal === null ? null : { ...lastRefusal, at: encodeTime(lastRefusal.at) },
})

/** A maker whose schema was checked. */
export const decodeMakerStanding = (fields: Static<typeof MakerStandingFields>): MakerStanding => ({
  ...fields,
  demotedUntil: fields.demotedUntil == null ? null : decodeTime(fields.demotedUntil, 'demotedUntil'),
  suspendedUntil: fields.suspendedUntil == null ? null : decodeTime(fields.suspendedUntil, 'suspendedUntil'),
  lastQuoteAt: fields.lastQuoteAt === null ? null : decodeTime(fields.lastQuoteAt, 'lastQuoteAt'),
  lastRefusal:
    fields.lastRefusal === null
      ? null
      : { ...fields.lastRefusal, at: decodeTime(fields.lastRefusal.at, 'lastRefusal.at') },
})
