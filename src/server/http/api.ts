import type { FastifyInstance } from 'fastify'
import { createAsyncApi } from '../api/asyncapi.ts'
import { createOpenApi } from '../api/openapi.ts'
import type { DescribedRoute } from '../api/routes.ts'
import { documented } from '../docs.ts'
import { createReference, REFERENCE_POLICY } from '../reference/page.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const HTML_TYPE = 'text/html; charset=utf-8'

/** The relay's own description, made when somebody first asks for it; `routes` are all routes, these among them. */
export function addApiRoutes(app: FastifyInstance, routes: readonly DescribedRoute[]): void {
  const openApi = createText(() => JSON.stringify(createOpenApi(routes)))
  const asyncApi = createText(() => JSON.stringify(createAsyncApi(routes)))
  const reference = createText(() =>
    createReference({ openapi: createOpenApi(routes), asyncapi: createAsyncApi(routes) }),
  )

  app.get(
    '/openapi.json',
    documented({
      id: 'getOpenApi',
      summary: 'Describes the HTTP side of the relay',
      tag: 'service',
      answer: 'application/json',
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
    }),
    async (_, reply) => reply.type(JSON_TYPE).send(asyncApi()),
  )

  app.get(
    '/reference',
    documented({ id: 'getReference', summary: 'Shows the API to people', tag: 'service', answer: 'text/html' }),
    async (_, reply) =>
      reply
        .headers({ 'content-security-policy': REFERENCE_POLICY, 'x-content-type-options': 'nosniff' })
        .type(HTML_TYPE)
        .send(reference()),
  )
}

/** A text, made once. */
function createText(make: () => string): () => string {
  let text: string | undefined
  return () => {
    text ??= make()
    return text
  }
}
