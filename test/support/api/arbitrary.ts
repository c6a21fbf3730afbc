import fc, { type Arbitrary } from 'fast-check'

export type Schema = {
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  type?: string
  pattern?: string
  format?: string
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
}

/** Values that a schema describes; most plain texts are taken from `texts`, where meaningful ones are. */
export function arbitraryOf(schema: Schema, texts: Arbitrary<string>): Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom<unknown>(...schema.enum)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((option) => arbitraryOf(option, texts)))
  switch (schema.type) {
    case 'object':
      return objects(schema, texts)
    case 'array':
      return fc.array(arbitraryOf(schema.items ?? {}, texts), { maxLength: 3 })
    case 'string':
      return strings(schema, texts)
    case 'integer':
      return fc.oneof(integers(schema), fc.constantFrom(...edges(schema)))
    case 'number':
      return fc.oneof(prices(schema), fc.double({ ...bounds(schema), noNaN: true }))
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return fc.jsonValue()
  }
}

function objects({ properties = {}, required = [] }: Schema, texts: Arbitrary<string>): Arbitrary<object> {
  const fields: Record<string, Arbitrary<unknown>> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const value = arbitraryOf(schema, texts)
    fields[name] = required.includes(name) ? value : fc.option(value, { nil: undefined })
  }
  return fc.record(fields)
}

function strings({ pattern, format }: Schema, texts: Arbitrary<string>): Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  if (format === 'date-time') {
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString())
  }
  return fc.oneof({ arbitrary: texts, weight: 3 }, { arbitrary: fc.string({ unit: 'grapheme' }), weight: 1 })
}

const bounds = ({ minimum, exclusiveMinimum, maximum }: Schema) => ({
  min: exclusiveMinimum ?? minimum ?? -1e12,
  minExcluded: exclusiveMinimum !== undefined,
  max: maximum ?? 1e12,
})

const integers = ({ minimum = -1e15, maximum = 1e15 }: Schema): Arbitrary<number> =>
  fc.maxSafeInteger().map((n) => minimum + (Math.abs(n) % (maximum - minimum + 1)))

const edges = ({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema): number[] => [minimum, minimum + 1, maximum]

/** Numbers that could be prices or dollars, within the bounds of the schema. */
const prices = (schema: Schema): Arbitrary<number> => {
  const { min, max } = bounds(schema)
  return fc.integer({ min: 1, max: 1_000_000 }).map((micro) => Math.min(max, Math.max(min, micro / 1e6)))
}
