import type { JsonSchema } from '@rfqctl/protocol/wire/reader'
import { describeField, type FieldPlace, sharedNameOf } from './describe-field.ts'

export type Json = { readonly [name: string]: unknown }

/** Shared schemas are components that the others refer to. */
export type SchemaComponents = {
  /** Describes every field; `name` is the field that has the schema. */
  of: (schema: JsonSchema, name?: string) => Json
  /** Only those that were referred to. */
  shared: () => Json
}

type Keywords = JsonSchema & {
  must?: string
  writeOnly?: boolean
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
}

export function createSchemaComponents(): SchemaComponents {
  const shared: Record<string, Json> = {}

  function of(schema: JsonSchema, name?: string): Json {
    const sharedName = sharedNameOf(schema)
    if (sharedName === undefined) return toJson(schema, name)
    shared[sharedName] ??= toJson(schema, sharedName)
    return { $ref: `#/components/schemas/${sharedName}` }
  }

  /** `must` is for refusals, not for documents. */
  function toJson(schema: JsonSchema, name: string | undefined): Json {
    const { must: _, writeOnly, properties, items, anyOf, ...rest } = schema as Keywords
    return {
      ...rest,
      ...(writeOnly === true && anyOf === undefined ? { format: 'password' } : {}),
      ...(anyOf === undefined ? {} : { anyOf: anyOf.map((option) => of(option, name)) }),
      ...(items === undefined ? {} : { items: of(items, name) }),
      ...(properties === undefined ? {} : { properties: fieldsToJson(properties, name) }),
    }
  }

  const fieldsToJson = (properties: Record<string, JsonSchema>, within: string | undefined): Json =>
    Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, fieldToJson(schema, { name, within })]),
    )

  function fieldToJson(schema: JsonSchema, place: FieldPlace): Json {
    const field = of(schema, place.name)
    return '$ref' in field ? field : { description: describeField(place), ...field }
  }

  return { of, shared: () => shared }
}
