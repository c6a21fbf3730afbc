import type { Credential } from '../route-docs.ts'
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
  `A maker API key. It identifies the maker: all calls with it belong to one makerId. Create one with
\`POST /v1/user/api-keys\` (\`rfqctl login\`, then \`rfqctl keys create\`), or get one from the operator
(\`MAKER_API_KEYS\`). A key can quote and confirm, but not move money: that needs the signature of the maker's wallet. A relay
in open development mode accepts anyone.`,
)

const MAKER_KEY_IN_QUERY = apiKey(
  'makerKeyInQuery',
  { in: 'query', name: 'apiKey' },
  'The same key, for clients that cannot set headers, such as browsers. Proxies may log it: prefer the header.',
)

/** Any one of a credential's schemes will do (protocol auth-1). */
const SCHEMES: Readonly<Record<Credential, readonly Scheme[]>> = {
  maker: [MAKER_KEY, MAKER_KEY_IN_QUERY],
  makerSocket: [MAKER_KEY, MAKER_KEY_IN_QUERY],
  account: [
    bearer(
      'accessToken',
      "An access token from the relay's identity provider. It signs in a user, who can then create and revoke maker API keys. `rfqctl login` gets one.",
    ),
  ],
  settlement: [
    bearer(
      'settlementKey',
      'The key that an operator may set to limit who can have resolutions signed (`SETTLEMENT_API_KEY`). Without it, anyone can.',
    ),
  ],
  operator: [
    bearer(
      'operatorToken',
      "The operator's token (`OPERATOR_TOKEN`). Without the setting, `serve` writes a new one to its data directory.",
    ),
  ],
}

/** A request may come without these: the socket takes its key in a message, not every relay has a settlement key. */
const OPTIONAL: readonly Credential[] = ['makerSocket', 'settlement']

/** OpenAPI reads the list as alternatives; an empty object makes the credential optional. */
export function securityOf(credential: Credential | undefined): Json[] {
  if (credential === undefined) return []
  const required = SCHEMES[credential].map(({ name }) => ({ [name]: [] }))
  return OPTIONAL.includes(credential) ? [{}, ...required] : required
}

export const openApiSchemes = (credentials: ReadonlySet<Credential>): Json =>
  Object.fromEntries([...credentials].flatMap((one) => SCHEMES[one].map(({ name, openapi }) => [name, openapi])))

export const asyncApiSchemes = (credentials: ReadonlySet<Credential>): Json =>
  Object.fromEntries([...credentials].flatMap((one) => SCHEMES[one].map(({ name, asyncapi }) => [name, asyncapi])))

export const schemeRefs = (credential: Credential | undefined): Json[] =>
  credential === undefined
    ? []
    : SCHEMES[credential].map(({ name }) => ({ $ref: `#/components/securitySchemes/${name}` }))
