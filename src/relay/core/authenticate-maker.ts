import { isApiKey } from '@rfqctl/protocol/domain/api-key'
import { type ErrorCode, RfqError } from '@rfqctl/protocol/domain/errors'
import type { Context } from './context.ts'
import type { KeyRef, Keyring } from './keyring.ts'
import { type MaybePromise, thenMaybe } from './ports/maybe-promise.ts'
import type { ApiKey } from './ports/store.ts'

/** A maker by its key; `key` is null where no stored key is behind it. */
export type MakerIdentity = { makerId: string; key: KeyRef | null }

/** Says why a client may not show further keys that this node does not know; null where it may. */
export type KeyDoubt = () => RfqError | null

/** Who makers are. */
export type Authentication = {
  /** Who a maker key belongs to, where that is at hand; else null. */
  known: (apiKey: string | null) => MakerIdentity | null
  /**
   * Who a maker key belongs to; `doubt` is asked before a key is looked up, and before one is refused that is not. Refuses with
   * `invalid_api_key`, and whoever is shut out with `maker_blocked`.
   */
  authenticate: (apiKey: string | null, doubt?: KeyDoubt) => MaybePromise<MakerIdentity>
}

/** How much of a key's digest names its anonymous maker (decision M5). */
const ANONYMOUS_DIGITS = 8

/**
 * Makers by their keys: static keys first, of any form, then self-serve ones; one that is mistyped costs no look-up.
 * Keys are known by their digests only. Without keys and store anyone else is someone (decisions M5, M6). An outage of the store
 * lets no one in that was not in before.
 */
export function createAuthentication(
  { ids, settings, store, blocks }: Pick<Context, 'ids' | 'settings' | 'store' | 'blocks'>,
  keyring: Keyring,
): Authentication {
  const makers = new Map(settings.staticKeys.map(({ digest, makerId }) => [digest, makerId]))

  function identify(key: ApiKey | null): MakerIdentity {
    if (key === null) throw new RfqError('invalid_api_key')
    store.apiKeys.recordUse(key)
    return { makerId: key.makerId, key }
  }

  /** A key of a maker that the operator has shut out is one still: it is told why it cannot go on. */
  const admit = (maker: MakerIdentity): MaybePromise<MakerIdentity> =>
    blocks.has(maker.makerId) ? refuse('maker_blocked') : maker

  /** The maker of a key, null for none, or the digest that it has to be looked up by. */
  function recognise(apiKey: string | null): MakerIdentity | { digest: string } | null {
    if (apiKey === null || apiKey === '') return settings.openMode ? { makerId: 'anonymous', key: null } : null
    const digest = ids.digest(apiKey)
    const makerId = makers.get(digest)
    if (makerId !== undefined) return { makerId, key: null }
    if (!isApiKey(apiKey)) {
      return settings.openMode ? { makerId: `anon-${digest.slice(0, ANONYMOUS_DIGITS)}`, key: null } : null
    }
    const key = keyring.recall(digest)
    if (key === undefined) return { digest }
    return key === null ? null : identify(key)
  }

  return {
    known: (apiKey) => {
      const maker = recognise(apiKey)
      return maker !== null && 'makerId' in maker && !blocks.has(maker.makerId) ? maker : null
    },
    authenticate: (apiKey, doubt = () => null) => {
      const maker = recognise(apiKey)
      if (maker !== null && 'makerId' in maker) return admit(maker)
      const refusal = doubt()
      if (refusal !== null) return Promise.reject(refusal)
      if (maker === null) return refuse()
      return thenMaybe(thenMaybe(keyring.find(maker.digest), identify), admit)
    },
  }
}

const refuse = (code: ErrorCode = 'invalid_api_key'): Promise<never> => Promise.reject(new RfqError(code))
