import type { FastifyInstance } from 'fastify'
import { collectRoutes, type DescribedRoute } from './api/routes.ts'
import type { Door } from './door.ts'
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
import { acceptUpgrades } from './ws/upgrade.ts'

/** Adds every route of the relay, and says which they are. Nothing behind the door is used before a request comes. */
export function addRoutes(app: FastifyInstance, door: Door): readonly DescribedRoute[] {
  const routes = collectRoutes(app)
  addServiceRoutes(app, door)
  addHealthRoutes(app, door)
  addDiscoveryRoutes(app, door)
  addQuoteRequestRoutes(app, door)
  addMakerRoutes(app, door)
  addMakerSocketRoute(app, door, acceptUpgrades(app))
  addPositionRoutes(app, door)
  addSettlementRoutes(app, door)
  addReviewRoutes(app, door)
  addOperationRoutes(app, door)
  addBlockRoutes(app, door)
  addFaucetRoutes(app, door)
  addAccountRoutes(app, door)
  addApiRoutes(app, door, routes)
  return routes
}
