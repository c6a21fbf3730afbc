import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pathOf } from '../headers.ts'

/** Routes that only their own origin may use: people's tokens go there, or a sandbox's node is behind them. */
const PRIVATE = /^\/(?:ops|v1\/user|sandbox)(?:\/|$)/

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, PUT, DELETE',
  'access-control-allow-headers': 'Content-Type, X-API-Key, X-Taker-Secret, Last-Event-ID, Authorization, traceparent',
  'access-control-max-age': '600',
}

/** What a page may read of an answer beyond what any page may. */
const EXPOSED = { 'access-control-expose-headers': 'Retry-After, ETag' }

/** Lets browsers of other origins in, without credentials, and answers their preflights. */
export function allowOrigins(app: FastifyInstance, origins: '*' | readonly string[]): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (isPrivate(request)) return done()
    allowOrigin(request, reply, origins)
    if (request.method !== 'OPTIONS') return done()
    reply.code(204).headers(PREFLIGHT).send()
  })
}

/** By the route that was found; a preflight has none, and is judged by its path as the router reads it, or not at all. */
function isPrivate(request: FastifyRequest): boolean {
  const { url } = request.routeOptions
  if (url !== undefined) return PRIVATE.test(url)
  try {
    return PRIVATE.test(decodeURIComponent(pathOf(request)))
  } catch {
    return true
  }
}

function allowOrigin({ headers }: FastifyRequest, reply: FastifyReply, origins: '*' | readonly string[]): void {
  if (origins === '*') {
    reply.headers({ 'access-control-allow-origin': '*', ...EXPOSED })
    return
  }
  reply.header('vary', 'Origin')
  if (headers.origin !== undefined && origins.includes(headers.origin)) {
    reply.headers({ 'access-control-allow-origin': headers.origin, ...EXPOSED })
  }
}
