import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pathOf } from '../headers.ts'

/** Only their own origin may use these: people's tokens go there, or a sandbox's node is behind them. */
const PRIVATE = /^\/(?:ops|v1\/user|sandbox)(?:\/|$)/

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, PUT, DELETE',
  'access-control-allow-headers': 'Content-Type, X-API-Key, X-Taker-Secret, Last-Event-ID, Authorization, traceparent',
  'access-control-max-age': '600',
}

/** Headers that a page may read beyond the safelisted ones. */
const EXPOSED = { 'access-control-expose-headers': 'Retry-After, ETag' }

/** Allows calls without credentials only, and answers preflights. */
export function allowOrigins(app: FastifyInstance, origins: '*' | readonly string[]): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (isPrivate(request)) return done()
    allowOrigin(request, reply, origins)
    if (request.method !== 'OPTIONS') return done()
    reply.code(204).headers(PREFLIGHT).send()
  })
}

/** A preflight has no route: its path decides, decoded as the router does, and private if it cannot be decoded. */
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
