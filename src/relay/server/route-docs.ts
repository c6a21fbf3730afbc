import type { ErrorCode } from '@rfqctl/protocol/domain/errors'
import type { JsonSchema } from '@rfqctl/protocol/wire/reader'
import type { FastifyInstance } from 'fastify'

/** What the API documents say of a route; kept in its `config.docs`, made of the very schemas that decode and encode. */
export type RouteDocs = {
  /** The name of the operation, for those who generate code. */
  id: string
  summary: string
  /** What a caller must know beyond the summary, in a few sentences. */
  details?: string
  tag: Tag
  credential?: Credential
  /** Parameters of the path that are described under another name. */
  params?: Readonly<Record<string, string>>
  query?: JsonSchema
  headers?: readonly HeaderName[]
  body?: JsonSchema
  answer: JsonSchema | MediaType | 'websocket'
  /** Whether the answer has an ETag, and may be 304. */
  isTagged?: true
  /** Whether browsers get a page instead. */
  isPageToo?: true
  /**
   * What an anonymous request costs the relay, in units of about one opened request: it is taken from what the client's
   * address may ask for. Absent where a request is about as cheap as `/healthz`, or carries a credential.
   */
  cost?: number
  /** The codes beyond those that any route of its kind may answer. */
  errors?: readonly ErrorCode[]
}

/** What a route belongs to. */
export type Tag = 'discovery' | 'trading' | 'maker' | 'settlement' | 'testnet' | 'account' | 'service' | 'operations'

/** What a caller must show. */
export type Credential = 'maker' | 'makerSocket' | 'account' | 'settlement' | 'operator'

/** A header that a route reads, beyond those that carry its credential. */
export type HeaderName = 'X-Taker-Secret' | 'Last-Event-ID' | 'traceparent'

/** An answer that no schema describes. */
export type MediaType = 'application/json' | 'text/event-stream' | 'text/html' | 'text/plain'

/** The options of a route that documents itself. */
export const documented = (docs: RouteDocs): { config: { docs: RouteDocs } } => ({ config: { docs } })

/** The options of a page and of what pages load: no operations of the API, which the documents leave out. */
export const forPeople = { config: { isForPeople: true } } as const

/** A route as the documents tell of it; `path` as OpenAPI writes it: `/v1/series/{seriesId}`. */
export type DescribedRoute = { method: string; path: string; params: readonly string[]; docs: RouteDocs }

/**
 * The routes of an app as they are added to it; call it before. A route that does not document itself stops the start,
 * so that the documents miss nothing.
 */
export function collectRoutes(app: FastifyInstance): readonly DescribedRoute[] {
  const routes: DescribedRoute[] = []
  app.addHook('onRoute', ({ method, url, config }) => {
    const { docs, isForPeople } = (config ?? {}) as { docs?: RouteDocs; isForPeople?: true }
    if (isForPeople) return
    if (docs === undefined) throw new Error(`the route ${url} does not document itself`)
    const params = [...url.matchAll(/:([^/]+)/g)].map(([, name]) => name as string)
    const path = url.replaceAll(/:([^/]+)/g, '{$1}')
    // Whatever has a GET takes a HEAD, too.
    for (const name of [method].flat()) if (name !== 'HEAD') routes.push({ method: name, path, params, docs })
  })
  return routes
}
