import Fastify from 'fastify'
import { addRoutes } from '../add-routes.ts'
import type { Door } from '../door.ts'
import { createAsyncApi } from './asyncapi.ts'
import { createOpenApi } from './openapi.ts'
import type { Json } from './schemas.ts'

/** A door with nothing behind it: routes are added and never asked. */
const NO_DOOR = { settings: { operatorToken: null } } as Door

/** The documents of the API without a relay: for those who generate code, and for linters. */
export function describeApi(): { openapi: Json; asyncapi: Json } {
  const routes = addRoutes(Fastify({ exposeHeadRoutes: false }), NO_DOOR)
  return { openapi: createOpenApi(routes), asyncapi: createAsyncApi(routes) }
}
