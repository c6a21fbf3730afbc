import { API_KEY_BITS, apiKeyOf, apiKeyPrefix } from '../domain/api-key.ts'
import { RfqError } from '../domain/errors.ts'
import type { Context } from './context.ts'
import type { ApiKey, User } from './ports/store.ts'

/** A key with its secret, which is told once and kept nowhere. */
export type CreatedApiKey = { secret: string; apiKey: ApiKey }

/**
 * Who an access token was given to. The first one of a person makes the user, whose makerId never changes.
 * Refuses with `identity_not_configured`, `invalid_access_token` and `identity_unavailable`.
 */
export async function authenticateUser(
  { identity, store, ids, clock }: Pick<Context, 'identity' | 'store' | 'ids' | 'clock'>,
  accessToken: string | null,
): Promise<User> {
  if (identity === null) throw new RfqError('identity_not_configured')
  if (accessToken === null) throw new RfqError('invalid_access_token')
  const { idpDid } = await identity.verify(accessToken)
  const userId = ids.uuid()
  return store.users.findOrCreate({ userId, idpDid, makerId: `maker-${userId}`, createdAt: clock.now() })
}

/** Makes a maker key of a user. It works at once. Refuses with `too_many_api_keys` whoever has as many as one may have. */
export async function createApiKey(
  { store, ids, clock, log, settings }: Context,
  { user: { userId, makerId }, name }: { user: User; name: string },
): Promise<CreatedApiKey> {
  const secret = apiKeyOf(ids.random(API_KEY_BITS))
  const apiKey: ApiKey = {
    keyId: ids.uuid(),
    userId,
    makerId,
    name,
    prefix: apiKeyPrefix(secret),
    digest: ids.digest(secret),
    createdAt: clock.now(),
    lastUsedAt: null,
    revokedAt: null,
  }
  if (!(await store.apiKeys.insert(apiKey, settings.maxApiKeysPerUser))) throw new RfqError('too_many_api_keys')
  log.info('api_key_created', { makerId })
  return { secret, apiKey }
}
