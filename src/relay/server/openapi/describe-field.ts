import { ApiKeyFields, UserFields } from '@rfqctl/protocol/wire/account'
import { QuoteFields } from '@rfqctl/protocol/wire/audit'
import { BestQuote } from '@rfqctl/protocol/wire/best-quote'
import { MarketFields, PackageFields, SeriesFields } from '@rfqctl/protocol/wire/discovery'
import { FailureAnswer } from '@rfqctl/protocol/wire/envelope'
import { HealthFields } from '@rfqctl/protocol/wire/health'
import { PendingAcceptance } from '@rfqctl/protocol/wire/maker-messages'
import { MakerStandingFields } from '@rfqctl/protocol/wire/maker-standing'
import { DomainFields, OrderFields } from '@rfqctl/protocol/wire/order'
import { PositionFields } from '@rfqctl/protocol/wire/positions'
import { fits, type JsonSchema } from '@rfqctl/protocol/wire/reader'
import { RequestParams } from '@rfqctl/protocol/wire/request'
import { ReviewFields } from '@rfqctl/protocol/wire/reviews'
import { RpcAnswerFields, RpcCallFields, RpcFault } from '@rfqctl/protocol/wire/sandbox'
import { described, Text } from '@rfqctl/protocol/wire/schemas'
import type { HeaderName } from '../route-docs.ts'

/** Schemas of more than one route or event, by their names in the documents. */
const SHARED: Readonly<Record<string, JsonSchema>> = {
  Series: SeriesFields,
  Package: PackageFields,
  Market: MarketFields,
  RequestParams,
  BestQuote,
  Quote: QuoteFields,
  Order: OrderFields,
  TypedDataDomain: DomainFields,
  PendingAcceptance,
  Position: PositionFields,
  Review: ReviewFields,
  MakerStanding: MakerStandingFields,
  Health: HealthFields,
  User: UserFields,
  ApiKey: ApiKeyFields,
  RpcCall: RpcCallFields,
  RpcAnswer: RpcAnswerFields,
  RpcFault,
  Failure: FailureAnswer,
}

const fieldsOf = (schema: JsonSchema): unknown => (schema as { properties?: object }).properties

// Identified by their fields: a schema that was made optional is a copy, but has the same ones.
const NAMES = new Map(Object.entries(SHARED).map(([name, schema]) => [fieldsOf(schema), name]))

export const sharedNameOf = (schema: JsonSchema): string | undefined => NAMES.get(fieldsOf(schema))

export const HEADERS: Readonly<Record<HeaderName | 'ETag', JsonSchema>> = {
  'X-Taker-Secret': described(
    Text,
    'The taker secret. Cancelling always needs it; other calls need it only on a locked request.',
    'Zk3v8sQ1mT7yB2nR5wX9cL4hJ6',
  ),
  'Last-Event-ID': described(
    Text,
    'The last event received, to resume after; without it, the stream starts with a snapshot.',
    '1000000042',
  ),
  traceparent: described(
    Text,
    'The trace that the call belongs to, as W3C Trace Context has it (version 00); what is not one is ignored. Where the relay traces, its steps are below it.',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  ),
  ETag: described(Text, 'Digest of the answer.', '"tVnhQ2b7m3s4bqgEJ6ZQxA"'),
}

type Keywords = JsonSchema & {
  description?: string
  examples?: readonly unknown[]
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
}

/** A field that may be null means what its value means. */
function meaningOf(schema: Keywords): Pick<Keywords, 'description' | 'examples'> {
  const { description, anyOf } = schema
  return description === undefined && anyOf?.[0] !== undefined ? meaningOf(anyOf[0]) : schema
}

/** Throws for a field without a description, so that every field has one. */
export function describeField(schema: JsonSchema, name: string): string {
  const { description } = meaningOf(schema)
  if (description === undefined) throw new Error(`the schema of ${name} has no description`)
  return description
}

/** Built from the examples of the fields. Throws for a field without one. */
export function exampleOf(schema: JsonSchema, name: string): unknown {
  const { const: only, enum: values, anyOf, items, properties } = schema as Keywords
  const example = meaningOf(schema).examples?.find((value) => fits(schema, value))
  if (example !== undefined) return example
  if (only !== undefined) return only
  if (values !== undefined) return values[0]
  if (anyOf?.[0] !== undefined) return exampleOf(anyOf[0], name)
  if (items !== undefined) return [exampleOf(items, name)]
  if (properties !== undefined) return exampleOfFields(properties)
  throw new Error(`the schema of ${name} has no example`)
}

export const exampleOfFields = (properties: Readonly<Record<string, JsonSchema>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, exampleOf(schema, name)]))
