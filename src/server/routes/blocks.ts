import type { FastifyInstance } from 'fastify'
import {
  BlockAnswer,
  BlockBody,
  decodeBlock,
  decodeMakerId,
  encodeBlocked,
  encodeMakers,
  MakersAnswer,
} from '../../wire/blocks.ts'
import { requireOperator } from '../bearer.ts'
import { bodyOf } from '../body.ts'
import type { RouteContext } from '../route-context.ts'
import { documented, type RouteDocs } from '../route-docs.ts'

type ById = { Params: { makerId: string } }

/** Makers as operators see them, and the decisions to shut one out. */
export function addBlockRoutes(app: FastifyInstance, { relay, operations, settings }: RouteContext): void {
  const onRequest = requireOperator(settings.operatorToken)
  const forOperators = (docs: Omit<RouteDocs, 'tag' | 'credential' | 'errors'>) => ({
    ...documented({
      ...docs,
      tag: 'operations',
      credential: 'operator',
      errors: ['operator_token_required', 'store_unavailable'],
    }),
    onRequest,
  })

  app.get(
    '/ops/v1/makers',
    forOperators({
      id: 'listMakers',
      summary: 'Shows the standing of makers and which are blocked',
      answer: MakersAnswer,
    }),
    async () => {
      const [makers, blocks] = await Promise.all([operations.makers(), relay.blocks.list()])
      return encodeMakers({ makers, blocks })
    },
  )

  app.post<ById>(
    '/ops/v1/makers/:makerId/block',
    forOperators({ id: 'blockMaker', summary: 'Blocks a maker', body: BlockBody, answer: BlockAnswer }),
    async (request) =>
      encodeBlocked(
        await relay.blocks.decide({ makerId: decodeMakerId(request.params.makerId), ...decodeBlock(bodyOf(request)) }),
      ),
  )

  app.delete<ById>(
    '/ops/v1/makers/:makerId/block',
    forOperators({
      id: 'unblockMaker',
      summary: 'Unblocks a maker and clears its misses',
      answer: BlockAnswer,
    }),
    async (request) =>
      encodeBlocked(
        await relay.blocks.decide({
          makerId: decodeMakerId(request.params.makerId),
          ...decodeBlock({ blocked: false }),
        }),
      ),
  )
}
