import { encodePoll, PollAnswer } from '@rfqctl/protocol/wire/best-quote'
import { CommitAnswer, CommitBody, decodeCommit, encodeCommitment } from '@rfqctl/protocol/wire/commit'
import { OK, OkAnswer } from '@rfqctl/protocol/wire/envelope'
import * as field from '@rfqctl/protocol/wire/field'
import * as wire from '@rfqctl/protocol/wire/request'
import type { FastifyInstance } from 'fastify'
import { clientAddressOf } from '../client-address.ts'
import { takerSecretOf, traceparentOf } from '../headers.ts'
import { bodyOf } from '../plugins/body.ts'
import type { RouteContext } from '../route-context.ts'
import { documented, documentedAs } from '../route-docs.ts'
import { serveTakerStream } from '../sse/taker-stream.ts'

const ofTrading = documentedAs({ tag: 'trading', cost: 1 })

type ById = { Params: { id: string } }

/** The taker secret shows that the request is the caller's. */
const byTaker = { params: { id: field.requestId }, headers: ['X-Taker-Secret'] } as const

const refusals = ['request_not_found', 'request_expired', 'taker_secret_required', 'store_unavailable'] as const

/** Calls of takers: open, watch, commit, cancel (protocol open-1, watch-1, commit-1, close-2). */
export function addQuoteRequestRoutes(app: FastifyInstance, context: RouteContext): void {
  const { relay, shutdown } = context

  app.post(
    '/quote-requests',
    ofTrading({
      id: 'openQuoteRequest',
      summary: 'Opens a quote request',
      headers: ['traceparent'],
      body: wire.OpenRequestBody,
      answer: wire.OpenedAnswer,
      errors: [
        'invalid_package',
        'client_request_id_reused',
        'option_expired',
        'position_too_small',
        'overloaded',
        'store_unavailable',
        'chain_unavailable',
      ],
    }),
    async (request) => {
      const clientAddress = clientAddressOf(request)
      const input = wire.decodeOpenRequest(bodyOf(request))
      const traceparent = traceparentOf(request)
      return wire.encodeOpened(await relay.openRequest({ ...input, clientAddress, traceparent }), input.option)
    },
  )

  app.get<ById>(
    '/quote-requests/:id/stream',
    ofTrading({
      id: 'streamBestQuote',
      summary: 'Streams the best quote',
      ...byTaker,
      answer: 'text/event-stream',
      errors: [...refusals, 'too_many_connections'],
    }),
    (request, reply) => serveTakerStream(context, request, reply),
  )

  app.get<ById>(
    '/quote-requests/:id/quotes',
    documented({
      id: 'getBestQuote',
      summary: 'Shows the best quote',
      tag: 'trading',
      ...byTaker,
      answer: PollAnswer,
      errors: refusals,
    }),
    async (request) => {
      const top = await relay.readRequest({ requestId: request.params.id, takerSecret: takerSecretOf(request) })
      return encodePoll(top, relay.now())
    },
  )

  app.post<ById>(
    '/quote-requests/:id/commit',
    ofTrading({
      id: 'commit',
      summary: 'Commits to the best quote; answers when its maker has signed',
      ...byTaker,
      headers: [...byTaker.headers, 'traceparent'],
      body: CommitBody,
      answer: CommitAnswer,
      errors: [
        ...refusals,
        'wallet_mismatch',
        'invalid_signature',
        'proof_required',
        'commit_in_progress',
        'too_many_unfilled_orders',
        'already_committed',
        'request_closed',
        'no_valid_quotes',
        'no_acceptable_quote',
        'quote_changed',
        'series_not_registered',
        'series_halted',
        'maker_insufficient_balance',
        'maker_insufficient_allowance',
        'position_too_small',
        'amount_too_large',
        'no_maker_confirmed',
        'chain_unavailable',
      ],
    }),
    async (request) => {
      const { takerSecret, ...input } = decodeCommit(bodyOf(request))
      const commitment = relay.commit({
        ...input,
        requestId: request.params.id,
        takerSecret: takerSecretOf(request) ?? takerSecret,
        clientAddress: clientAddressOf(request),
        traceparent: traceparentOf(request),
      })
      return encodeCommitment(await shutdown.race(commitment), relay.environment)
    },
  )

  app.post<ById>(
    '/quote-requests/:id/cancel',
    ofTrading({
      id: 'cancelQuoteRequest',
      summary: 'Cancels a quote request',
      ...byTaker,
      body: wire.CancelBody,
      answer: OkAnswer,
      errors: [...refusals, 'commit_in_progress', 'request_closed'],
    }),
    async (request) => {
      const takerSecret = wire.decodeCancel(bodyOf(request))
      await relay.cancelRequest({ requestId: request.params.id, takerSecret: takerSecretOf(request) ?? takerSecret })
      return OK
    },
  )
}
