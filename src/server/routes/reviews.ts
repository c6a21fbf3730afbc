import type { FastifyInstance } from 'fastify'
import { RfqError } from '../../domain/errors.ts'
import { parseUint256, type SeriesId } from '../../domain/series.ts'
import {
  DecidedAnswer,
  DecisionBody,
  decodeDecision,
  encodeDecided,
  encodeReview,
  encodeReviews,
  ReviewAnswer,
  ReviewsAnswer,
} from '../../wire/reviews.ts'
import { requireOperator } from '../bearer.ts'
import { bodyOf } from '../body.ts'
import type { RouteContext } from '../route-context.ts'
import { documented, type RouteDocs } from '../route-docs.ts'

type ById = { Params: { seriesId: string } }

/** The series that wait for a person, and the decisions of persons (decisions S2, O1). */
export function addReviewRoutes(app: FastifyInstance, { relay, settings }: RouteContext): void {
  const onRequest = requireOperator(settings.operatorToken)
  const forOperators = (docs: Omit<RouteDocs, 'tag' | 'credential'>) => ({
    ...documented({
      ...docs,
      tag: 'operations',
      credential: 'operator',
      errors: ['operator_token_required', 'store_unavailable', ...(docs.errors ?? [])],
    }),
    onRequest,
  })

  app.get(
    '/ops/v1/reviews',
    forOperators({ id: 'listReviews', summary: 'Lists series that wait for manual review', answer: ReviewsAnswer }),
    async () => encodeReviews(await relay.listReviews()),
  )

  app.get<ById>(
    '/ops/v1/reviews/:seriesId',
    forOperators({
      id: 'getReview',
      summary: 'Shows the prices and the resolution of a series',
      answer: ReviewAnswer,
      errors: ['series_not_found', 'chain_unavailable'],
    }),
    async (request) => encodeReview(await relay.readReview(seriesIdOf(request.params))),
  )

  app.post<ById>(
    '/ops/v1/reviews/:seriesId',
    forOperators({
      id: 'resolveReview',
      summary: 'Resolves a series by a decision',
      body: DecisionBody,
      answer: DecidedAnswer,
      errors: [
        'series_not_found',
        'series_not_expired',
        'series_already_settled',
        'already_resolved',
        'chain_unavailable',
      ],
    }),
    async (request) => {
      const decision = decodeDecision(bodyOf(request))
      return encodeDecided(await relay.resolveReview({ ...decision, seriesId: seriesIdOf(request.params) }))
    },
  )
}

/** An id in a path is opaque: a malformed one is unknown. */
function seriesIdOf({ seriesId }: ById['Params']): SeriesId {
  const id = parseUint256(seriesId)
  if (id === null) throw new RfqError('series_not_found')
  return id
}
