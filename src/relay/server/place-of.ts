import type { FastifyRequest } from 'fastify'
import type { Relay } from '../core/relay.ts'
import { clientAddressOf } from './client-address.ts'
import { keyOf } from './plugins/maker-auth.ts'
import type { Place, TurnBudgets } from './plugins/turn-budget.ts'
import { ANSWERS_TO_COMMITS } from './shutdown.ts'

const COMMIT = '/quote-requests/:id/commit'

type Parts = { relay: Pick<Relay, 'knowsRequest' | 'knownMaker'>; turns: TurnBudgets }

/**
 * Says by which budget a request begins. What makes a commit does not wait for strangers once it has shown that it does: its
 * request is open, or a maker answers by a key that this node knows. By a path alone anyone could say so.
 */
export const createPlaceOf =
  ({ relay, turns: { known, strangers } }: Parts) =>
  (request: FastifyRequest): Place => {
    const { url } = request.routeOptions
    const client = () => clientAddressOf(request)
    if (url === COMMIT && relay.knowsRequest((request.params as { id: string }).id)) return { turns: known, client }
    if (!ANSWERS_TO_COMMITS.includes(url)) return { turns: strangers, client }
    const maker = relay.knownMaker(keyOf(request))
    return maker === null ? { turns: strangers, client } : { turns: known, client: () => maker.makerId }
  }
