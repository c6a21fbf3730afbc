import Fastify from 'fastify'
import type { RouteContext } from '../route-context.ts'
import { addRoutes } from '../routes/add-routes.ts'
import { createAsyncApi } from './asyncapi.ts'
import { createOpenApi } from './openapi.ts'
import type { Json } from './schemas.ts'

/** An empty context: routes are added and never called, those of a sandbox among them. */
const EMPTY_CONTEXT = { settings: { operatorToken: null, faucetShare: null }, sandbox: {}, web: null } as RouteContext

/** The documents of the API without a relay: for those who generate code, and for linters. */
export async function describeApi(): Promise<{ openapi: Json; asyncapi: Json }> {
  const app = Fastify({ exposeHeadRoutes: false })
  const routes = addRoutes(app, EMPTY_CONTEXT)
  await app.ready()
  return { openapi: createOpenApi(routes), asyncapi: createAsyncApi(routes) }
}
