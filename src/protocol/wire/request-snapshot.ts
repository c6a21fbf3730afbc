import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { RequestSnapshot } from '../domain/operations.ts'
import { decodeQuote, encodeQuote, QuoteFields } from './audit.ts'
import * as field from './field.ts'
import { decodeTime, encodeTime } from './fields.ts'
import { decodeTerms, encodeParams, RequestParams } from './request.ts'
import { Count, described, Flag, IsoTime, nullable, optional } from './schemas.ts'

/** The current state of an open request, its best quotes first. */
export const RequestSnapshotFields = Type.Object({
  requestId: field.requestId,
  seriesId: field.seriesId,
  createdAt: field.createdAt,
  expiresAt: field.expiresAt,
  locked: field.locked,
  params: RequestParams,
  quotes: described(
    Type.Array(
      Type.Object({
        ...QuoteFields.properties,
        misses: described(Count, 'Confirmations that this maker missed on this request.', 0),
        isDemoted: optional(
          described(Flag, 'Whether misses on other requests rank this maker behind all others.', false),
        ),
      }),
    ),
    'The quotes.',
  ),
  quoteCount: field.quoteCount,
  pending: nullable(
    described(
      Type.Object({
        makerId: field.makerId,
        quoteId: field.quoteId,
        askedAt: described(IsoTime, 'Time when the maker was asked to sign.', '2027-01-15T07:00:02.250Z'),
        deadline: field.deadline,
      }),
      'Orders that wait for a signature.',
    ),
  ),
})

export const encodeRequestSnapshot = (standing: RequestSnapshot): Static<typeof RequestSnapshotFields> => ({
  requestId: standing.requestId,
  seriesId: standing.seriesId,
  createdAt: encodeTime(standing.createdAt),
  expiresAt: encodeTime(standing.expiresAt),
  locked: standing.locked,
  params: encodeParams(standing.terms),
  quotes: standing.quotes.map((quote) => ({ ...encodeQuote(quote), misses: quote.misses, isDemoted: quote.isDemoted })),
  quoteCount: standing.quoteCount,
  pending: standing.pending && {
    ...standing.pending,
    askedAt: encodeTime(standing.pending.askedAt),
    deadline: encodeTime(standing.pending.deadline),
  },
})

export function decodeRequestSnapshot(fields: Static<typeof RequestSnapshotFields>): RequestSnapshot {
  const { requestId, seriesId, locked, quoteCount, pending } = fields
  return {
    requestId,
    seriesId,
    locked,
    quoteCount,
    createdAt: decodeTime(fields.createdAt, 'createdAt'),
    expiresAt: decodeTime(fields.expiresAt, 'expiresAt'),
    terms: decodeTerms(fields.params),
    quotes: fields.quotes.map(({ misses, isDemoted, ...quote }) => ({
      ...decodeQuote(requestId, quote),
      misses,
      isDemoted: isDemoted ?? false,
    })),
    pending:
      pending === null
        ? null
        : {
            makerId: pending.makerId,
            quoteId: pending.quoteId,
            askedAt: decodeTime(pending.askedAt, 'pending.askedAt'),
            deadline: decodeTime(pending.deadline, 'pending.deadline'),
          },
  }
}
