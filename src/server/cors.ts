import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pathOf } from './path.ts'

/** Paths that only their own origin may use, since people's tokens go there (ruling E4). */
const PRIVATE_PATH = /^\/(?:ops|v1\/user)(?:\/|$)/

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers': 'Content-Type, X-API-Key, X-Taker-Secret, Last-Event-ID, Authorization',
  'access-control-max-age': '600',
}

/** Lets browsers of other origins in, without credentials, and answers their preflights (ruling E4). */
export function allowOrigins(app: FastifyInstance, origins: '*' | readonly string[]): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (PRIVATE_PATH.test(pathOf(request))) return done()
    allowOrigin(request, reply, origins)
    if (request.method !== 'OPTIONS') return done()
    reply.code(204).headers(PREFLIGHT).send()
  })
}

function allowOrigin({ headers }: FastifyRequest, reply: FastifyReply, origins: '*' | readonly string[]): void {
  if (origins === '*') {
    reply.header('access-control-allow-origin', '*')
    return
  }
  reply.header('vary', 'Origin')
  if (headers.origin !== undefined && origins.includes(headers.origin)) {
    reply.header('access-control-allow-origin', headers.origin)
  }
}
