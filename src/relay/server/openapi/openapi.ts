import * as field from '@rfqctl/protocol/wire/field'
import type { JsonSchema } from '@rfqctl/protocol/wire/reader'
import { API_VERSION } from '@rfqctl/protocol/wire/status'
import { MAX_PARAM_LENGTH } from '../headers.ts'
import type { Credential, DescribedRoute, HeaderName, RouteDocs, Tag } from '../route-docs.ts'
import { describeField, exampleOf, HEADERS } from './describe-field.ts'
import { failureResponses } from './refusals.ts'
import { createSchemaComponents, type Json, type SchemaComponents } from './schemas.ts'
import { openApiSchemes, securityOf } from './security.ts'

const DESCRIPTION = `A non-custodial request-for-quote relay for European options on the YES outcome of binary prediction
markets. Takers open quote requests, makers answer with quotes and sign, trades settle on chain.

Streams and the maker WebSocket are in the AsyncAPI document at \`/asyncapi.json\`. Every failure is
\`{"success": false, "error", "code", ...}\`; \`code\` is stable, \`error\` is for people.`

const TAGS: Readonly<Record<Tag, string>> = {
  discovery: 'What can be traded; public.',
  trading: 'Quote requests of takers; open to all.',
  maker: 'Quotes and signatures of makers.',
  settlement: 'Resolutions of expired series.',
  testnet: 'Test money.',
  account: 'The signed-in user and their maker API keys.',
  service: 'The relay itself.',
  operations: 'What operators inspect and decide.',
}

const NOT_MODIFIED = { description: 'Nothing has changed since the answer with that ETag.' }

export function createOpenApi(routes: readonly DescribedRoute[]): Json {
  const components = createSchemaComponents()
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) {
    paths[route.path] ??= {}
    Object.assign(paths[route.path] as object, { [route.method.toLowerCase()]: operationOf(route, components) })
  }
  const used = new Set(routes.map(({ docs }) => docs.tag))
  const tags = (Object.keys(TAGS) as Tag[]).filter((tag) => used.has(tag))
  const credentials = new Set(routes.flatMap(({ docs }): Credential[] => (docs.credential ? [docs.credential] : [])))
  return {
    openapi: '3.1.0',
    info: {
      title: 'rfqctl relay',
      version: API_VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The relay that this document comes from.' }],
    tags: tags.map((name) => ({ name, description: TAGS[name] })),
    paths,
    components: { securitySchemes: openApiSchemes(credentials), schemas: components.shared() },
  }
}

function operationOf(route: DescribedRoute, components: SchemaComponents): Json {
  const { id, summary, details, tag, credential, body } = route.docs
  const parameters = parametersOf(route, components)
  return {
    operationId: id,
    summary,
    ...(details === undefined ? {} : { description: details }),
    tags: [tag],
    security: securityOf(credential),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: jsonContent(body, components, 'body') } }),
    responses: { ...successResponses(route.docs, components), ...failureResponses(route, components) },
  }
}

function parametersOf({ params, docs }: DescribedRoute, components: SchemaComponents): Json[] {
  const { query, headers = [], isTagged } = docs
  return [
    ...params.map((name) => textParameter('path', name, parameterOf(name, docs))),
    ...(query === undefined ? [] : queryParameters(query, components)),
    ...headers.map((name: HeaderName) => textParameter('header', name, HEADERS[name])),
    ...(isTagged ? [textParameter('header', 'If-None-Match', HEADERS.ETag)] : []),
  ]
}

const PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  requestId: field.requestId,
  seriesId: field.seriesId,
  quoteId: field.quoteId,
  makerId: field.makerId,
}

export function parameterOf(name: string, { params }: RouteDocs): JsonSchema {
  const schema = params?.[name] ?? PARAMETERS[name]
  if (schema === undefined) throw new Error(`the parameter ${name} has no description`)
  return schema
}

const textParameter = (place: 'path' | 'header', name: string, meaning: JsonSchema): Json => ({
  name,
  in: place,
  required: place === 'path',
  description: describeField(meaning, name),
  schema: { type: 'string', ...(place === 'path' ? { maxLength: MAX_PARAM_LENGTH } : {}) },
  example: exampleOf(meaning, name),
})

function queryParameters(query: JsonSchema, components: SchemaComponents): Json[] {
  const { properties, required = [] } = query as { properties: Record<string, JsonSchema>; required?: string[] }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description: describeField(schema, name),
    schema: components.of(schema),
    example: exampleOf(schema, name),
  }))
}

const jsonContent = (schema: JsonSchema, components: SchemaComponents, name: 'body' | 'answer' = 'answer'): Json => ({
  'application/json': { schema: components.of(schema), example: exampleOf(schema, name) },
})

function successResponses({ answer, isTagged, isPageToo }: RouteDocs, components: SchemaComponents): Json {
  if (answer === 'websocket') return { 101: { description: 'Switches to a WebSocket; see the AsyncAPI document.' } }
  const content =
    typeof answer === 'string' ? { [answer]: { schema: schemaOfMedia(answer) } } : jsonContent(answer, components)
  const etag = { ETag: { description: describeField(HEADERS.ETag, 'ETag'), schema: { type: 'string' } } }
  return {
    200: {
      description: 'Success.',
      ...(isTagged ? { headers: etag } : {}),
      content: { ...content, ...(isPageToo ? { 'text/html': { schema: schemaOfMedia('text/html') } } : {}) },
    },
    ...(isTagged ? { 304: NOT_MODIFIED } : {}),
  }
}

const schemaOfMedia = (media: string): Json => ({ type: media === 'application/json' ? 'object' : 'string' })
