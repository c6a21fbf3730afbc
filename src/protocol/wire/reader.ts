import type { Static, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { Check } from 'typebox/value'
import { RfqError } from '../domain/errors.ts'

// Only the first error is ever shown: the others would consist of what a stranger sends.
Settings.Set({ maxErrors: 1 })

/** Fields that an object of a body may have beyond those that it knows. */
const MAX_UNKNOWN_FIELDS = 64

/** A JSON schema of a body, an answer or an event; the documents of the API are made from it. */
export type JsonSchema = TSchema

/** Turns an unknown value into one of a known shape, or refuses it with `invalid_request`, naming field and value. */
export type Reader<Schema extends JsonSchema> = (value: unknown) => Static<Schema>

/**
 * A reader of what the relay sends: unknown fields are let through. Each leaf's `must` is a noun phrase that completes
 * "must be". The validator is compiled when it is first used, so that a command that needs none starts fast.
 */
export function createReader<Schema extends JsonSchema>(schema: Schema, name: string): Reader<Schema> {
  let compiled: Validator | undefined
  return (value) => {
    compiled ??= Compile(schema as JsonSchema)
    if (!compiled.Check(value)) throw refusal(compiled, value, name)
    return value as Static<Schema>
  }
}

/**
 * A reader of what clients send. Beyond `createReader` it refuses a name that equals an optional field once case, `_`
 * and `-` are dropped: a mistyped protection must not be ignored.
 */
export function createBodyReader<Schema extends JsonSchema>(schema: Schema): Reader<Schema> {
  const read = createReader(schema, 'the body')
  const levels = levelsOf(schema, [])
  return (value) => {
    for (const level of levels) refuseTooManyFields(level, valueAt(value, level.path))
    const body = read(value)
    for (const level of levels) refuseNearMisses(level, valueAt(body, level.path))
    return body
  }
}

/** Whether a value has the shape of a schema, checked without compiling it: for what is asked once. */
export const fits = (schema: JsonSchema, value: unknown): boolean => Check(schema, value)

/** The refusal of one field. `must` completes "must be"; a null `value` is shown as null, undefined as nothing. */
export function invalidField(field: string, must: string, value: unknown): RfqError {
  return new RfqError('invalid_request', { detail: `${field} must be ${must}, got ${show(value)}` })
}

/** An object of a body: the names it knows, and its optional ones by their folded form. */
type Level = { path: readonly string[]; known: ReadonlySet<string>; optional: ReadonlyMap<string, string> }

type ObjectSchema = JsonSchema & { properties: Record<string, JsonSchema>; required?: readonly string[] }

const isObjectSchema = (schema: JsonSchema): schema is ObjectSchema => 'properties' in schema

const fold = (name: string): string => name.toLowerCase().replace(/[_-]/g, '')

function levelsOf(schema: JsonSchema, path: readonly string[]): Level[] {
  if (!isObjectSchema(schema)) return []
  const names = Object.keys(schema.properties)
  const optional = names.filter((name) => !schema.required?.includes(name))
  const here = { path, known: new Set(names), optional: new Map(optional.map((name) => [fold(name), name])) }
  const below = names.flatMap((name) => levelsOf(schema.properties[name] as JsonSchema, [...path, name]))
  return [here, ...below]
}

/** Each field is looked at more than once, and a body has room for thousands. */
function refuseTooManyFields({ path, known }: Level, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const { length } = Object.keys(value)
  if (length <= known.size + MAX_UNKNOWN_FIELDS) return
  throw new RfqError('invalid_request', { detail: `${path.join('.') || 'the body'} has ${length} fields` })
}

function refuseNearMisses({ path, known, optional }: Level, value: unknown): void {
  for (const name of Object.keys(value ?? {})) {
    if (known.has(name)) continue
    const meant = optional.get(fold(name))
    if (meant === undefined) continue
    const detail = `${[...path, show(name)].join('.')} is not a field; did you mean ${meant}?`
    throw new RfqError('invalid_request', { detail })
  }
}

function refusal(validator: Validator, value: unknown, name: string): RfqError {
  const [error] = validator.Errors(value)
  if (error === undefined) return invalidField(name, 'as the schema says', value)
  const parent = error.instancePath.split('/').slice(1)
  const path = error.keyword === 'required' ? [...parent, error.params.requiredProperties[0] as string] : parent
  const schema = schemaAt(validator.Type(), path)
  if (schema === undefined) {
    return new RfqError('invalid_request', { detail: `${show(path.join('.'))} is not a field of ${name}` })
  }
  const found = schema.writeOnly === true ? 'something else' : show(valueAt(value, path))
  const must = schema.must ?? (error.keyword === 'type' ? 'an object' : 'as the schema says')
  return new RfqError('invalid_request', { detail: `${path.join('.') || name} must be ${must}, got ${found}` })
}

function schemaAt(
  root: JsonSchema,
  path: readonly string[],
): (JsonSchema & { must?: string; writeOnly?: boolean }) | undefined {
  let schema: JsonSchema | undefined = root
  for (const name of path) schema = schema === undefined ? undefined : partOf(schema, name)
  return schema
}

/** A field of an object, also of one that may be null, or what a list is of. */
function partOf(schema: JsonSchema, name: string): JsonSchema | undefined {
  const { anyOf, items } = schema as { anyOf?: readonly JsonSchema[]; items?: JsonSchema }
  if (anyOf?.[0] !== undefined) return partOf(anyOf[0], name)
  return isObjectSchema(schema) ? schema.properties[name] : items
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value)
}

/** A value as a short text that is safe in a message; nested ones are only named, since they may be of any depth. */
function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value !== 'string') return String(value)
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
}
