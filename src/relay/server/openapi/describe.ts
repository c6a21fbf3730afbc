import Fastify from 'fastify'
import type { RouteContext } from '../route-context.ts'
import { addRoutes } from '../routes/add-routes.ts'
import { createAsyncApi } from './asyncapi.ts'
import { createOpenApi } from './openapi.ts'
import type { Json } from './schemas.ts'

/** Routes are added and never called, so they need no context; a sandbox and a log are set so that their routes are added, too. */
const EMPTY_CONTEXT = {
  relay: { transparency: {} },
  settings: { operatorToken: null, faucetShare: null },
  sandbox: {},
  web: null,
} as RouteContext

export async function describeApi(): Promise<{ openapi: Json; asyncapi: Json }> {
  const app = Fastify({ exposeHeadRoutes: false })
  const routes = addRoutes(app, EMPTY_CONTEXT)
  await app.ready()
  return { openapi: createOpenApi(routes), asyncapi: createAsyncApi(routes) }
}
