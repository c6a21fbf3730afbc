import { RfqError } from '@rfqctl/protocol/domain/errors'
import {
  ConfirmBody,
  DeclineBody,
  decodeConfirm,
  decodeDecline,
  decodeFirm,
  FirmBody,
} from '@rfqctl/protocol/wire/confirm'
import { OK, OkAnswer } from '@rfqctl/protocol/wire/envelope'
import { decodeLevels, LevelsAnswer, LevelsBody } from '@rfqctl/protocol/wire/levels'
import { encodeMakerBook, MakerBookAnswer } from '@rfqctl/protocol/wire/maker-book'
import * as commandWire from '@rfqctl/protocol/wire/maker-commands'
import * as historyWire from '@rfqctl/protocol/wire/maker-history'
import { encodeStanding, StandingAnswer } from '@rfqctl/protocol/wire/maker-record'
import { MakerStreamQuery } from '@rfqctl/protocol/wire/maker-stream'
import * as quoteWire from '@rfqctl/protocol/wire/submit-quote'
import type { FastifyInstance } from 'fastify'
import type { MakerOutcome } from '../../core/relay.ts'
import { clientAddressOf } from '../client-address.ts'
import { createCallCounters, createListedCalls } from '../maker-calls.ts'
import { bodyOf } from '../plugins/body.ts'
import { apiKeyOf, isFromHere, makerOf, namedMakerOf, requireMaker } from '../plugins/maker-auth.ts'
import type { RouteContext } from '../route-context.ts'
import { documented, documentedAs } from '../route-docs.ts'
import { serveMakerStream } from '../sse/maker-stream.ts'
import { serveMakerSocket } from '../ws/maker-socket.ts'
import { acceptUpgrades } from '../ws/upgrade.ts'

type ById = { Params: { quoteId: string } }

