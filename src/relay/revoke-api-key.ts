import { RfqError } from '../domain/errors.ts'
import { type Context, inBackground } from './context.ts'
import type { Keyring } from './keyring.ts'
import type { User } from './ports/store.ts'
import { standDown } from './stand-down.ts'

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
