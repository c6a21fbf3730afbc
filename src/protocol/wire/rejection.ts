import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { LossFeedback, RejectReason } from '../domain/best-quote.ts'
import { usd6ToNumber } from '../domain/decimal.ts'
import * as field from './field.ts'
import { decodeUsd6 } from './fields.ts'
import { Count, Dollars, described, oneOf } from './schemas.ts'

export const RejectReasonText = oneOf('another_quote_won', 'request_expired', 'request_cancelled')

export const LossFields = {
  rank: Type.Optional(
    described(Count, 'Place of the quote among those that could be taken, from 1; only if the operator allows it.', 2),
  ),
  quoteCount: Type.Optional(field.quoteCount),
  winningPrice: Type.Optional(
    described(Dollars, 'Price of the quote that won, in dollars per option; only if the operator allows it.', 0.12),
  ),
}

const Loss = Type.Object(LossFields)

/** A quote that did not win, and its standing beside the winner; `feedback` is absent if the relay does not share it. */
export type QuoteRejection = { reason: RejectReason; feedback?: LossFeedback }

export function encodeRejection({ reason, feedback }: QuoteRejection): { reason: RejectReason } & Static<typeof Loss> {
  if (feedback === undefined) return { reason }
  const { rank, quoteCount, winningPrice } = feedback
  return { reason, rank, quoteCount, ...(winningPrice === null ? {} : { winningPrice: usd6ToNumber(winningPrice) }) }
}

export function decodeRejection(fields: { reason: RejectReason } & Static<typeof Loss>): QuoteRejection {
  const { reason, rank, quoteCount, winningPrice } = fields
  if (rank === undefined || quoteCount === undefined) return { reason }
  const price = winningPrice === undefined ? null : decodeUsd6(winningPrice, 'half-up', 'winningPrice')
  return { reason, feedback: { rank, quoteCount, winningPrice: price } }
}
