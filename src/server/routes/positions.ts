import type { FastifyInstance } from 'fastify'
import { decodePositionsQuery, encodePositions, PositionsAnswer, PositionsQuery } from '../../wire/positions.ts'
import type { RouteContext } from '../route-context.ts'
import { documented } from '../route-docs.ts'

/** What wallets hold and have written, which anyone can read on the chain. */
export function addPositionRoutes(app: FastifyInstance, { relay }: RouteContext): void {
  app.get(
    '/v1/positions',
    documented({
      id: 'listPositions',
      summary: 'Lists the positions of a wallet',
      tag: 'discovery',
      query: PositionsQuery,
      answer: PositionsAnswer,
      errors: ['chain_unavailable', 'store_unavailable'],
      cost: 5,
    }),
    async (request) => {
      const wallet = decodePositionsQuery(request.query)
      return encodePositions(wallet, await relay.readPositions(wallet))
    },
  )
}
