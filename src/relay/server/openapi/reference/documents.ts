/** A schema as the documents write it, as far as the page looks into it. */
export type SchemaDoc = {
  $ref?: string
  description?: string
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  format?: string
  pattern?: string
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  anyOf?: readonly SchemaDoc[]
  items?: SchemaDoc
  properties?: Readonly<Record<string, SchemaDoc>>
  required?: readonly string[]
}

/** A parameter of an operation. */
export type ParameterDoc = {
  name: string
  in: string
  required: boolean
  description: string
  schema: SchemaDoc
  example?: unknown
}

type Content = Readonly<
  Record<string, { schema: SchemaDoc; example?: unknown; examples?: Readonly<Record<string, unknown>> }>
>

/** A route with a method. */
export type OperationDoc = {
  operationId: string
  summary: string
  description?: string
  tags: readonly string[]
  security: readonly object[]
  parameters?: readonly ParameterDoc[]
  requestBody?: { content: Content }
  responses: Readonly<Record<string, { description: string; content?: Content }>>
}

/** The parts of an OpenAPI document that the page shows. */
export type OpenApiDoc = {
  info: { title: string; version: string; description: string }
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, OperationDoc>>>>
  components: {
    schemas: Readonly<Record<string, SchemaDoc>>
    securitySchemes: Readonly<Record<string, SecuritySchemeDoc>>
  }
}

/** A way to show who one is: a key in a header or the query, or a bearer token. */
export type SecuritySchemeDoc = { type: string; in?: string; name?: string; description: string }

/** A message of a channel. */
export type MessageDoc = {
  name: string
  summary: string
  payload: SchemaDoc
  examples: readonly { payload: unknown }[]
}

/** The parts of an AsyncAPI document that the page shows. */
export type AsyncApiDoc = {
  channels: Readonly<
    Record<
      string,
      {
        address: string
        title: string
        summary: string
        description?: string
        messages: Readonly<Record<string, unknown>>
      }
    >
  >
  components: { messages: Readonly<Record<string, MessageDoc>>; schemas: Readonly<Record<string, SchemaDoc>> }
}
