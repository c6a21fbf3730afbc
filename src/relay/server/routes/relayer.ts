import { RfqError } from '@rfqctl/protocol/domain/errors'
import { OK, OkAnswer } from '@rfqctl/protocol/wire/envelope'
import { decodeGaslessFill, GaslessFillBody } from '@rfqctl/protocol/wire/gasless-fill'
import * as wire from '@rfqctl/protocol/wire/relayer'
import type { FastifyInstance } from 'fastify'
import type { Relayer } from '../../relayer/relayer.ts'
import { clientAddressOf } from '../client-address.ts'
import { bodyOf } from '../plugins/body.ts'
import { documented } from '../route-docs.ts'
import { addMetricsRoute } from './service.ts'

type ByHash = { Params: { orderHash: string } }

/** A submission is simulated on the chain before anything is known of it. */
const SUBMISSION_COST = 10

export function addRelayerRoutes(
  app: FastifyInstance,
  { relayer, metrics }: { relayer: Relayer; metrics: () => Promise<{ contentType: string; text: string }> },
): void {
  app.get(
    '/v1/relayer',
    documented({
      id: 'getRelayer',
      summary: 'Shows what the relayer charges, and whether it takes fills',
      tag: 'trading',
      answer: wire.RelayerAnswer,
      errors: ['chain_unavailable'],
      cost: 1,
    }),
    async () => wire.encodeRelayerTerms(await relayer.terms()),
  )

  app.post(
    '/v1/fills',
    documented({
      id: 'submitFill',
      summary: 'Submits a fill for its taker',
      tag: 'trading',
      body: GaslessFillBody,
      answer: wire.FillStatusAnswer,
      errors: [
        'relayer_unavailable',
        'authorization_mismatch',
        'fee_too_low',
        'fill_too_late',
        'fill_refused',
        'fill_too_expensive',
        'fill_in_progress',
        'chain_unavailable',
      ],
      cost: SUBMISSION_COST,
    }),
    async (request, reply) => {
      const fill = await relayer.submit(decodeGaslessFill(bodyOf(request)), clientAddressOf(request))
      const isOver = fill.status === 'filled' || fill.status === 'failed'
      return reply.code(isOver ? 200 : 202).send(wire.encodeRelayedFill(fill))
    },
  )

  app.get<ByHash>(
    '/v1/fills/:orderHash',
    documented({
      id: 'getFill',
      summary: 'Shows what has become of a fill',
      tag: 'trading',
      answer: wire.FillStatusAnswer,
      errors: ['fill_not_found'],
      cost: 1,
    }),
    async (request) => wire.encodeRelayedFill(relayer.status(wire.decodeOrderHash(request.params.orderHash))),
  )

  app.get(
    '/healthz',
    documented({ id: 'getLiveness', summary: 'Reports that the relayer is alive', tag: 'service', answer: OkAnswer }),
    async () => OK,
  )

  app.get(
    '/readyz',
    documented({
      id: 'getReadiness',
      summary: 'Reports whether the relayer takes fills',
      tag: 'service',
      answer: OkAnswer,
      errors: ['not_ready', 'chain_unavailable'],
      cost: 1,
    }),
    async () => {
      const { isAccepting, reason } = await relayer.terms()
      if (!isAccepting) throw new RfqError('not_ready', { detail: `The relayer takes no fills now. ${reason}` })
      return OK
    },
  )

  addMetricsRoute(app, metrics)
}
