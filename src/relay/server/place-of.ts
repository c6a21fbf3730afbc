import type { FastifyRequest } from 'fastify'
import type { Relay } from '../core/relay.ts'
import { clientAddressOf } from './client-address.ts'
import { keyOf } from './plugins/maker-auth.ts'
import type { Place, TurnBudgets } from './plugins/turn-budget.ts'
import { ANSWERS_TO_COMMITS } from './shutdown.ts'

const COMMIT = '/quote-requests/:id/commit'

type Parts = { relay: Pick<Relay, 'knowsRequest' | 'knownMaker'>; turns: TurnBudgets }

/**
 * Chooses the budget by which a request begins. The requests of a commit do not wait for strangers once they are
 * proven: the quote request is open, or this node knows the maker's key. A path alone proves nothing.
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
