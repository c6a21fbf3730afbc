import type { FastifyInstance } from 'fastify'
import type { RouteContext } from '../route-context.ts'
import { collectRoutes, type DescribedRoute } from '../route-docs.ts'
import { addAccountRoutes } from './account.ts'
import { addApiRoutes } from './api.ts'
import { addDiscoveryRoutes } from './discovery.ts'
import { addEnvironmentRoute } from './environment.ts'
import { addFaucetRoutes } from './faucet.ts'
import { addMakerRoutes, addMakerSocketRoute } from './maker.ts'
import { addMakerProtectionRoutes } from './maker-protections.ts'
import { addOperatorRoutes } from './operator.ts'
import { addQuoteRequestRoutes } from './quote-requests.ts'
import { addSandboxRoutes } from './sandbox.ts'
import { addServiceRoutes } from './service.ts'
import { addSettlementRoutes } from './settlement.ts'
import { addStatusRoute } from './status.ts'
import { addTransparencyRoutes } from './transparency.ts'
import { addWebRoutes } from './web.ts'

const GROUPS = [
  addServiceRoutes,
  addStatusRoute,
  addDiscoveryRoutes,
  addEnvironmentRoute,
  addQuoteRequestRoutes,
  addTransparencyRoutes,
  addMakerRoutes,
  addMakerProtectionRoutes,
  addMakerSocketRoute,
  addSettlementRoutes,
  addOperatorRoutes,
  addFaucetRoutes,
  addSandboxRoutes,
  addAccountRoutes,
  addApiRoutes,
  addWebRoutes,
]

/**
 * Each group has a scope of its own, so that its credential applies to no other group. The returned list is complete
 * once the app is ready; the context is not used before the first request.
 */
export function addRoutes(app: FastifyInstance, context: RouteContext): readonly DescribedRoute[] {
  const routes = collectRoutes(app)
  for (const addGroup of GROUPS) {
    app.register((scope, _, done) => {
      addGroup(scope, context, routes)
      done()
    })
  }
  return routes
}
