import { RfqError } from '@rfqctl/protocol/domain/errors'
import { decodePrepare, encodePrepared, PrepareBody, PreparedAnswer } from '@rfqctl/protocol/wire/settlement'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hasBearer } from '../plugins/bearer-auth.ts'
import { bodyOf } from '../plugins/body.ts'
import type { RouteContext } from '../route-context.ts'
import { documented } from '../route-docs.ts'

/** The signed resolution of a series (protocol settle-1). */
export function addSettlementRoutes(app: FastifyInstance, { relay, settings }: RouteContext): void {
  app.post(
    '/settlement/prepare',
    {
      ...documented({
        id: 'prepareSettlement',
        summary: 'Signs the resolution of an expired series',
        tag: 'settlement',
        credential: 'settlement',
        body: PrepareBody,
        answer: PreparedAnswer,
        errors: [
          'settlement_unauthorized',
          'series_not_found',
          'series_not_expired',
          'series_already_settled',
          'price_vetoed',
          'manual_review',
          'price_source_unavailable',
          'resolution_pending',
          'signer_not_configured',
          'signer_not_in_office',
          'signer_unavailable',
          'signer_refused',
          'chain_unavailable',
          'store_unavailable',
        ],
        cost: 2,
      }),
      onRequest: async (request) => assertMayPrepare(request, settings.settlementApiKey),
    },
    async (request) => encodePrepared(await relay.prepareSettlement(decodePrepare(bodyOf(request)))),
  )
}

function assertMayPrepare(request: FastifyRequest, apiKey: string | null): void {
  if (apiKey !== null && !hasBearer(request, apiKey)) throw new RfqError('settlement_unauthorized')
}
