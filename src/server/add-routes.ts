import type { FastifyInstance } from 'fastify'
import { collectRoutes, type DescribedRoute } from './api/routes.ts'
import { addAccountRoutes } from './http/account.ts'
import { addApiRoutes } from './http/api.ts'
import { addBlockRoutes } from './http/blocks.ts'
import { addDiscoveryRoutes } from './http/discovery.ts'
import { addFaucetRoutes } from './http/faucet.ts'
import { addHealthRoutes } from './http/health.ts'
import { addMakerRoutes } from './http/maker.ts'
import { addMakerSocketRoute } from './http/maker-socket.ts'
import { addOperationRoutes } from './http/operations.ts'
import { addPositionRoutes } from './http/positions.ts'
import { addQuoteRequestRoutes } from './http/quote-requests.ts'
import { addReviewRoutes } from './http/reviews.ts'
import { addServiceRoutes } from './http/service.ts'
import { addSettlementRoutes } from './http/settlement.ts'
import type { RouteContext } from './route-context.ts'
import { acceptUpgrades } from './ws/upgrade.ts'

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
