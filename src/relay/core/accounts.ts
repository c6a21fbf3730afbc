import { API_KEY_BITS, apiKeyOf, apiKeyPrefix } from '@rfqctl/protocol/domain/api-key'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { isReservedMakerId } from '@rfqctl/protocol/domain/maker-id'
import type { Context } from './context.ts'
import type { Keyring } from './keyring.ts'
import type { ApiKey, User } from './ports/store.ts'
import { standDown } from './stand-down.ts'

/** Hexadecimal digits: few enough to read, and among a million makers a collision in only one of six hundred relays. */
const MAKER_ID_DIGITS = 12

/** The secret is returned once and stored nowhere. */
export type CreatedApiKey = { secret: string; apiKey: ApiKey }

/**
 * The first token of a person creates the user with a random makerId. Refuses with `identity_not_configured`,
 * `invalid_access_token` and `identity_unavailable`.
 */
export async function authenticateUser({ identity, store, ids, clock }: Context, accessToken: string | null) {
  if (identity === null) throw new RfqError('identity_not_configured')
  if (accessToken === null) throw new RfqError('invalid_access_token')
  const { idpDid } = await identity.verify(accessToken)
  const digits = ids.random(MAKER_ID_DIGITS * 4).toString(16)
  const makerId = `maker-${digits.padStart(MAKER_ID_DIGITS, '0')}`
  return store.users.findOrCreate({ userId: ids.uuid(), idpDid, makerId, createdAt: clock.now() })
}

/**
 * The key works at once. A user without any former key may choose its makerId here; null: no choice. Refuses with
 * `too_many_api_keys` at the limit, and with `maker_id_taken` and `maker_id_settled`.
 */
export async function createApiKey(
  context: Context,
  { user, name, makerId: chosen = null }: { user: User; name: string; makerId?: string | null },
): Promise<CreatedApiKey> {
  const { store, ids, clock, log, settings } = context
  const { userId, makerId } = await settleMakerId(context, user, chosen)
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

/** The makerId is final. */
async function settleMakerId(context: Context, user: User, chosen: string | null): Promise<User> {
  const isAnother = chosen !== null && chosen !== user.makerId
  // A key set by the operator already uses it.
  if (isAnother && isConfigured(context, user.makerId)) throw new RfqError('maker_id_settled')
  if (isAnother && !(await isUnused(context, chosen))) throw new RfqError('maker_id_taken')
  const settled = await context.store.users.settleMakerId({ idpDid: user.idpDid, chosen })
  if (settled === 'settled') throw new RfqError('maker_id_settled')
  if (settled === 'taken') throw new RfqError('maker_id_taken')
  return settled
}

/**
 * Does not check users: the store does. A new makerId must not be reserved, configured by the operator in any case of
 * its letters, or left over from a formerly configured maker, whose history and reputation would come with it.
 */
async function isUnused(context: Context, makerId: string): Promise<boolean> {
  const { store, blocks } = context
  if (isReservedMakerId(makerId) || isConfigured(context, makerId) || blocks.has(makerId)) return false
  const [ends, confirmed, protections, record] = await Promise.all([
    store.history.list({ makerId, after: null, since: null, status: null, limit: 1 }),
    store.executions.confirmedBy([makerId], 0),
    store.protections.find(makerId),
    store.makerRecords.find(makerId),
  ])
  const isKnown = confirmed.size > 0 || record.outcomes.length > 0 || record.suspension !== null
  return !isKnown && ends?.length === 0 && protections === null
}

const isConfigured = ({ settings }: Context, makerId: string): boolean =>
  settings.staticKeys.some((key) => key.makerId.toLowerCase() === makerId.toLowerCase())

/** Closes the key's streams and sockets, too. Refuses any other key with `api_key_not_found`. */
export async function revokeApiKey(context: Context, keyring: Keyring, { user, keyId }: { user: User; keyId: string }) {
  const key = await context.store.apiKeys.revoke({ keyId, userId: user.userId })
  if (key === null) throw new RfqError('api_key_not_found')
  context.log.info('api_key_revoked', { makerId: user.makerId })
  // A client that learns of the revocation may try the key on another node at once.
  await keyring.revoke(keyId)
  // The key is revoked even if this fails; without it takers wait until the deadline.
  context.background.run('standing_down_failed', () => standDownIfKeyless(context, user))
}

/** A maker without any key can no longer sign, so no one should wait for it (fault B8). */
async function standDownIfKeyless(context: Context, { userId, makerId }: User): Promise<void> {
  const { store, settings } = context
  if (settings.staticKeys.some((key) => key.makerId === makerId)) return
  if ((await store.apiKeys.listActive(userId)).length > 0) return
  await standDown(context, makerId, 'The last key of the maker was revoked.')
}
