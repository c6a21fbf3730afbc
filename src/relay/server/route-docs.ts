import type { ErrorCode } from '@rfqctl/protocol/domain/errors'
import type { JsonSchema } from '@rfqctl/protocol/wire/reader'
import type { FastifyInstance } from 'fastify'

/** Kept in the route's `config.docs`, and made of the very schemas that decode and encode. */
export type RouteDocs = {
  id: string
  summary: string
  details?: string
  tag: Tag
  credential?: Credential
  /** Schemas of path parameters whose names do not say what they are. */
  params?: Readonly<Record<string, JsonSchema>>
  query?: JsonSchema
  headers?: readonly HeaderName[]
  body?: JsonSchema
  answer: JsonSchema | MediaType | 'websocket'
  /** The answer has an ETag, and may be 304. */
  isTagged?: true
  /** Browsers get a page instead. */
  isPageToo?: true
  /**
   * Units that an anonymous request takes from its client address's allowance, one being about an opened request.
   * Absent where a request is about as cheap as `/healthz`, or carries a credential.
   */
  cost?: number
  /** Codes beyond those that any route of its kind may answer. */
  errors?: readonly ErrorCode[]
}

export type Tag = 'discovery' | 'trading' | 'maker' | 'settlement' | 'testnet' | 'account' | 'service' | 'operations'

export type Credential = 'maker' | 'makerSocket' | 'account' | 'settlement' | 'operator'

export type HeaderName = 'X-Taker-Secret' | 'Last-Event-ID' | 'traceparent'

export type MediaType =
  | 'application/json'
  | 'text/event-stream'
  | 'text/html'
  | 'text/plain'
  | 'application/octet-stream'

export const documented = (docs: RouteDocs): { config: { docs: RouteDocs } } => ({ config: { docs } })

/** Documents the routes of a group: what they share, and the codes that any of them may answer. */
export const documentedAs =
  ({ errors: shared = [], ...common }: Pick<RouteDocs, 'tag' | 'credential' | 'cost' | 'errors'>) =>
  ({ errors = [], ...docs }: Omit<RouteDocs, 'tag' | 'credential'>) =>
    documented({ ...common, ...docs, errors: [...shared, ...errors] })

/** For pages and what they load: the documents of the API leave them out. */
export const forPeople = { config: { isForPeople: true } } as const

/** `path` is in OpenAPI's form: `/v1/series/{seriesId}`. */
export type DescribedRoute = { method: string; path: string; params: readonly string[]; docs: RouteDocs }

/**
 * Must be called before routes are added; they join the list as they are. A route that does not document itself stops
 * the start, so that the documents miss nothing.
 */
export function collectRoutes(app: FastifyInstance): readonly DescribedRoute[] {
  const routes: DescribedRoute[] = []
  app.addHook('onRoute', ({ method, url, config }) => {
    const { docs, isForPeople } = (config ?? {}) as { docs?: RouteDocs; isForPeople?: true }
    if (isForPeople) return
    if (docs === undefined) throw new Error(`the route ${url} does not document itself`)
    // OpenAPI has no wildcard: what follows is one parameter there.
    const named = url.replace('*', ':path')
    const params = [...named.matchAll(/:([^/]+)/g)].map(([, name]) => name as string)
    const path = named.replaceAll(/:([^/]+)/g, '{$1}')
    // Every GET takes a HEAD, too.
    for (const name of [method].flat()) if (name !== 'HEAD') routes.push({ method: name, path, params, docs })
  })
  return routes
}
