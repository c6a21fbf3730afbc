import { ApiKeyFields, UserFields } from '../../wire/account.ts'
import { QuoteFields } from '../../wire/audit.ts'
import { BestQuote } from '../../wire/best-quote.ts'
import { MarketFields, SeriesFields } from '../../wire/discovery.ts'
import { FailureAnswer } from '../../wire/envelope.ts'
import { HealthFields } from '../../wire/health.ts'
import { PendingAcceptance } from '../../wire/maker-messages.ts'
import { MakerStandingFields } from '../../wire/maker-standing.ts'
import { DomainFields, OrderFields } from '../../wire/order.ts'
import { PositionFields } from '../../wire/positions.ts'
import type { JsonSchema } from '../../wire/reader.ts'
import { RequestParams } from '../../wire/request.ts'
import { ReviewFields } from '../../wire/reviews.ts'

/** What more than one route or event carries, by the name that the documents give it. */
const SHARED: Readonly<Record<string, JsonSchema>> = {
  Series: SeriesFields,
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
  Failure: FailureAnswer,
}

const fieldsOf = (schema: JsonSchema): unknown => (schema as { properties?: object }).properties

// By their fields: a schema that was made optional is a copy, but its fields are the same.
const NAMES = new Map(Object.entries(SHARED).map(([name, schema]) => [fieldsOf(schema), name]))

/** The name of a shared schema; undefined for one that is not. */
export const sharedNameOf = (schema: JsonSchema): string | undefined => NAMES.get(fieldsOf(schema))
