import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createAsyncApi, type RelayAddress, serversAt } from '../openapi/asyncapi.ts'
import { createOpenApi } from '../openapi/openapi.ts'
import { createReference, type ReferenceAssets, referencePolicy } from '../openapi/reference/page.ts'
import { sendPage } from '../pages/send-page.ts'
import type { RouteContext } from '../route-context.ts'
import type { DescribedRoute } from '../route-docs.ts'
import { documented } from '../route-docs.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** A client may name a host with or without a port. */
const HOST = /^(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** Documents are made on first use; `routes` includes these routes. */
export function addApiRoutes(
  app: FastifyInstance,
  { settings, web }: RouteContext,
  routes: readonly DescribedRoute[],
): void {
  const openApi = once(() => JSON.stringify(createOpenApi(routes)))
  const assets: ReferenceAssets = web?.files.reference ?? { scripts: [], styles: [] }
  const asyncApi = once(() => createAsyncApi(routes))
  const reference = once(() =>
    createReference({ openapi: createOpenApi(routes), asyncapi: asyncApi(), software: settings.software, assets }),
  )

  app.get(
    '/openapi.json',
    documented({
      id: 'getOpenApi',
      summary: 'Describes the HTTP API of the relay',
      tag: 'service',
      answer: 'application/json',
      cost: 1,
    }),
    async (_, reply) => reply.type(JSON_TYPE).send(openApi()),
  )

  app.get(
    '/asyncapi.json',
    documented({
      id: 'getAsyncApi',
      summary: 'Describes the event streams and the maker WebSocket',
      tag: 'service',
      answer: 'application/json',
      cost: 1,
    }),
    async (request, reply) => {
      const address = addressOf(request)
      const document = address === null ? asyncApi() : { ...asyncApi(), servers: serversAt(address) }
      return reply.type(JSON_TYPE).send(JSON.stringify(document))
    },
  )

  app.get(
    '/reference',
    documented({
      id: 'getReference',
      summary: 'Shows the API reference for people',
      tag: 'service',
      answer: 'text/html',
      cost: 1,
    }),
    async (_, reply) => sendPage(reply, { html: reference(), policy: referencePolicy(assets) }),
  )
}

/** The address that a trusted proxy or the client names; null where it is not a host. */
const addressOf = ({ host, protocol }: FastifyRequest): RelayAddress | null =>
  HOST.test(host) ? { host, isSecure: protocol === 'https' } : null

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
