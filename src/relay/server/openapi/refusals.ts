import { type ErrorCode, RfqError } from '@rfqctl/protocol/domain/errors'
import { encodeFailure, FAILURE_DATA, FailureAnswer } from '@rfqctl/protocol/wire/envelope'
import type { JsonSchema } from '@rfqctl/protocol/wire/reader'
import { STATUS } from '../errors.ts'
import type { DescribedRoute } from '../route-docs.ts'
import { describeField, exampleOfFields } from './describe-field.ts'
import type { Json, SchemaComponents } from './schemas.ts'

const ALWAYS = ['shutting_down', 'internal_error'] as const

const WITH_BODY = [
  'invalid_request',
  'invalid_json',
  'unsupported_media_type',
  'payload_too_large',
  'request_timeout',
] as const

/** Each code has its actual body as an example. */
export function failureResponses(route: DescribedRoute, components: SchemaComponents): Json {
  return Object.fromEntries(
    refusalsOf(route).map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\``).join(', '),
        ...(codes.some(hasRetryAfter) ? { headers: { 'Retry-After': RETRY_AFTER } } : {}),
        content: {
          'application/json': {
            schema: schemaOf(codes, components),
            examples: Object.fromEntries(codes.map((code) => [code, { value: failureExample(code) }])),
          },
        },
      },
    ]),
  )
}

/** In rising order of status. */
function refusalsOf({ method, params, docs }: DescribedRoute): [status: number, codes: ErrorCode[]][] {
  const codes: ErrorCode[] = [
    ...(docs.errors ?? []),
    ...(method === 'GET' ? [] : WITH_BODY),
    ...(docs.query === undefined && docs.answer !== 'websocket' ? [] : (['invalid_request'] as const)),
    ...(docs.cost === undefined ? [] : (['too_many_requests'] as const)),
    ...(params.length === 0 ? [] : (['not_found'] as const)),
    ...ALWAYS,
  ]
  const unique = [...new Set(codes)]
  const statuses = [...new Set(unique.map((code) => STATUS[code]))].sort((a, b) => a - b)
  return statuses.map((status) => [status, unique.filter((code) => STATUS[code] === status)])
}

const RETRY_AFTER = { description: 'Seconds to wait before trying again.', schema: { type: 'integer', minimum: 1 } }

const dataOf = (code: ErrorCode): Readonly<Record<string, JsonSchema>> => FAILURE_DATA[code] ?? {}

const hasRetryAfter = (code: ErrorCode): boolean => 'retryAfterS' in dataOf(code)

function schemaOf(codes: readonly ErrorCode[], components: SchemaComponents): Json {
  const data = Object.assign({}, ...codes.map(dataOf)) as Record<string, JsonSchema>
  const fields = Object.entries(data).map(([name, schema]) => [
    name,
    { description: describeField(schema, name), ...components.of(schema) },
  ])
  const properties = { code: { enum: codes }, ...Object.fromEntries(fields) }
  return { allOf: [components.of(FailureAnswer), { type: 'object', properties }] }
}

const failureExample = (code: ErrorCode): Json =>
  encodeFailure(new RfqError(code, { data: exampleOfFields(dataOf(code)) }))
