import { API_KEY_BITS, apiKeyOf, apiKeyPrefix } from '../domain/api-key.ts'
import { RfqError } from '../domain/errors.ts'
import { type Context, inBackground } from './context.ts'
import type { Keyring } from './keyring.ts'
import type { ApiKey, User } from './ports/store.ts'
import { standDown } from './stand-down.ts'

/** Hexadecimal digits of a makerId: few enough to be read, and among a million makers no two alike but once in six hundred relays. */
const MAKER_ID_DIGITS = 12

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
  const makerId = `maker-${ids
    .random(MAKER_ID_DIGITS * 4)
    .toString(16)
    .padStart(MAKER_ID_DIGITS, '0')}`
  return store.users.findOrCreate({ userId: ids.uuid(), idpDid, makerId, createdAt: clock.now() })
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

/**
 * Ends a key of a user: from now on it is refused, and its streams and sockets are closed. Refuses any other
 * key with `api_key_not_found`.
 */
export async function revokeApiKey(
  context: Context,
  keyring: Keyring,
  { user, keyId }: { user: User; keyId: string },
): Promise<void> {
  const key = await context.store.apiKeys.revoke({ keyId, userId: user.userId })
  if (key === null) throw new RfqError('api_key_not_found')
  context.log.info('api_key_revoked', { makerId: user.makerId })
  // Whoever hears that the key is revoked may try it on another node at once.
  await keyring.revoke(keyId)
  // The key is revoked whether this succeeds or not; without it takers wait until the deadline.
  inBackground(context, 'standing_down_failed', () => standDownIfKeyless(context, user))
}

/** A maker without any key cannot sign any more, so no one is to wait for it (fault B8). */
async function standDownIfKeyless(context: Context, { userId, makerId }: User): Promise<void> {
  const { store, settings } = context
  if (settings.staticKeys.some((key) => key.makerId === makerId)) return
  if ((await store.apiKeys.listActive(userId)).length > 0) return
  await standDown(context, makerId, 'The last key of the maker was revoked.')
}
