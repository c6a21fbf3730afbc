import { isApiKey } from '@rfqctl/protocol/domain/api-key'
import { type ErrorCode, RfqError } from '@rfqctl/protocol/domain/errors'
import type { Context } from './context.ts'
import type { KeyRef, Keyring } from './keyring.ts'
import { type MaybePromise, thenMaybe } from './ports/maybe-promise.ts'
import type { ApiKey } from './ports/store.ts'

/** `key` is null unless a stored key was used. */
export type MakerIdentity = { makerId: string; key: KeyRef | null }

/** Refuses further unknown keys of a client; null: allowed. */
export type KeyDoubt = () => RfqError | null

/** Digits of a key's digest that name its anonymous maker (decision M5). */
const ANONYMOUS_DIGITS = 8

/**
 * Tries static keys of any form first, then self-serve keys; a mistyped key costs no look-up. Keys are known by their
 * digests only. In open mode each key of another form is a maker of its own (decisions M5, M6). An outage of the store
 * admits no new maker.
 */
export function createAuthentication({ ids, settings, store, blocks }: Context, keyring: Keyring) {
  const makers = new Map(settings.staticKeys.map(({ digest, makerId }) => [digest, makerId]))

  function identify(key: ApiKey | null): MakerIdentity {
    if (key === null) throw new RfqError('invalid_api_key')
    store.apiKeys.recordUse(key)
    return { makerId: key.makerId, key }
  }

  /** A blocked maker's key is still valid, so the maker gets the reason. */
  const admit = (maker: MakerIdentity): MaybePromise<MakerIdentity> =>
    blocks.has(maker.makerId) ? refuse('maker_blocked') : maker

  /** Returns the digest if the maker has to be looked up, null without a key. */
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
    /** Looks in memory only; null if unknown there. */
    known: (apiKey: string | null): MakerIdentity | null => {
      const maker = recognise(apiKey)
      return maker !== null && 'makerId' in maker && !blocks.has(maker.makerId) ? maker : null
    },
    /**
     * Asks `doubt` before a look-up, and before a refusal without one. Refuses with `invalid_api_key`, and a blocked
     * maker with `maker_blocked`.
     */
    authenticate: (apiKey: string | null, doubt: KeyDoubt = () => null): MaybePromise<MakerIdentity> => {
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
