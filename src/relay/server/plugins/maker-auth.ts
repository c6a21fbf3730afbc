import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Meter } from '../../core/ports/operations.ts'
import type { Log } from '../../core/ports/runtime.ts'
import type { MakerIdentity } from '../../core/relay.ts'
import { clientAddressOf } from '../client-address.ts'
import type { RouteContext } from '../route-context.ts'
import { isPlainHost } from './own-pages.ts'

const MAKER = 'maker'

/** Charged to a client address for a key that is wrong, or has to be looked up. */
export const UNKNOWN_KEY_COST = 1

/** Names of this machine, as a browser writes them. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

export type AuthenticatedMaker = MakerIdentity & { apiKey: string | null }

/** Runs before bodies are read, so that a bad key is refused first (decision Q4). */
export function requireMaker(scope: FastifyInstance, context: Pick<RouteContext, 'relay' | 'onQueryKey' | 'charge'>) {
  const { relay } = context
  scope.decorateRequest(MAKER, null)
  scope.addHook('onRequest', (request, _, done) => {
    if (relay.openMode && !isFromHere(request)) return done(new RfqError('origin_not_allowed'))
    const apiKey = apiKeyOf(request, context)
    const accept = ({ makerId, key }: MakerIdentity) => {
      request.setDecorator<AuthenticatedMaker>(MAKER, { makerId, key, apiKey })
      done()
    }
    const maker = relay.authenticateMaker(apiKey, () => context.charge(clientAddressOf(request), UNKNOWN_KEY_COST))
    if (maker instanceof Promise) maker.then(accept, done)
    else accept(maker)
  })
}

/** Only for requests that `requireMaker` let through. */
export const makerOf = (request: FastifyRequest): AuthenticatedMaker => request.getDecorator<AuthenticatedMaker>(MAKER)

/** For state of a single maker: those without a key share one id, and none may act for the others. */
export function namedMakerOf(request: FastifyRequest): string {
  const { makerId } = makerOf(request)
  if (makerId === 'anonymous') throw new RfqError('invalid_api_key')
  return makerId
}

/** Counts a key in the query. */
export function apiKeyOf(request: FastifyRequest, { onQueryKey }: Pick<RouteContext, 'onQueryKey'>): string | null {
  if (keyInHeader(request) === null && keyInQuery(request) !== null) onQueryKey()
  return keyOf(request)
}

export const keyOf = (request: FastifyRequest): string | null => keyInHeader(request) ?? keyInQuery(request)

const keyInHeader = ({ headers }: FastifyRequest): string | null => textOf(headers['x-api-key'])

/** A key given twice arrives as a list, which matches no key. */
const keyInQuery = ({ query }: FastifyRequest): string | null => textOf((query as { apiKey?: unknown }).apiKey)

const textOf = (key: unknown): string | null => (key === undefined || key === '' ? null : String(key))

/** Proxies and browser histories keep a key from a query: each is counted, and the first one logged (decision M6). */
export function createQueryKeyWarning({ log, meter }: { log: Log; meter: Meter }): () => void {
  let warned = false
  return () => {
    meter.keyInQuery()
    if (!warned) log.warn('api_key_in_query', { reason: 'proxies may log it: send X-API-Key or an auth message' })
    warned = true
  }
}

/**
 * False for a web page from elsewhere, recognized by its origin or, with DNS rebinding, by its host name. An open relay
 * listens on the loopback only and has no key to distinguish a maker from a page that a visitor happens to look at
 * (decision M5).
 */
export const isFromHere = ({ headers: { host = '', origin } }: FastifyRequest): boolean =>
  isPlainHost(host) && (origin === undefined || isLocal(origin))

const isLocal = (origin: string): boolean => URL.canParse(origin) && LOOPBACK.has(new URL(origin).hostname)
