import type { JsonSchema } from '@rfqctl/protocol/wire/reader'
import { describeField, sharedNameOf } from './describe-field.ts'

export type Json = { readonly [name: string]: unknown }

/** Shared schemas are components that the others refer to. */
export type SchemaComponents = ReturnType<typeof createSchemaComponents>

type Keywords = JsonSchema & {
  must?: string
  writeOnly?: boolean
  description?: string
  examples?: readonly unknown[]
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
}

export function createSchemaComponents() {
  /** Only those that were referred to. */
  const shared: Record<string, Json> = {}

  function of(schema: JsonSchema): Json {
    const name = sharedNameOf(schema)
    if (name === undefined) return toJson(schema)
    shared[name] ??= toJson(schema)
    return { $ref: `#/components/schemas/${name}` }
  }

  /** `must` is for refusals, not for documents; a field has the description, and the whole message the example. */
  function toJson(schema: JsonSchema): Json {
    const { must: _, description: __, examples: ___, writeOnly, properties, items, anyOf, ...rest } = schema as Keywords
    return {
      ...rest,
      ...(writeOnly === true && anyOf === undefined ? { format: 'password' } : {}),
      ...(anyOf === undefined ? {} : { anyOf: anyOf.map(of) }),
      ...(items === undefined ? {} : { items: of(items) }),
      ...(properties === undefined ? {} : { properties: fieldsToJson(properties) }),
    }
  }

  const fieldsToJson = (properties: Record<string, JsonSchema>): Json =>
    Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, fieldToJson(schema, name)]))

  function fieldToJson(schema: JsonSchema, name: string): Json {
    const json = of(schema)
    return '$ref' in json ? json : { description: describeField(schema, name), ...json }
  }

  return { of, shared: (): Json => shared }
}
