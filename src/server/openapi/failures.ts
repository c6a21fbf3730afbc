import { type ErrorCode, RfqError } from '../../domain/errors.ts'
import { encodeFailure, FailureAnswer } from '../../wire/envelope.ts'
import { FAILURE_DATA } from '../../wire/failure-data.ts'
import type { JsonSchema } from '../../wire/reader.ts'
import { refusalsOf } from './codes.ts'
import { exampleOfFields } from './example.ts'
import type { DescribedRoute } from './routes.ts'
import type { Json, SchemaBook } from './schemas.ts'
import { meaningOf } from './vocabulary.ts'

/** The refusals of a route as OpenAPI responses by status, each code with the very body that it is answered with. */
export function failureResponses(route: DescribedRoute, book: SchemaBook): Json {
  return Object.fromEntries(
    refusalsOf(route).map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\``).join(', '),
        ...(codes.some(saysWhen) ? { headers: { 'Retry-After': RETRY_AFTER } } : {}),
        content: {
          'application/json': {
            schema: schemaOf(codes, book),
            examples: Object.fromEntries(codes.map((code) => [code, { value: failureExample(code) }])),
          },
        },
      },
    ]),
  )
}

const RETRY_AFTER = { description: 'Seconds to wait before trying again.', schema: { type: 'integer', minimum: 1 } }

const dataOf = (code: ErrorCode): Readonly<Record<string, JsonSchema>> => FAILURE_DATA[code] ?? {}

const saysWhen = (code: ErrorCode): boolean => 'retryAfterS' in dataOf(code)

function schemaOf(codes: readonly ErrorCode[], book: SchemaBook): Json {
  const data = Object.assign({}, ...codes.map(dataOf)) as Record<string, JsonSchema>
  const fields = Object.entries(data).map(([word, schema]) => [
    word,
    { description: meaningOf({ word }), ...book.of(schema) },
  ])
  const properties = { code: { enum: codes }, ...Object.fromEntries(fields) }
  return { allOf: [book.of(FailureAnswer), { type: 'object', properties }] }
}

const failureExample = (code: ErrorCode): Json =>
  encodeFailure(new RfqError(code, { data: exampleOfFields(dataOf(code)) }))
