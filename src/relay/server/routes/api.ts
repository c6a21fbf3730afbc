import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createAsyncApi, type RelayAddress, serversAt } from '../openapi/asyncapi.ts'
import { createOpenApi } from '../openapi/openapi.ts'
import { createReference, type ReferenceAssets, referencePolicy } from '../openapi/reference/page.ts'
import { sendPage } from '../pages/send-page.ts'
import type { RouteContext } from '../route-context.ts'
import type { DescribedRoute } from '../route-docs.ts'
import { documentedAs } from '../route-docs.ts'

const ofService = documentedAs({ tag: 'service', cost: 1 })

const JSON_TYPE = 'application/json; charset=utf-8'

/** A client may name a host with or without a port. */
const HOST = /^(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** Documents are made on first use; `routes` includes these routes. */
export function addApiRoutes(app: FastifyInstance, { settings, web }: RouteContext, routes: readonly DescribedRoute[]) {
  const openApi = once(() => JSON.stringify(createOpenApi(routes)))
  const assets: ReferenceAssets = web?.files.reference ?? { scripts: [], styles: [] }
  const asyncApi = once(() => createAsyncApi(routes))
  const reference = once(() =>
    createReference({ openapi: createOpenApi(routes), asyncapi: asyncApi(), software: settings.software, assets }),
  )

  app.get(
    '/openapi.json',
    ofService({ id: 'getOpenApi', summary: 'Describes the HTTP API of the relay', answer: 'application/json' }),
    async (_, reply) => reply.type(JSON_TYPE).send(openApi()),
  )

  app.get(
    '/asyncapi.json',
    ofService({
      id: 'getAsyncApi',
      summary: 'Describes the event streams and the maker WebSocket',
      answer: 'application/json',
    }),
    async (request, reply) => {
      const address = addressOf(request)
      const document = address === null ? asyncApi() : { ...asyncApi(), servers: serversAt(address) }
      return reply.type(JSON_TYPE).send(JSON.stringify(document))
    },
  )

  app.get(
    '/reference',
    ofService({ id: 'getReference', summary: 'Shows the API reference for people', answer: 'text/html' }),
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
