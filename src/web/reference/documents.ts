export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: { type?: string; enum?: readonly unknown[] }
  example?: unknown
}

export type Scheme = { type: string; in?: string; name?: string }

/** `schemes` names the accepted credentials; `isOptional`: it works without, too. */
export type Operation = {
  id: string
  method: string
  path: string
  parameters: readonly Parameter[]
  body: unknown
  schemes: readonly (Scheme & { id: string })[]
  isOptional: boolean
  isStream: boolean
}

type RawOperation = {
  operationId: string
  parameters?: readonly Parameter[]
  requestBody?: { content: Readonly<Record<string, { example?: unknown }>> }
  responses: Readonly<Record<string, { content?: object }>>
  security: readonly Readonly<Record<string, unknown>>[]
}

export type OpenApi = {
  paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>
  components: { securitySchemes: Readonly<Record<string, Scheme>> }
}

export function operationsOf({ paths, components }: OpenApi): ReadonlyMap<string, Operation> {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { responses }]) => !('101' in responses))
      .map(([method, raw]) => toOperation(path, method, raw, components.securitySchemes)),
  )
  return new Map(all.map((operation) => [operation.id, operation]))
}

function toOperation(
  path: string,
  method: string,
  { operationId, parameters = [], requestBody, responses, security }: RawOperation,
  schemes: OpenApi['components']['securitySchemes'],
): Operation {
  const ids = security.flatMap((one) => Object.keys(one))
  return {
    id: operationId,
    method: method.toUpperCase(),
    path,
    parameters,
    body: requestBody?.content['application/json']?.example,
    // A page can set headers: it needs no key in an address, which others log.
    schemes: ids.flatMap((id) =>
      schemes[id] === undefined || schemes[id].in === 'query' ? [] : [{ id, ...schemes[id] }],
    ),
    isOptional: security.some((one) => Object.keys(one).length === 0),
    isStream: 'text/event-stream' in (responses[200]?.content ?? {}),
  }
}
