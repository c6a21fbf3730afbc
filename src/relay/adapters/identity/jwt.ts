import { RfqError } from '@rfqctl/protocol/domain/errors'
import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTHeaderParameters,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose'
import type { Clock, Log } from '../../core/ports/runtime.ts'
import type { Identity } from '../../core/ports/sources.ts'
import { fetchJson } from '../json-source.ts'

/** Only signatures by a key pair: with a shared secret every verifier could also issue. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA']

/** Tolerated difference between the provider's clock and ours, seconds. */
const CLOCK_TOLERANCE_S = 30

/** A subject becomes the name of a user forever: printable, and no longer than OpenID Connect allows. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/

/**
 * Checks access tokens that are JWTs: signature by a key of the provider, issuer, audience, kind, expiry and subject. Tokens
 * that never expire are refused.
 * @see RFC 7519, RFC 8725
 */
export function createJwtIdentity(parts: {
  issuer: string
  audience: string
  jwksUrl: string
  clock: Pick<Clock, 'now'>
  log: Log
  /** Milliseconds for the provider's answer; for tests. */
  deadlineMs?: number
}): Identity {
  const { issuer, audience, jwksUrl, clock, log, deadlineMs } = parts
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

/** Marks of ID tokens: claims that bind them to a sign-in, and the names that Keycloak and Amazon Cognito use. */
const ID_TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash'] as const
const ID_TOKEN_NAMES: readonly unknown[] = ['id', 'ID']

/**
 * Accepts the type that RFC 9068 gives to access tokens. Also accepts no type, or the plain `JWT` that most providers
 * use for both kinds, unless the token has a mark of an ID token. Any other type is refused.
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

/** A bad token is the caller's fault, bad keys are the provider's. */
function refusalOf(fault: unknown): RfqError {
  if (fault instanceof RfqError) return fault
  const isOfKeys = fault instanceof errors.JWKSInvalid || !(fault instanceof errors.JOSEError)
  if (isOfKeys) return new RfqError('identity_unavailable', { cause: fault })
  const expired = fault instanceof errors.JWTExpired ? { detail: 'The access token has expired.' } : {}
  return new RfqError('invalid_access_token', { ...expired, cause: fault })
}

/** The least time between two requests to the provider, whatever it answered: strangers' tokens must not flood it. */
const PAUSE_MS = 30_000

/** Older keys are fetched again, so that a withdrawn one soon stops working. */
const FRESH_MS = 60_000

/** The oldest that keys may become while the provider does not answer (fault B10). */
const EXPIRED_MS = 600_000

const DEADLINE_MS = 5_000

/**
 * Finds the key of a token among those that a provider publishes. An unknown one triggers a fetch, but not within 30 s
 * of the last. In an outage the former keys hold for 10 min; then it refuses with `identity_unavailable`, which is also
 * the answer to an unknown key while the provider cannot be asked. `deadlineMs` is for tests.
 */
function createKeySet(parts: {
  url: string
  clock: Pick<Clock, 'now'>
  log: Log
  deadlineMs?: number
}): JWTVerifyGetKey {
  const { url, clock, log, deadlineMs = DEADLINE_MS } = parts
  let keys: { find: JWTVerifyGetKey; at: number } | null = null
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | null = null
  let isDown = false

  /** Fetches the keys, unless that was done just now. Never fails: the result is in `keys` and `isDown`. */
  async function refresh(): Promise<void> {
    if (asking === null) {
      const now = clock.now()
      if (now < askedAt + PAUSE_MS) return
      askedAt = now
      asking = ask(now).finally(() => {
        asking = null
      })
    }
    return asking
  }

  async function ask(at: number): Promise<void> {
    try {
      const answer = await fetchJson(new URL(url), AbortSignal.timeout(deadlineMs))
      keys = { find: createLocalJWKSet(answer as JSONWebKeySet), at }
      if (isDown) log.info('identity_provider_back')
      isDown = false
    } catch (fault) {
      if (!isDown) log.warn('identity_provider_down', { fault })
      isDown = true
    }
  }

  const ageMs = (): number => (keys === null ? Number.POSITIVE_INFINITY : clock.now() - keys.at)

  async function current(): Promise<JWTVerifyGetKey> {
    // Nothing waits for a slow provider while the former keys are good.
    if (ageMs() >= EXPIRED_MS) await refresh()
    else if (ageMs() >= FRESH_MS) void refresh()
    if (keys === null || ageMs() >= EXPIRED_MS) throw new RfqError('identity_unavailable')
    return keys.find
  }

  return async (header, token) => {
    const find = await current()
    try {
      return await find(header, token)
    } catch (fault) {
      if (!(fault instanceof errors.JWKSNoMatchingKey)) throw fault
    }
    await refresh()
    if (isDown) throw new RfqError('identity_unavailable')
    return (await current())(header, token)
  }
}
