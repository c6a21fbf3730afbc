import type { JsonSchema } from '../../wire/reader.ts'
import { sharedNameOf } from './shared.ts'
import { meaningOf } from './vocabulary.ts'

/** Part of a document. */
export type Json = { readonly [name: string]: unknown }

/** The schemas of one document: shared ones are told once and referred to. */
export type SchemaBook = {
  /** A schema as JSON, with the meaning of every field; `word` is what the thing is called that it describes. */
  of: (schema: JsonSchema, word?: string) => Json
  /** The shared schemas that were referred to. */
  shared: () => Json
}

type Keywords = JsonSchema & {
  description?: string
  writeOnly?: boolean
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
}

/** No schema told yet. */
export function createSchemaBook(): SchemaBook {
  const told: Record<string, Json> = {}

  function of(schema: JsonSchema, word?: string): Json {
    const name = sharedNameOf(schema)
    if (name === undefined) return tell(schema, word)
    told[name] ??= tell(schema, name)
    return { $ref: `#/components/schemas/${name}` }
  }

  /** The descriptions of the wire are for refusals; what a field means the vocabulary says. */
  function tell(schema: JsonSchema, word: string | undefined): Json {
    const { description: _, writeOnly, properties, items, anyOf, ...rest } = schema as Keywords
    return {
      ...rest,
      ...(writeOnly === true && anyOf === undefined ? { format: 'password' } : {}),
      ...(anyOf === undefined ? {} : { anyOf: anyOf.map((option) => of(option, word)) }),
      ...(items === undefined ? {} : { items: of(items, word) }),
      ...(properties === undefined ? {} : { properties: tellFields(properties, word) }),
    }
  }

  const tellFields = (properties: Record<string, JsonSchema>, within: string | undefined): Json =>
    Object.fromEntries(Object.entries(properties).map(([word, schema]) => [word, tellField(schema, { word, within })]))

  function tellField(schema: JsonSchema, place: { word: string; within: string | undefined }): Json {
    const field = of(schema, place.word)
    return '$ref' in field ? field : { description: meaningOf(place), ...field }
  }

  return { of, shared: () => told }
}
