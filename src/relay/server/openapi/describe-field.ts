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
import { DESCRIPTIONS, type Description } from './descriptions.ts'

/** `within` names the schema or the field around it. */
export type FieldPlace = { name: string; within?: string | undefined }

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

/** Throws for a field without a description, so that every field has one. */
export function describeField(place: FieldPlace): string {
  const [meaning] = find(place) ?? []
  if (meaning === undefined) throw new Error(`descriptions.ts does not describe ${place.name} (in ${place.within})`)
  return meaning
}

type Keywords = JsonSchema & {
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
}

/** Built from the examples of the fields. Throws for a field without one that fits. */
export function exampleOf(schema: JsonSchema, place: FieldPlace): unknown {
  const [, ...examples] = find(place) ?? []
  const example = examples.find((value) => fits(schema, value))
  if (example !== undefined) return example
  const { const: only, enum: values, anyOf, items, properties } = schema as Keywords
  if (only !== undefined) return only
  if (values !== undefined) return values[0]
  if (anyOf !== undefined) return exampleOf(anyOf[0] as JsonSchema, place)
  if (items !== undefined) return [exampleOf(items, place)]
  if (properties !== undefined) return exampleOfFields(properties, sharedNameOf(schema) ?? place.name)
  throw new Error(`descriptions.ts has no example of ${place.name} (in ${place.within})`)
}

export const exampleOfFields = (
  properties: Readonly<Record<string, JsonSchema>>,
  within?: string,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, exampleOf(schema, { name, within })]))

const find = ({ name, within }: FieldPlace): Description | undefined =>
  DESCRIPTIONS[`${within}.${name}`] ?? DESCRIPTIONS[name]
