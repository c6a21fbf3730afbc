import type { FastifyInstance } from 'fastify'
import type { RouteDocs } from '../route-docs.ts'

/** A route as the documents tell of it; `path` as OpenAPI writes it: `/v1/series/{seriesId}`. */
export type DescribedRoute = { method: string; path: string; params: readonly string[]; docs: RouteDocs }

/**
 * The routes of an app as they are added to it; call it before. A route that does not document itself stops the start,
 * so that the documents miss nothing.
 */
export function collectRoutes(app: FastifyInstance): readonly DescribedRoute[] {
  const routes: DescribedRoute[] = []
  app.addHook('onRoute', ({ method, url, config }) => {
    const { docs } = (config ?? {}) as { docs?: RouteDocs }
    if (docs === undefined) throw new Error(`the route ${url} does not document itself`)
    const params = [...url.matchAll(/:([^/]+)/g)].map(([, name]) => name as string)
    const path = url.replaceAll(/:([^/]+)/g, '{$1}')
    // Whatever has a GET takes a HEAD, too.
    for (const name of [method].flat()) if (name !== 'HEAD') routes.push({ method: name, path, params, docs })
  })
  return routes
}
