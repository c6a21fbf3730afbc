import type { Credential } from '../docs.ts'
import type { Json } from './schemas.ts'

type Scheme = { name: string; openapi: Json; asyncapi: Json }

const bearer = (name: string, description: string): Scheme => ({
  name,
  openapi: { type: 'http', scheme: 'bearer', description },
  asyncapi: { type: 'http', scheme: 'bearer', description },
})

const apiKey = (name: string, place: { in: 'header' | 'query'; name: string }, description: string): Scheme => ({
  name,
  openapi: { type: 'apiKey', ...place, description },
  asyncapi: { type: 'httpApiKey', ...place, description },
})

const MAKER_KEY = apiKey(
  'makerKey',
  { in: 'header', name: 'X-API-Key' },
  'A maker API key. A relay in open dev mode takes anyone.',
)

const MAKER_KEY_IN_QUERY = apiKey(
  'makerKeyInQuery',
  { in: 'query', name: 'apiKey' },
  'The same key, for clients that cannot set headers.',
)

/** How each credential is shown; any one of its schemes will do. @see spec "Authentication", rulings M6, O, S1 */
const SCHEMES: Readonly<Record<Credential, readonly Scheme[]>> = {
  maker: [MAKER_KEY, MAKER_KEY_IN_QUERY],
  account: [bearer('accessToken', "An access token of the relay's identity provider.")],
  settlement: [bearer('settlementKey', 'The settlement key, where the relay is set up with one.')],
  operator: [bearer('operatorToken', "The operator's token; `serve` writes one into its data directory.")],
}

/** What a route asks for: one of several, or nothing. */
export function securityOf(credential: Credential | undefined): Json[] {
  if (credential === undefined) return []
  const required = SCHEMES[credential].map(({ name }) => ({ [name]: [] }))
  return credential === 'settlement' ? [{}, ...required] : required
}

/** The schemes of some credentials as OpenAPI tells of them. */
export const openApiSchemes = (credentials: ReadonlySet<Credential>): Json =>
  Object.fromEntries([...credentials].flatMap((one) => SCHEMES[one].map(({ name, openapi }) => [name, openapi])))

/** The schemes of some credentials as AsyncAPI tells of them. */
export const asyncApiSchemes = (credentials: ReadonlySet<Credential>): Json =>
  Object.fromEntries([...credentials].flatMap((one) => SCHEMES[one].map(({ name, asyncapi }) => [name, asyncapi])))

/** References to the schemes of a credential, as operations of AsyncAPI make them. */
export const schemeRefs = (credential: Credential | undefined): Json[] =>
  credential === undefined
    ? []
    : SCHEMES[credential].map(({ name }) => ({ $ref: `#/components/securitySchemes/${name}` }))
