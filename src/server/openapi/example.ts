import { fits } from '../../wire/fits.ts'
import type { JsonSchema } from '../../wire/reader.ts'
import { sharedNameOf } from './shared.ts'
import { examplesOf, type Place } from './vocabulary.ts'

type Keywords = JsonSchema & {
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
}

/**
 * A value that a schema describes, put together from the examples of the vocabulary. Throws for a leaf whose word has no
 * example that fits: then the vocabulary misses one.
 */
export function exampleOf(schema: JsonSchema, place: Place): unknown {
  const example = examplesOf(place).find((value) => fits(schema, value))
  if (example !== undefined) return example
  const { const: only, enum: values, anyOf, items, properties } = schema as Keywords
  if (only !== undefined) return only
  if (values !== undefined) return values[0]
  if (anyOf !== undefined) return exampleOf(anyOf[0] as JsonSchema, place)
  if (items !== undefined) return [exampleOf(items, place)]
  if (properties !== undefined) return exampleOfFields(properties, sharedNameOf(schema) ?? place.word)
  throw new Error(`words.ts has no example of ${place.word} (in ${place.within})`)
}

/** The same for the fields of an object. */
export const exampleOfFields = (
  properties: Readonly<Record<string, JsonSchema>>,
  within?: string,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).map(([word, schema]) => [word, exampleOf(schema, { word, within })]))
