import { isApiKey } from '../domain/api-key.ts'
import { type ErrorCode, RfqError } from '../domain/errors.ts'
import type { Context } from './context.ts'
import type { KeyRef, Keyring } from './keyring.ts'
import { type MaybePromise, thenMaybe } from './ports/maybe-promise.ts'
import type { ApiKey } from './ports/store.ts'

/** A maker by its key; `key` is null where no stored key is behind it. */
export type MakerIdentity = { makerId: string; key: KeyRef | null }

/** How much of a key's digest names its anonymous maker (decision M5). */
const ANONYMOUS_DIGITS = 8

/**
 * Who a maker key belongs to: static keys first, of any form, then self-serve ones; one that is mistyped costs no look-up.
 * Keys are known by their digests only. Without keys and store anyone else is someone (decisions M5, M6); else refuses
 * with `invalid_api_key`, and whoever is shut out with `maker_blocked`. An outage of the store lets no one in that was not in before.
 */
export function createAuthenticateMaker(
  { ids, settings, store, blocks }: Pick<Context, 'ids' | 'settings' | 'store' | 'blocks'>,
  keyring: Keyring,
): (apiKey: string | null) => MaybePromise<MakerIdentity> {
  const makers = new Map(settings.staticKeys.map(({ digest, makerId }) => [digest, makerId]))

  function identify(key: ApiKey | null): MakerIdentity {
    if (key === null) throw new RfqError('invalid_api_key')
    store.apiKeys.recordUse(key)
    return { makerId: key.makerId, key }
  }

  /** A key of a maker that the operator has shut out is one still: it is told why it cannot go on. */
  const admit = (maker: MakerIdentity): MaybePromise<MakerIdentity> =>
    blocks.has(maker.makerId) ? refuse('maker_blocked') : maker

  function recognise(apiKey: string | null): MaybePromise<MakerIdentity> {
    if (apiKey === null || apiKey === '') return settings.openMode ? { makerId: 'anonymous', key: null } : refuse()
    const digest = ids.digest(apiKey)
    const makerId = makers.get(digest)
    if (makerId !== undefined) return { makerId, key: null }
    if (isApiKey(apiKey)) return thenMaybe(keyring.find(digest), identify)
    return settings.openMode ? { makerId: `anon-${digest.slice(0, ANONYMOUS_DIGITS)}`, key: null } : refuse()
  }

  return (apiKey) => thenMaybe(recognise(apiKey), admit)
}

const refuse = (code: ErrorCode = 'invalid_api_key'): Promise<never> => Promise.reject(new RfqError(code))
