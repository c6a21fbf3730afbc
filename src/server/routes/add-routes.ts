import type { FastifyInstance } from 'fastify'
import { collectRoutes, type DescribedRoute } from '../openapi/routes.ts'
import type { RouteContext } from '../route-context.ts'
import { acceptUpgrades } from '../ws/upgrade.ts'
import { addAccountRoutes } from './account.ts'
import { addApiRoutes } from './api.ts'
import { addBlockRoutes } from './blocks.ts'
import { addDiscoveryRoutes } from './discovery.ts'
import { addFaucetRoutes } from './faucet.ts'
import { addHealthRoutes } from './health.ts'
import { addMakerRoutes } from './maker.ts'
import { addMakerSocketRoute } from './maker-socket.ts'
import { addOperationRoutes } from './operations.ts'
import { addPositionRoutes } from './positions.ts'
import { addQuoteRequestRoutes } from './quote-requests.ts'
import { addReviewRoutes } from './reviews.ts'
import { addServiceRoutes } from './service.ts'
import { addSettlementRoutes } from './settlement.ts'

/** Adds every route of the relay, and says which they are. The context is not used before a request arrives. */
export function addRoutes(app: FastifyInstance, context: RouteContext): readonly DescribedRoute[] {
  const routes = collectRoutes(app)
  addServiceRoutes(app, context)
  addHealthRoutes(app, context)
  addDiscoveryRoutes(app, context)
  addQuoteRequestRoutes(app, context)
  addMakerRoutes(app, context)
  addMakerSocketRoute(app, context, acceptUpgrades(app))
  addPositionRoutes(app, context)
  addSettlementRoutes(app, context)
  addReviewRoutes(app, context)
  addOperationRoutes(app, context)
  addBlockRoutes(app, context)
  addFaucetRoutes(app, context)
  addAccountRoutes(app, context)
  addApiRoutes(app, context, routes)
  return routes
}
