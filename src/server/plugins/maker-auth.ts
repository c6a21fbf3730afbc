import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RfqError } from '../../domain/errors.ts'
import type { Meter } from '../../relay/ports/operations.ts'
import type { Log } from '../../relay/ports/runtime.ts'
import type { MakerIdentity, Relay } from '../../relay/relay.ts'
import type { RouteContext } from '../route-context.ts'

const MAKER = 'maker'

/** Host names of this machine, as a browser writes them. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** A maker as its request named it. */
export type AuthenticatedMaker = MakerIdentity & { apiKey: string | null }

/** Lets only makers use the routes of a scope; comes before bodies are read, so that a bad key is refused first (decision Q4). */
export function requireMaker(scope: FastifyInstance, context: Pick<RouteContext, 'relay' | 'onQueryKey'>): void {
  const { relay } = context
  scope.decorateRequest(MAKER, null)
  scope.addHook('onRequest', (request, _, done) => {
    const apiKey = apiKeyOf(request, context)
    const accept = ({ makerId, key }: MakerIdentity) => {
      request.setDecorator<AuthenticatedMaker>(MAKER, { makerId, key, apiKey })
      done()
    }
    const authenticate = () => {
      const maker = relay.authenticateMaker(apiKey)
      if (maker instanceof Promise) maker.then(accept, done)
      else accept(maker)
    }
    // Only browsers say where they come from.
    const { origin } = request.headers
    if (origin === undefined) authenticate()
    else assertOriginOfMaker(relay, origin).then(authenticate).catch(done)
  })
}

/** The maker of a request that `requireMaker` let through. */
export const makerOf = (request: FastifyRequest): AuthenticatedMaker => request.getDecorator<AuthenticatedMaker>(MAKER)

/** The same for what is kept of one maker: those without a key are many under one name, and none may act for the others. */
export function namedMakerOf(request: FastifyRequest): string {
  const { makerId } = makerOf(request)
  if (makerId === 'anonymous') throw new RfqError('invalid_api_key')
  return makerId
}

/** The key in header or query, null for none. */
export function apiKeyOf(request: FastifyRequest, context: Pick<RouteContext, 'onQueryKey'>): string | null {
  const header = request.headers['x-api-key']
  return header === undefined || header === '' ? apiKeyInQuery(request, context) : String(header)
}

/** The key in the query, null for none; a key given twice is not one. */
function apiKeyInQuery({ query }: FastifyRequest, { onQueryKey }: Pick<RouteContext, 'onQueryKey'>): string | null {
  const { apiKey } = query as { apiKey?: unknown }
  if (apiKey === undefined || apiKey === '') return null
  onQueryKey()
  return String(apiKey)
}

/** For a key that came in a query, where proxies and browser histories keep it: counts it, and warns once (decision M6). */
export function createQueryKeyWarning({ log, meter }: { log: Log; meter: Meter }): () => void {
  let warned = false
  return () => {
    meter.keyInQuery()
    if (!warned) log.warn('api_key_in_query', { reason: 'proxies may log it: send X-API-Key or an auth message' })
    warned = true
  }
}

/** Whether a relay takes makers without a key (decision M5). */
export async function isOpen(relay: Pick<Relay, 'authenticateMaker'>): Promise<boolean> {
  try {
    await relay.authenticateMaker(null)
    return true
  } catch {
    return false
  }
}

/**
 * Refuses a browser page from elsewhere with `origin_not_allowed`. Only for a relay in open mode, which listens on the
 * loopback only and has no key to tell a maker from a web page that a visitor happens to look at (decision M5).
 */
export function assertLocalOrigin(origin: string | undefined): void {
  if (origin !== undefined && !isLocal(origin)) throw new RfqError('origin_not_allowed')
}

/** Refuses a maker's call of a browser page from elsewhere where the relay is open. */
async function assertOriginOfMaker(relay: Pick<Relay, 'authenticateMaker'>, origin: string): Promise<void> {
  if (!isLocal(origin) && (await isOpen(relay))) throw new RfqError('origin_not_allowed')
}

const isLocal = (origin: string): boolean => URL.canParse(origin) && LOOPBACK.has(new URL(origin).hostname)
