import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { RfqError } from '../domain/errors.ts'
import { writeRefusal } from './failures.ts'
import { hasTooManyHeaders, tooManyHeaders } from './header-count.ts'

/** Leaves the host to `replaceNodeAnswers`; for the options of the HTTP server. */
export const WITHOUT_NODE_ANSWERS = { requireHostHeader: false } as const

/** What Node would answer by itself, or not at all, is answered in our envelope like everything else. */
export function replaceNodeAnswers(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _, done) => {
    if (hasTooManyHeaders(raw)) return done(tooManyHeaders())
    const isWithoutHost = raw.httpVersion === '1.1' && raw.headers.host === undefined
    done(isWithoutHost ? new RfqError('invalid_request', { detail: 'The header Host is missing.' }) : undefined)
  })
  // An expectation that we do not know may be ignored. @see RFC 9110, section 10.1.1
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    app.routing(request, response),
  )
  app.server.on('connect', (_: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy())
    writeRefusal(socket, new RfqError('method_not_allowed'))
  })
}
