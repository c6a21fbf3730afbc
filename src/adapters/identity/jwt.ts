import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose'
import { RfqError } from '../../domain/errors.ts'
import type { Identity } from '../../relay/ports/identity.ts'
import type { Clock, Log } from '../../relay/ports/runtime.ts'
import { createKeySet } from './key-set.ts'

/** Only signatures by a key pair: with a shared secret whoever verifies could also issue. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA']

/** How far the provider's clock may be from ours, in seconds. */
const CLOCK_TOLERANCE_S = 30

/** A subject becomes the name of a user forever: printable, and no longer than OpenID Connect allows. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/

/**
 * Checks access tokens that are JWTs: signature by a key of the provider, issuer, audience, kind, expiry and subject. Tokens
 * that never expire are refused.
 * @see RFC 7519, RFC 8725
 */
export function createJwtIdentity({
  issuer,
  audience,
  jwksUrl,
  clock,
  log,
  deadlineMs,
}: {
  issuer: string
  audience: string
  jwksUrl: string
  clock: Pick<Clock, 'now'>
  log: Log
  /** How long the provider may take, in milliseconds; for tests. */
  deadlineMs?: number
}): Identity {
  const findKey = createKeySet({ url: jwksUrl, clock, log, ...(deadlineMs === undefined ? {} : { deadlineMs }) })

  return {
    verify: async (accessToken) => {
      const options = {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(clock.now()),
        requiredClaims: ['exp', 'sub'],
      }
      const { payload, protectedHeader } = await jwtVerify(accessToken, findKey, options).catch((fault: unknown) => {
        throw refusalOf(fault)
      })
      if (!isAccessToken(protectedHeader, payload))
        throw new RfqError('invalid_access_token', { detail: NOT_AN_ACCESS_TOKEN })
      return { idpDid: subjectOf(payload) }
    },
  }
}

const NOT_AN_ACCESS_TOKEN = 'This is not an access token. An ID token says who signed in, but grants no access.'

/** What only an ID token has: what binds it to a sign-in, and how Keycloak and Amazon Cognito call theirs. */
const ID_TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash'] as const
const ID_TOKEN_NAMES: readonly unknown[] = ['id', 'ID']

/**
 * Whether a token is meant to open something. One of the type that RFC 9068 gives to access tokens is; one of no type, or
 * of the plain `JWT` that most providers use for both kinds, unless it shows what only ID tokens have; any other is not.
 * @see RFC 9068, RFC 8725 section 3.11, OpenID Connect Core section 2
 */
function isAccessToken({ typ = 'JWT' }: JWTHeaderParameters, payload: JWTPayload): boolean {
  const type = String(typ)
    .toLowerCase()
    .replace(/^application\//, '')
  if (type === 'at+jwt') return true
  const isOfSignIn = ID_TOKEN_CLAIMS.some((name) => payload[name] !== undefined)
  return (
    type === 'jwt' && !isOfSignIn && ![payload.typ, payload.token_use].some((name) => ID_TOKEN_NAMES.includes(name))
  )
}

function subjectOf({ sub }: JWTPayload): string {
  if (typeof sub === 'string' && SUBJECT.test(sub)) return sub
  throw new RfqError('invalid_access_token', {
    detail: 'The access token has no subject of 1 to 255 ASCII characters.',
  })
}

/** A token that is bad, or keys that are: the one is the caller's fault, the other the provider's. */
function refusalOf(fault: unknown): RfqError {
  if (fault instanceof RfqError) return fault
  const isOfKeys = fault instanceof errors.JWKSInvalid || !(fault instanceof errors.JOSEError)
  if (isOfKeys) return new RfqError('identity_unavailable', { cause: fault })
  const expired = fault instanceof errors.JWTExpired ? { detail: 'The access token has expired.' } : {}
  return new RfqError('invalid_access_token', { ...expired, cause: fault })
}
