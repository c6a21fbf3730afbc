import fc, { type Arbitrary } from 'fast-check'
import { arbitraryOf, type Schema } from './arbitrary.ts'

/** A request as it is sent; a body is text already. */
export type GeneratedRequest = {
  operationId: string
  method: string
  path: string
  headers: Readonly<Record<string, string>>
  text: string | undefined
}

type Parameter = { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Schema; example: unknown }
type Operation = {
  operationId: string
  security: readonly Readonly<Record<string, unknown>>[]
  parameters?: readonly Parameter[]
  requestBody?: { content: Readonly<Record<string, { schema: Schema; example: object }>> }
}
type Document = { paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }

export type Knowledge = {
  /** Texts that could mean something where plain text is asked for. */
  texts: readonly string[]
  /** Good credentials by the scheme that carries them. */
  credentials: Readonly<Record<string, readonly string[]>>
}

/** Any request to any operation of an OpenAPI document: as documented, or spoiled in one place. */
export function requestsOf(document: object, knowledge: Knowledge): Arbitrary<GeneratedRequest> {
  const texts = fc.constantFrom(...knowledge.texts)
  const operations = Object.entries((document as Document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  return fc.oneof(
    ...operations.map(({ path, method, operation }) => {
      const parts = fc.record({
        values: fc.tuple(...(operation.parameters ?? []).map((parameter) => parameterValues(parameter, texts))),
        credential: credentialsOf(operation, knowledge),
        body: bodies(operation, texts),
      })
      return parts.map(({ values, credential, body }) =>
        assemble({ path, method, operation, values, credential, body }),
      )
    }),
  )
}

type Value = { parameter: Parameter; value: string | undefined }
type Body = { text: string | undefined; type: string }

function parameterValues(parameter: Parameter, texts: Arbitrary<string>): Arbitrary<Value> {
  const printable = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) })
  const anything = parameter.in === 'header' ? printable : fc.string({ unit: 'grapheme' })
  const documented = arbitraryOf(parameter.schema, texts).map(String)
  const inHeader = /^[\x21-\x7e]*$/
  const value = fc.oneof(
    { arbitrary: fc.constant(String(parameter.example)), weight: 5 },
    { arbitrary: parameter.in === 'header' ? documented.filter((text) => inHeader.test(text)) : documented, weight: 3 },
    { arbitrary: anything, weight: 1 },
  )
  // A path without its last part is another path.
  const isNeeded = parameter.in === 'path' ? value.filter((text) => text !== '') : fc.option(value, { nil: undefined })
  return isNeeded.map((text) => ({ parameter, value: text }))
}

/** Mostly a good credential, sometimes none or a bad one. */
function credentialsOf(
  { security }: Operation,
  { credentials }: Knowledge,
): Arbitrary<{ scheme: string; secret: string } | null> {
  const schemes = security.flatMap((one) => Object.keys(one))
  if (schemes.length === 0) return fc.constant(null)
  const good = schemes.flatMap((scheme) => (credentials[scheme] ?? []).map((secret) => ({ scheme, secret })))
  const bad = schemes.map((scheme) => ({ scheme, secret: 'of-nobody' }))
  return fc.oneof(
    { arbitrary: fc.constantFrom(...good, ...(good.length === 0 ? bad : [])), weight: 9 },
    { arbitrary: fc.constantFrom(null, ...bad), weight: 1 },
  )
}

function bodies({ requestBody }: Operation, texts: Arbitrary<string>): Arbitrary<Body> {
  const type = 'application/json'
  const { schema, example } = requestBody?.content[type] ?? {}
  if (schema === undefined) return fc.constant({ text: undefined, type })
  const whole = arbitraryOf(schema, texts) as Arbitrary<object>
  const json = (value: unknown): Body => ({ text: JSON.stringify(value), type })
  return fc.oneof(
    { arbitrary: whole.map(json), weight: 2 },
    { arbitrary: fc.tuple(whole, fc.maxSafeNat()).map(([other, n]) => json(mix(example, other, n))), weight: 8 },
    {
      arbitrary: fc.tuple(whole, fc.nat(), fc.jsonValue()).map(([value, n, junk]) => json(spoil(value, n, junk))),
      weight: 3,
    },
    {
      arbitrary: fc
        .tuple(fc.string({ unit: 'binary' }), fc.constantFrom(type, 'text/plain', ''))
        .map(([text, media]) => ({ text, type: media })),
      weight: 1,
    },
  )
}

/** The fields of both, where each has some mostly those of the first; `n` says which. */
function mix(one: unknown, other: unknown, n: number): unknown {
  if (!isObject(one) || !isObject(other)) return n % 5 === 0 ? other : one
  const names = Object.keys({ ...one, ...other })
  return Object.fromEntries(names.map((name, i) => [name, mix(one[name], other[name], Math.floor(n / 5 ** (i + 1)))]))
}

/** The same with junk in one place, at any depth. */
function spoil(value: unknown, n: number, junk: unknown): unknown {
  if (!isObject(value)) return junk
  const names = Object.keys(value)
  const name = names[n % (names.length + 1)] ?? 'junk'
  return { ...value, [name]: spoil(value[name], Math.floor(n / (names.length + 1)), junk) }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function assemble({
  path,
  method,
  operation,
  values,
  credential,
  body,
}: {
  path: string
  method: string
  operation: Operation
  values: readonly Value[]
  credential: { scheme: string; secret: string } | null
  body: Body
}): GeneratedRequest {
  const query = new URLSearchParams()
  const headers: Record<string, string> = body.text === undefined ? {} : { 'content-type': body.type }
  let filled = path
  for (const { parameter, value } of values) {
    if (value === undefined) continue
    if (parameter.in === 'path') filled = filled.replace(`{${parameter.name}}`, () => encodeURIComponent(value))
    if (parameter.in === 'query') query.set(parameter.name, value)
    if (parameter.in === 'header') headers[parameter.name.toLowerCase()] = value
  }
  if (credential?.scheme === 'makerKey') headers['x-api-key'] = credential.secret
  else if (credential?.scheme === 'makerKeyInQuery') query.set('apiKey', credential.secret)
  else if (credential !== null) headers.authorization = `Bearer ${credential.secret}`
  const search = query.size === 0 ? '' : `?${query}`
  return { operationId: operation.operationId, method, path: `${filled}${search}`, headers, text: body.text }
}