/** Calls of makers over HTTP (protocol quote-1, confirm-1). */
export function addMakerRoutes(scope: FastifyInstance, context: RouteContext): void {
  const { relay } = context
  requireMaker(scope, context)

  scope.get(
    '/v1/mm/quote-requests/stream',
    forMakers({
      id: 'streamQuoteRequests',
      query: MakerStreamQuery,
      summary: 'Streams quote requests',
      headers: ['Last-Event-ID'],
      answer: 'text/event-stream',
      errors: ['too_many_connections'],
    }),
    (request, reply) => serveMakerStream(context, request, reply),
  )

  scope.post(
    '/v1/mm/quotes',
    forMakers({
      id: 'submitQuote',
      summary: 'Submits or updates a quote',
      body: quoteWire.SubmitQuoteBody,
      answer: quoteWire.QuotedAnswer,
      errors: [
        'request_not_found',
        'request_expired',
        'request_closed',
        'quote_locked',
        'overloaded',
        'maker_suspended',
        'protection_tripped',
        'outside_protections',
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
      const { requestId, submission } = quoteWire.decodeSubmitQuote(bodyOf(request))
      return quoteWire.encodeQuoted(
        await relay.submitQuote({ makerId: makerOf(request).makerId, requestId, submission }),
      )
    },
  )

  const countOf = createCallCounters(context, { method: 'POST', path: '/v1/mm/quotes/batch' })
  const answerList = createListedCalls({ ...context, countOf })
  scope.post(
    '/v1/mm/quotes/batch',
    forMakers({
      id: 'submitQuotes',
      summary: 'Submits or updates several quotes',
      details: 'Each quote is taken or refused by itself, and answered in its place as on the socket.',
      body: commandWire.SubmitQuotesBody,
      answer: commandWire.QuotesAnswer,
    }),
    async (request) => {
      const calls = commandWire.decodeQuotes(bodyOf(request))
      return commandWire.encodeQuotesTaken(await answerList(makerOf(request).makerId, calls))
    },
  )

  scope.post<ById>(
    '/v1/mm/quotes/:quoteId/firm',
    forMakers({
      id: 'sealQuote',
      summary: 'Makes a quote firm by the signatures of its orders',
      details:
        'The order comes with the answer to a quote that was submitted with `firm: true`; a quote on both sides has two, and is firm with both signatures.',
      body: FirmBody,
      answer: OkAnswer,
      errors: ['quote_not_found', 'quote_locked', 'invalid_signature', 'too_many_requests', 'chain_unavailable'],
    }),
    async (request) => {
      const { makerId } = makerOf(request)
      await relay.makeQuoteFirm({ makerId, quoteId: request.params.quoteId, ...decodeFirm(bodyOf(request)) })
      return OK
    },
  )

  scope.put(
    '/v1/mm/levels',
    forMakers({
      id: 'putLevels',
      summary: "Replaces the maker's indicative levels",
      details: 'They bind no one, count for marks, and are forgotten after a minute.',
      body: LevelsBody,
      answer: LevelsAnswer,
    }),
    async (request) => {
      const levels = decodeLevels(bodyOf(request))
      return { success: true, ...(await relay.setLevels({ makerId: makerOf(request).makerId, levels })) }
    },
  )

  scope.get(
    '/v1/mm/quotes',
    forMakers({
      id: 'listQuotes',
      summary: 'Lists live quotes and orders that wait for a signature',
      answer: MakerBookAnswer,
    }),
    async (request) => encodeMakerBook(await relay.makerBook(makerOf(request).makerId)),
  )

  scope.get(
    '/v1/mm/executions',
    forMakers({
      id: 'listQuoteOutcomes',
      summary: 'Lists the outcomes of quotes',
      query: historyWire.HistoryQueryFields,
      answer: historyWire.HistoryAnswer,
      errors: ['store_unavailable'],
    }),
    async (request) => {
      const page = historyWire.decodeHistoryQuery(request.query)
      const outcomes = await relay.makerHistory({ makerId: makerOf(request).makerId, ...page })
      return historyWire.encodeHistory(outcomes.map(flatOutcome), page.limit)
    },
  )

  scope.get(
    '/v1/mm/standing',
    forMakers({ id: 'getStanding', summary: "Shows the maker's own record", answer: StandingAnswer }),
    async (request) => encodeStanding(await relay.makerStanding(namedMakerOf(request))),
  )

  scope.delete(
    '/v1/mm/quotes',
    forMakers({
      id: 'withdrawQuotes',
      summary: 'Withdraws all quotes, or those of a series or market, in one step',
      details: 'Quotes that are out for signature stay.',
      query: quoteWire.WithdrawQueryFields,
      answer: quoteWire.WithdrawnAnswer,
    }),
    async (request) => {
      const which = quoteWire.decodeWithdrawQuery(request.query)
      return quoteWire.encodeWithdrawn(await relay.withdrawQuotes({ makerId: makerOf(request).makerId, ...which }))
    },
  )

  scope.delete<ById>(
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

  scope.post<ById>(
    '/v1/mm/quotes/:quoteId/confirm',
    forMakers({
      id: 'confirmQuote',
      summary: 'Confirms an accepted quote by its signature',
      body: ConfirmBody,
      answer: OkAnswer,
      errors: [
        'no_pending_acceptance',
        'invalid_signature',
        'too_many_requests',
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

  scope.post<ById>(
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

/** The WebSocket of makers (protocol socket-1). */
export function addMakerSocketRoute(scope: FastifyInstance, context: RouteContext): void {
  const upgrade = acceptUpgrades(scope)
  const countOf = createCallCounters(context, { method: 'WS', path: '/maker/v1/ws' })
  scope.get(
    '/maker/v1/ws',
    documented({
      id: 'openMakerSocket',
      summary: 'Carries post-trade messages to a maker',
      tag: 'maker',
      credential: 'makerSocket',
      details: `The key comes in one of three ways: in the \`X-API-Key\` header, in the query, or, when neither is there, as the
first message: \`{"type": "auth", "apiKey": "..."}\`. A wrong key closes the socket with 4001 at once, a missing key after
three seconds (\`WS_AUTH_TIMEOUT_MS\`).`,
      answer: 'websocket',
      errors: ['origin_not_allowed'],
    }),
    async (request, reply) => {
      if (context.relay.openMode && !isFromHere(request)) throw new RfqError('origin_not_allowed')
      const call = { apiKey: apiKeyOf(request, context), address: clientAddressOf(request) }
      upgrade(request, reply, (socket, connection) =>
        serveMakerSocket({ ...context, countOf }, { socket, connection }, call),
      )
    },
  )
}

export const forMakers = documentedAs({
  tag: 'maker',
  credential: 'maker',
  errors: ['invalid_api_key', 'maker_blocked', 'origin_not_allowed', 'too_many_requests', 'store_unavailable'],
})

/** The signature of an execution is for its taker alone. */
function flatOutcome(outcome: MakerOutcome): historyWire.QuoteOutcome {
  if (outcome.status === 'rejected') return outcome
  const { at, requestId, quoteId, execution, standing, defunding } = outcome
  return {
    at,
    requestId,
    quoteId,
    status: 'confirmed',
    executionId: execution.executionId,
    order: execution.acceptance.order,
    standing,
    defunding,
  }
}
