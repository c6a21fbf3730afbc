import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { FastifyInstance } from 'fastify'
import { writeRefusal } from '../failures.ts'
import { hasTooManyHeaders, pathOf, tooManyHeaders } from '../headers.ts'

/** Node must not check the host: `refuseForNode` does. */
export const WITHOUT_NODE_ANSWERS = { requireHostHeader: false } as const

/** Answers in our envelope what Node would answer by itself, or not at all. */
export function refuseForNode(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _, done) => {
    if (hasTooManyHeaders(raw)) return done(tooManyHeaders())
    const isWithoutHost = raw.httpVersion === '1.1' && raw.headers.host === undefined
    done(isWithoutHost ? new RfqError('invalid_request', { detail: 'The header Host is missing.' }) : undefined)
  })
  // An unknown expectation may be ignored. @see RFC 9110, section 10.1.1
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    app.routing(request, response),
  )
  app.server.on('connect', (_: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy())
    writeRefusal(socket, new RfqError('method_not_allowed'))
  })
}

/** Refuses unknown paths, and methods with those that the path does take. Must be called before routes are added. */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  const routes: { method: string; pattern: RegExp }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    const pattern = new RegExp(`^${url.replaceAll(/:[^/]+/g, '[^/]+')}$`)
    for (const name of [method].flat()) routes.push({ method: name, pattern })
  })
  // Before the body is read, because no route needs it.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    const path = pathOf(request)
    const methods = routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    if (methods.length === 0) return done(new RfqError('not_found'))
    reply.header('allow', methods.join(', '))
    done(new RfqError('method_not_allowed'))
  })
}
