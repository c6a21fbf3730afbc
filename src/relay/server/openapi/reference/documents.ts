/** Only the keywords that the page reads. */
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

export type OpenApiDoc = {
  info: { title: string; version: string; description: string }
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, OperationDoc>>>>
  components: {
    schemas: Readonly<Record<string, SchemaDoc>>
    securitySchemes: Readonly<Record<string, SecuritySchemeDoc>>
  }
}

/** A key in a header or the query, or a bearer token. */
export type SecuritySchemeDoc = { type: string; in?: string; name?: string; description: string }

export type MessageDoc = {
  name: string
  summary: string
  payload: SchemaDoc
  examples: readonly { payload: unknown }[]
}

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
