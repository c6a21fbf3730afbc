import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { MakerIdentity } from '../relay/relay.ts'
import { assertOriginOfMaker } from './open-mode.ts'
import type { RouteContext } from './route-context.ts'

const MAKER = 'maker'

/** A maker as its request named it. */
export type AuthenticatedMaker = MakerIdentity & { apiKey: string | null }

/** Makes room for the maker of a request. */
export const acceptMakers = (app: FastifyInstance): void => void app.decorateRequest(MAKER, null)

/** Lets only makers on; comes before the body is read, so that a bad key is refused first (decision Q4). */
export const requireMaker =
  (context: RouteContext): onRequestHookHandler =>
  (request, _, done) => {
    const apiKey = apiKeyOf(request, context)
    const letOn = ({ makerId, key }: MakerIdentity) => {
      request.setDecorator<AuthenticatedMaker>(MAKER, { makerId, key, apiKey })
      done()
    }
    const authenticate = () => {
      const maker = context.relay.authenticateMaker(apiKey)
      if (maker instanceof Promise) maker.then(letOn, done)
      else letOn(maker)
    }
    // Only browsers say where they come from.
    const { origin } = request.headers
    if (origin === undefined) authenticate()
    else assertOriginOfMaker(context.relay, origin).then(authenticate).catch(done)
  }

/** The maker of a request that `requireMaker` let on. */
export const makerOf = (request: FastifyRequest): AuthenticatedMaker => request.getDecorator<AuthenticatedMaker>(MAKER)

/** The key in header or query, null for none. */
export function apiKeyOf(request: FastifyRequest, context: Pick<RouteContext, 'noteQueryKey'>): string | null {
  const header = request.headers['x-api-key']
  return header === undefined || header === '' ? apiKeyInQuery(request, context) : String(header)
}

/** The key in the query, null for none; a key given twice is not one. */
function apiKeyInQuery({ query }: FastifyRequest, { noteQueryKey }: Pick<RouteContext, 'noteQueryKey'>): string | null {
  const { apiKey } = query as { apiKey?: unknown }
  if (apiKey === undefined || apiKey === '') return null
  noteQueryKey()
  return String(apiKey)
}
