import type { FastifyInstance } from 'fastify'
import { RfqError } from '../domain/errors.ts'
import { pathOf } from './headers.ts'

/**
 * Refuses what no route takes: `not_found`, or `method_not_allowed` with the methods that the path does take. Must see
 * all routes: call it before they are added.
 */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  const routes: { method: string; pattern: RegExp }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    const pattern = new RegExp(`^${url.replaceAll(/:[^/]+/g, '[^/]+')}$`)
    for (const name of [method].flat()) routes.push({ method: name, pattern })
  })
  // Before the body is read: what no one asked for is not looked at.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    const path = pathOf(request)
    const methods = routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    if (methods.length === 0) return done(new RfqError('not_found'))
    reply.header('allow', methods.join(', '))
    done(new RfqError('method_not_allowed'))
  })
}
