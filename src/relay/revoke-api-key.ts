import { RfqError } from '../domain/errors.ts'
import { type Context, inBackground } from './context.ts'
import { endDeclined } from './decline.ts'
import type { Keyring } from './keyring.ts'
import type { User } from './ports/store.ts'
import { withdrawQuote } from './withdraw-quote.ts'

/** How soon a quote is looked at again that was out for signature, in milliseconds. */
const RETRY_MS = 50

/**
 * Ends a key of a user: from now on it is refused, and its streams and sockets are closed (ruling M4). Refuses any other
 * key with `api_key_not_found` (ruling A1).
 * @see spec "DELETE /v1/user/api-keys/{id}"
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

/** A maker without any key cannot sign any more, so nobody is to wait for it (reliability B8). */
async function standDownIfKeyless(context: Context, { userId, makerId }: User): Promise<void> {
  const { store, book, settings } = context
  if (settings.staticKeys.some((key) => key.makerId === makerId)) return
  if ((await store.apiKeys.listActive(userId)).length > 0) return
  for (const { quoteId } of await book.quotesOf(makerId)) await withdrawUnlessGone(context, { makerId, quoteId })
  for (const acceptance of await store.acceptances.pending({ makerId })) {
    await endDeclined(context, acceptance, 'The last key of the maker was revoked.')
  }
}

/** A quote that is out for signature goes when it is let go: at once, since its acceptance is ended. */
async function withdrawUnlessGone(context: Context, quote: { makerId: string; quoteId: string }): Promise<void> {
  try {
    await withdrawQuote(context, quote)
  } catch (fault) {
    if (!(fault instanceof RfqError)) throw fault
    if (fault.code === 'quote_not_found') return
    if (fault.code !== 'quote_locked') throw fault
    const { clock } = context
    clock.schedule(clock.now() + RETRY_MS, () =>
      inBackground(context, 'standing_down_failed', () => withdrawUnlessGone(context, quote)),
    )
  }
}
