import type { FastifyInstance } from 'fastify'
import { createAsyncApi } from '../api/asyncapi.ts'
import { createOpenApi } from '../api/openapi.ts'
import type { DescribedRoute } from '../api/routes.ts'
import type { Json } from '../api/schemas.ts'
import { documented } from '../docs.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** The relay's own description, made when somebody first asks for it. Among its routes are these. */
export function addApiRoutes(app: FastifyInstance, routes: readonly DescribedRoute[]): void {
  const openApi = createText(() => createOpenApi(routes))
  const asyncApi = createText(() => createAsyncApi(routes))

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
}

/** A document as text, made once. */
function createText(document: () => Json): () => string {
  let text: string | undefined
  return () => {
    text ??= JSON.stringify(document())
    return text
  }
}
