import { encodePoll, PollAnswer } from '@rfqctl/protocol/wire/best-quote'
import { CommitAnswer, CommitBody, decodeCommit, encodeCommitment } from '@rfqctl/protocol/wire/commit'
import { OK, OkAnswer } from '@rfqctl/protocol/wire/envelope'
import * as field from '@rfqctl/protocol/wire/field'
import { decodeOpenRequest, decodeQuotesQuery, OpenRequestBody, QuotesQuery } from '@rfqctl/protocol/wire/open-request'
import { CancelBody, decodeCancel, encodeOpened, OpenedAnswer } from '@rfqctl/protocol/wire/opened-request'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { clientAddressOf } from '../client-address.ts'
import { takerSecretOf, traceparentOf } from '../headers.ts'
import { prefersStream } from '../pages/negotiate.ts'
import { bodyOf } from '../plugins/body.ts'
import type { RouteContext } from '../route-context.ts'
import { documented, documentedAs } from '../route-docs.ts'
import { ownSocketOf } from '../sse/start-stream.ts'
import { serveOpeningStream, serveTakerStream } from '../sse/taker-stream.ts'

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
      details:
        'With `quotes` or `waitMs` it waits, and answers with the best quote, too. With `Accept: text/event-stream` it streams.',
      query: QuotesQuery,
      headers: ['traceparent'],
      body: OpenRequestBody,
      answer: OpenedAnswer,
      errors: [
        'invalid_package',
        'invalid_signature',
        'proof_required',
        'client_request_id_reused',
        'option_expired',
        'position_too_small',
        'too_many_connections',
        'overloaded',
        'store_unavailable',
        'chain_unavailable',
      ],
    }),
    async (request, reply) => {
      const clientAddress = clientAddressOf(request)
      const wait = decodeQuotesQuery(request.query)
      const input = decodeOpenRequest(bodyOf(request))
      const traceparent = traceparentOf(request)
      const open = async () =>
        encodeOpened(await relay.openRequest({ ...input, clientAddress, traceparent }), input.option)
      if (prefersStream(request.headers.accept)) return serveOpeningStream(context, { request, reply }, open)
      return wait === null ? open() : openAndWait(context, { reply, clientAddress, wait }, open)
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
        'side_mismatch',
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
      body: CancelBody,
      answer: OkAnswer,
      errors: [...refusals, 'commit_in_progress', 'request_closed'],
    }),
    async (request) => {
      const takerSecret = decodeCancel(bodyOf(request))
      await relay.cancelRequest({ requestId: request.params.id, takerSecret: takerSecretOf(request) ?? takerSecret })
      return OK
    },
  )
}

/**
 * Answers as opening does and with what a poll shows then. A client that leaves ends the wait, a server that closes answers at once.
 * Nothing is opened where the address has too many streams and such calls.
 */
async function openAndWait(
  { relay, limits, shutdown }: RouteContext,
  call: { reply: FastifyReply; clientAddress: string; wait: { quotes: number; waitMs: number } },
  open: () => Promise<ReturnType<typeof encodeOpened>>,
) {
  const socket = ownSocketOf(call.reply)
  const release = limits.take({ apiKey: null, address: call.clientAddress })
  try {
    const opened = await open()
    const shown = await relay.awaitQuotes({
      requestId: opened.requestId,
      ...call.wait,
      onWait: (end) => {
        if (socket.destroyed) end()
        socket.once('close', end)
        const leave = shutdown.onBegin(end)
        return () => {
          socket.removeListener('close', end)
          leave()
        }
      },
    })
    return { ...opened, ...encodePoll(shown, relay.now()) }
  } finally {
    release()
  }
}
