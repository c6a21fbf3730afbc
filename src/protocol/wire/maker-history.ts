import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { LossFeedback, RejectReason } from '../domain/best-quote.ts'
import type { Order } from '../domain/order.ts'
import type { OrderState } from '../domain/order-end.ts'
import type { Defunding } from '../domain/reservation.ts'
import * as field from './field.ts'
import { decodeTime, encodeTime } from './fields.ts'
import { decodeOrder, encodeOrder, OrderFields } from './order.ts'
import { DefundedIn, decodeOrderStatus, encodeOrderStatus, OrderStatusFields } from './order-end.ts'
import { createReader, invalidField } from './reader.ts'
import { decodeRejection, encodeRejection, LossFields, RejectReasonText } from './rejection.ts'
import { described, IsoTime, nullable, oneOf, successOf, Text, UuidText } from './schemas.ts'

/** Outcomes per answer, unless fewer are asked for. */
const PAGE = 100

const LIMIT = `an integer 1..${PAGE}`

const LimitText = Type.String({ pattern: '^[0-9]{1,3}$', must: LIMIT })

const Status = oneOf('confirmed', 'rejected')

/** `GET /v1/mm/executions`, query: after the quote `cursor`, and from `since` on. */
export const HistoryQueryFields = Type.Object({
  cursor: Type.Optional(
    described(UuidText, 'The `nextCursor` of the previous page.', '9f5c1b8e-6a3d-4c0e-9a55-0f2c8f1d7e44'),
  ),
  since: Type.Optional(described(IsoTime, 'Only outcomes from this time on.', '2027-01-15T00:00:00.000Z')),
  status: Type.Optional(described(Status, field.status)),
  limit: Type.Optional(described(LimitText, 'Maximum number of items.', '50')),
})

/** The end of a quote: with `execution_id` and the order if it was confirmed, else with `reason`. */
const OutcomeFields = Type.Object({
  requestId: field.requestId,
  quoteId: field.quoteId,
  status: described(Status, field.status),
  at: field.at,
  reason: Type.Optional(described(RejectReasonText, field.reason)),
  ...LossFields,
  execution_id: Type.Optional(field.executionId),
  order: Type.Optional(OrderFields),
  orderStatus: Type.Optional(OrderStatusFields),
  defunded: Type.Optional(
    described(
      Type.Object(DefundedIn),
      'That its maker took away what the open order needs; absent where it did not, as far as is known.',
    ),
  ),
})

/** `nextCursor` is null on the last page. */
export const HistoryAnswer = successOf({
  executions: described(
    Type.Array(OutcomeFields),
    "The outcomes of the maker's quotes, oldest first; `nextCursor` leads to newer ones.",
  ),
  nextCursor: nullable(
    described(Text, 'Start of the next page; null on the last page.', '9f5c1b8e-6a3d-4c0e-9a55-0f2c8f1d7e44'),
  ),
})

const readQuery = createReader(HistoryQueryFields, 'the query')
const readAnswer = createReader(HistoryAnswer, 'the answer')

/** Which outcomes are asked for; `since` in Unix milliseconds, null: no bound. */
export type HistoryPage = {
  after: string | null
  since: number | null
  status: 'confirmed' | 'rejected' | null
  limit: number
}

/** The end of a maker's quote. */
export type QuoteOutcome = {
  /** Its time. */
  at: number
  /** The quote request. */
  requestId: string
  /** Also the cursor of the next outcomes. */
  quoteId: string
} & QuoteEnd

/** The possible ends of a quote. */
export type QuoteEnd =
  /** `standing` is that of its `order`. `defunding`: the maker took away what the open order needs. Null: not known. */
  | {
      status: 'confirmed'
      executionId: string
      order: Order
      standing: OrderState | null
      defunding: Defunding | null
    }
  | { status: 'rejected'; reason: RejectReason; feedback?: LossFeedback }

export function decodeHistoryQuery(query: unknown): HistoryPage {
  const { cursor, since, status, limit } = readQuery(query)
  return {
    after: cursor ?? null,
    since: since === undefined ? null : decodeTime(since, 'since'),
    status: status ?? null,
    limit: limit === undefined ? PAGE : decodeLimit(limit),
  }
}

/** A page of outcomes; one that is not full is the last. */
export function encodeHistory(outcomes: readonly QuoteOutcome[], limit: number): Static<typeof HistoryAnswer> {
  const executions = outcomes.map((outcome) => ({
    requestId: outcome.requestId,
    quoteId: outcome.quoteId,
    at: encodeTime(outcome.at),
    ...(outcome.status === 'confirmed'
      ? {
          status: 'confirmed' as const,
          execution_id: outcome.executionId,
          order: encodeOrder(outcome.order),
          ...(outcome.standing === null ? {} : { orderStatus: encodeOrderStatus(outcome.standing) }),
          ...(outcome.defunding === null ? {} : { defunded: outcome.defunding }),
        }
      : { status: 'rejected' as const, ...encodeRejection(outcome) }),
  }))
  return { success: true, executions, nextCursor: outcomes.length < limit ? null : (outcomes.at(-1)?.quoteId ?? null) }
}

/** A page of outcomes, and the cursor of the next one. */
export function decodeHistory(answer: unknown): { outcomes: QuoteOutcome[]; nextCursor: string | null } {
  const { executions, nextCursor } = readAnswer(answer)
  return { outcomes: executions.map(decodeOutcome), nextCursor }
}

function decodeOutcome(fields: Static<typeof OutcomeFields>): QuoteOutcome {
  const { requestId, quoteId, execution_id, order, orderStatus, reason, ...rest } = fields
  const outcome = { requestId, quoteId, at: decodeTime(fields.at, 'at') }
  if (execution_id !== undefined && order !== undefined) {
    const standing = orderStatus === undefined ? null : decodeOrderStatus(orderStatus)
    const defunding = fields.defunded ?? null
    return {
      ...outcome,
      status: 'confirmed',
      executionId: execution_id,
      order: decodeOrder(order),
      standing,
      defunding,
    }
  }
  if (reason === undefined) throw invalidField('reason', 'a reason', reason)
  return { ...outcome, status: 'rejected', ...decodeRejection({ ...rest, reason }) }
}

function decodeLimit(text: string): number {
  const limit = Number(text)
  if (limit < 1 || limit > PAGE) throw invalidField('limit', LIMIT, text)
  return limit
}
