import type { ErrorCode } from '../domain/errors.ts'
import type { JsonSchema } from '../wire/reader.ts'

/** What the API documents say of a route; kept in its `config.docs`, made of the very schemas that decode and encode. */
export type RouteDocs = {
  summary: string
  tag: 'discovery' | 'trading' | 'maker' | 'settlement' | 'testnet' | 'service' | 'operations'
  credential?: 'maker' | 'settlement' | 'operator'
  query?: JsonSchema
  body?: JsonSchema
  answer: JsonSchema | 'text/event-stream' | 'text/plain' | 'websocket'
  /** The codes beyond those that any route may answer. */
  errors?: readonly ErrorCode[]
}

/** The options of a route that documents itself. */
export const documented = (docs: RouteDocs): { config: { docs: RouteDocs } } => ({ config: { docs } })
