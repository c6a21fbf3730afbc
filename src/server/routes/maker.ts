import type { FastifyInstance } from 'fastify'
import type { Outcome } from '../../relay/ports/store.ts'
import { ConfirmBody, DeclineBody, decodeConfirm, decodeDecline } from '../../wire/confirm.ts'
import { OK, OkAnswer } from '../../wire/envelope.ts'
import { encodeMakerBook, MakerBookAnswer } from '../../wire/maker-book.ts'
import {
  decodeHistoryQuery,
  encodeHistory,
  HistoryAnswer,
  HistoryQueryFields,
  type QuoteOutcome,
} from '../../wire/maker-history.ts'
import { decodeSubmitQuote, encodeQuoted, QuotedAnswer, SubmitQuoteBody } from '../../wire/submit-quote.ts'
import { bodyOf } from '../body.ts'
import { makerOf, requireMaker } from '../maker-auth.ts'
import type { RouteContext } from '../route-context.ts'
import { documented, type RouteDocs } from '../route-docs.ts'
import { serveMakerStream } from '../sse/maker-stream.ts'

type ById = { Params: { quoteId: string } }

/** What makers do over HTTP, by their key: the stream, quotes, confirmations, their own records (protocol quote-1, confirm-1). */
export function addMakerRoutes(app: FastifyInstance, context: RouteContext): void {
  const { relay } = context
  const onRequest = requireMaker(context)
  const forMakers = ({ errors = [], ...docs }: Omit<RouteDocs, 'tag' | 'credential'>) => ({
    ...documented({
      ...docs,
      tag: 'maker',
      credential: 'maker',
      errors: ['invalid_api_key', 'maker_blocked', 'origin_not_allowed', 'store_unavailable', ...errors],
    }),
    onRequest,
  })

  app.get(
    '/v1/mm/quote-requests/stream',
    forMakers({
      id: 'streamQuoteRequests',
      summary: 'Streams quote requests',
      headers: ['Last-Event-ID'],
      answer: 'text/event-stream',
      errors: ['too_many_connections'],
    }),
    (request, reply) => serveMakerStream(context, request, reply),
  )

  app.post(
    '/v1/mm/quotes',
    forMakers({
      id: 'submitQuote',
      summary: 'Submits or updates a quote',
      body: SubmitQuoteBody,
      answer: QuotedAnswer,
      errors: [
        'request_not_found',
        'request_expired',
        'request_closed',
        'quote_locked',
        'side_mismatch',
        'size_too_small',
        'price_out_of_range',
        'price_above_max_payoff',
        'fill_below_one',
        'maker_insufficient_balance',
        'maker_insufficient_allowance',
        'chain_unavailable',
      ],
    }),
    async (request) => {
      const { requestId, submission } = decodeSubmitQuote(bodyOf(request))
      return encodeQuoted(await relay.submitQuote({ makerId: makerOf(request).makerId, requestId, submission }))
    },
  )

  app.get(
    '/v1/mm/quotes',
    forMakers({
      id: 'listQuotes',
      summary: 'Lists live quotes and orders that wait for a signature',
      answer: MakerBookAnswer,
    }),
    async (request) => encodeMakerBook(await relay.makerBook(makerOf(request).makerId)),
  )

  app.get(
    '/v1/mm/executions',
    forMakers({
      id: 'listQuoteOutcomes',
      summary: 'Lists the outcomes of quotes',
      query: HistoryQueryFields,
      answer: HistoryAnswer,
      errors: ['store_unavailable'],
    }),
    async (request) => {
      const page = decodeHistoryQuery(request.query)
      const outcomes = await relay.makerHistory({ makerId: makerOf(request).makerId, ...page })
      return encodeHistory(outcomes.map(flatOutcome), page.limit)
    },
  )

  app.delete<ById>(
    '/v1/mm/quotes/:quoteId',
    forMakers({
      id: 'withdrawQuote',
      summary: 'Withdraws a quote',
      answer: OkAnswer,
      errors: ['quote_not_found', 'quote_locked'],
    }),
    async (request) => {
      await relay.withdrawQuote({ makerId: makerOf(request).makerId, quoteId: request.params.quoteId })
      return OK
    },
  )

  app.post<ById>(
    '/v1/mm/quotes/:quoteId/confirm',
    forMakers({
      id: 'confirmQuote',
      summary: 'Confirms an accepted quote by its signature',
      body: ConfirmBody,
      answer: OkAnswer,
      errors: [
        'no_pending_acceptance',
        'invalid_signature',
        'maker_insufficient_balance',
        'maker_insufficient_allowance',
        'chain_unavailable',
      ],
    }),
    async (request) => {
      const signature = decodeConfirm(bodyOf(request))
      await relay.confirm({ makerId: makerOf(request).makerId, quoteId: request.params.quoteId, signature })
      return OK
    },
  )

  app.post<ById>(
    '/v1/mm/quotes/:quoteId/decline',
    forMakers({
      id: 'declineQuote',
      summary: 'Declines an accepted quote',
      body: DeclineBody,
      answer: OkAnswer,
      errors: ['no_pending_acceptance'],
    }),
    async (request) => {
      const reason = decodeDecline(bodyOf(request))
      await relay.decline({ makerId: makerOf(request).makerId, quoteId: request.params.quoteId, reason })
      return OK
    },
  )
}

/** The signature of an execution is its taker's alone. */
function flatOutcome(outcome: Outcome): QuoteOutcome {
  if (outcome.status === 'rejected') return outcome
  const { at, requestId, quoteId, execution } = outcome
  return {
    at,
    requestId,
    quoteId,
    status: 'confirmed',
    executionId: execution.executionId,
    order: execution.acceptance.order,
  }
}
