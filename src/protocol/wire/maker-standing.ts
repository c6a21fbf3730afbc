import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { MakerStanding } from '../domain/operations.ts'
import * as field from './field.ts'
import { decodeTime, encodeTime } from './fields.ts'
import { Count, described, Figure, IsoTime, nullable, optional } from './schemas.ts'

/** The standing of a maker: its connections now, and its record since the relay started. */
export const MakerStandingFields = Type.Object({
  makerId: field.makerId,
  streams: described(Count, 'Live event streams.', 1),
  sockets: described(Count, 'Live WebSockets.', 1),
  quotes: described(Count, 'Quotes added to the book, including re-quotes.', 120),
  requestsQuoted: described(Count, 'Requests that the maker quoted on.', 40),
  refused: described(Count, 'Quotes refused.', 2),
  asked: described(Count, 'Orders that the maker was asked to sign.', 12),
  confirmed: field.confirmed,
  declined: field.declined,
  missed: field.missed,
  hitRate: nullable(described(Figure, 'Won requests as a share of those quoted on; null before the first.', 0.28)),
  score: nullable(field.score),
  confirmP50Ms: nullable(field.confirmP50Ms),
  confirmP99Ms: nullable(field.confirmP99Ms),
  demotedUntil: optional(
    described(IsoTime, 'Time until which misses rank its quotes behind all others; null when they do not.', null),
  ),
  suspendedUntil: optional(
    described(IsoTime, 'Time until which the maker is suspended for what it did; null when it is not.', null),
  ),
  lastQuoteAt: nullable(
    described(IsoTime, "Time of the maker's last quote; null if it never quoted.", '2027-01-15T07:00:01.120Z'),
  ),
  lastRefusal: nullable(
    described(
      Type.Object({ at: field.at, code: field.code, detail: field.detail }),
      'The last refused quote; null if there was none.',
    ),
  ),
})

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
