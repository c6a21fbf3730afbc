import { RfqError } from '@rfqctl/protocol/domain/errors'
import { parseUint256, type SeriesId } from '@rfqctl/protocol/domain/series'
import { AuditAnswer, encodeAuditLog } from '@rfqctl/protocol/wire/audit'
import * as blockWire from '@rfqctl/protocol/wire/blocks'
import * as reviewWire from '@rfqctl/protocol/wire/reviews'
import type { FastifyInstance } from 'fastify'
import { requireOperator } from '../plugins/bearer-auth.ts'
import { bodyOf } from '../plugins/body.ts'
import type { RouteContext } from '../route-context.ts'
import { documentedAs } from '../route-docs.ts'
import { serveOperatorStream } from '../sse/operator-stream.ts'

type OfMaker = { Params: { makerId: string } }
type OfSeries = { Params: { seriesId: string } }

/** Every route needs the operator token (decisions S2, O1). */
export function addOperatorRoutes(scope: FastifyInstance, context: RouteContext): void {
  const { relay, operations, settings } = context
  requireOperator(scope, settings.operatorToken)

  async function decide({ makerId }: OfMaker['Params'], body: unknown) {
    const decision = { makerId: blockWire.decodeMakerId(makerId), ...blockWire.decodeBlock(body) }
    return blockWire.encodeBlocked(await relay.blocks.decide(decision))
  }

  scope.get(
    '/ops/v1/events',
    forOperators({
      id: 'streamOperations',
      summary: 'Streams requests, quotes, confirmations, makers, series and health',
      headers: ['Last-Event-ID'],
      answer: 'text/event-stream',
      errors: ['too_many_connections'],
    }),
    (request, reply) => serveOperatorStream(context, request, reply),
  )

  scope.get<{ Params: { requestId: string } }>(
    '/ops/v1/audit/:requestId',
    forOperators({
      id: 'getAuditLog',
      summary: 'Shows the audit log of a request',
      answer: AuditAnswer,
      errors: ['request_not_found'],
    }),
    async (request) => encodeAuditLog(await operations.auditLogOf(request.params.requestId)),
  )

  scope.get(
    '/ops/v1/reviews',
    forOperators({
      id: 'listReviews',
      summary: 'Lists series that wait for manual review',
      answer: reviewWire.ReviewsAnswer,
    }),
    async () => reviewWire.encodeReviews(await relay.listReviews()),
  )

  scope.get<OfSeries>(
    '/ops/v1/reviews/:seriesId',
    forOperators({
      id: 'getReview',
      summary: 'Shows the prices and the resolution of a series',
      answer: reviewWire.ReviewAnswer,
      errors: ['series_not_found', 'chain_unavailable'],
    }),
    async (request) => reviewWire.encodeReview(await relay.readReview(seriesIdOf(request.params))),
  )

  scope.post<OfSeries>(
    '/ops/v1/reviews/:seriesId',
    forOperators({
      id: 'resolveReview',
      summary: 'Resolves a series by a decision',
      body: reviewWire.DecisionBody,
      answer: reviewWire.DecidedAnswer,
      errors: [
        'series_not_found',
        'series_not_expired',
        'series_already_settled',
        'already_resolved',
        'chain_unavailable',
      ],
    }),
    async (request) => {
      const decision = reviewWire.decodeDecision(bodyOf(request))
      const seriesId = seriesIdOf(request.params)
      return reviewWire.encodeDecided(seriesId, await relay.resolveReview(seriesId, decision))
    },
  )

  scope.get(
    '/ops/v1/makers',
    forOperators({
      id: 'listMakers',
      summary: 'Shows the standing of makers and which are blocked',
      answer: blockWire.MakersAnswer,
    }),
    async () => {
      const [makers, blocks] = await Promise.all([operations.makers(), relay.blocks.list()])
      return blockWire.encodeMakers({ makers, blocks })
    },
  )

  scope.post<OfMaker>(
    '/ops/v1/makers/:makerId/block',
    forOperators({
      id: 'blockMaker',
      summary: 'Blocks a maker',
      body: blockWire.BlockBody,
      answer: blockWire.BlockAnswer,
    }),
    async (request) => decide(request.params, bodyOf(request)),
  )

  scope.delete<OfMaker>(
    '/ops/v1/makers/:makerId/block',
    forOperators({
      id: 'unblockMaker',
      summary: 'Unblocks a maker, clears its misses and ends its suspension',
      answer: blockWire.BlockAnswer,
    }),
    async (request) => decide(request.params, { blocked: false }),
  )
}

const forOperators = documentedAs({
  tag: 'operations',
  credential: 'operator',
  errors: ['operator_token_required', 'store_unavailable'],
})

/** An id in a path is opaque: a malformed one is unknown. */
function seriesIdOf({ seriesId }: OfSeries['Params']): SeriesId {
  const id = parseUint256(seriesId)
  if (id === null) throw new RfqError('series_not_found')
  return id
}
