import Type, { type Static } from 'typebox'
import type { RankedQuote } from '../domain/best-quote.ts'
import type { RequestTerms } from '../domain/request.ts'
import { decodeQuote, encodeQuote, QuoteFields } from './audit.ts'
import { decodeTime, encodeTime } from './fields.ts'
import { decodeTerms, encodeParams, RequestParams } from './request.ts'
import { Count, Flag, IsoTime, nullable, optional, Text, Uint256Text } from './schemas.ts'

/** An open request as it stands, its best quotes first. */
export const RequestStandingFields = Type.Object({
  requestId: Text,
  seriesId: Uint256Text,
  createdAt: IsoTime,
  expiresAt: IsoTime,
  locked: Flag,
  params: RequestParams,
  quotes: Type.Array(Type.Object({ ...QuoteFields.properties, misses: Count, isDemoted: optional(Flag) })),
  quoteCount: Count,
  pending: nullable(
    Type.Object({ makerId: Text, quoteId: Text, askedAt: IsoTime, deadline: IsoTime }, { description: 'an object' }),
  ),
})

/** An open request as operators know it. Times are Unix milliseconds. */
export type RequestStanding = {
  /** Its id. */
  requestId: string
  /** The series it asks about. */
  seriesId: string
  /** When it was opened. */
  createdAt: number
  /** When it closes. */
  expiresAt: number
  /** Whether only the taker secret opens, polls and watches it. */
  locked: boolean
  /** What is asked for. */
  terms: RequestTerms
  /** Its best quotes, the best first. */
  quotes: readonly RankedQuote[]
  /** How many quotes there are in all. */
  quoteCount: number
  /** The maker that is asked to sign: `makerId`, `quoteId`, since `askedAt` and until `deadline`; null while none is. */
  pending: { makerId: string; quoteId: string; askedAt: number; deadline: number } | null
}

/** An open request as it stands. */
export function encodeRequestStanding({
  request,
  quotes,
  quoteCount,
  pending,
}: {
  request: Omit<RequestStanding, 'terms' | 'quotes' | 'quoteCount' | 'pending'> & RequestTerms
  quotes: readonly RankedQuote[]
  quoteCount: number
  pending: { makerId: string; quoteId: string; createdAt: number; deadline: number } | null
}): Static<typeof RequestStandingFields> {
  const { requestId, seriesId, createdAt, expiresAt, locked } = request
  return {
    requestId,
    seriesId,
    createdAt: encodeTime(createdAt),
    expiresAt: encodeTime(expiresAt),
    locked,
    params: encodeParams(request),
    quotes: quotes.map((quote) => ({ ...encodeQuote(quote), misses: quote.misses, isDemoted: quote.isDemoted })),
    quoteCount,
    pending:
      pending === null
        ? null
        : {
            makerId: pending.makerId,
            quoteId: pending.quoteId,
            askedAt: encodeTime(pending.createdAt),
            deadline: encodeTime(pending.deadline),
          },
  }
}

/** An open request whose schema was checked. */
export function decodeRequestStanding(fields: Static<typeof RequestStandingFields>): RequestStanding {
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
