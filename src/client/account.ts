import {
  type ApiKeyRecord,
  decodeApiKeys,
  decodeCreatedApiKey,
  decodeProfile,
  encodeCreateApiKey,
  type Profile,
} from '@rfqctl/protocol/wire/account'
import { type CallOptions, createHttp, nothing } from './http.ts'

/** How a client for one's own account is set up. */
export type AccountOptions = {
  /** The relay's HTTP address. */
  url: string
  /** A token of the relay's identity provider; it travels in a header only. */
  accessToken: string
  /** In place of the global `fetch`. */
  fetch?: typeof globalThis.fetch
}

/**
 * A signed-in person over the wire. Beside what is named, every call rejects with `RelayError` (`invalid_access_token` when the
 * token is not, or no longer, good), with `RelayUnreachableError`, or with the reason of its signal.
 */
export type AccountClient = {
  /**
   * Reads who is signed in; the first call makes the user.
   * @param options - May carry a signal.
   * @returns The user.
   * @throws RelayError `invalid_access_token`, `identity_not_configured`, `identity_unavailable`.
   * @example
   * ```ts
   * const { makerId } = await user.getProfile()
   * ```
   */
  getProfile: (options?: CallOptions) => Promise<Profile>
  /**
   * Lists the keys that work.
   * @param options - May carry a signal.
   * @returns The keys, oldest first, without their secrets.
   * @throws RelayError `invalid_access_token`.
   * @example
   * ```ts
   * for (const { keyPrefix, lastUsedAt } of await user.listApiKeys()) console.log(keyPrefix, lastUsedAt)
   * ```
   */
  listApiKeys: (options?: CallOptions) => Promise<ApiKeyRecord[]>
  /**
   * Makes a maker key that works at once.
   * @param input.name - A name to know it by.
   * @param input.makerId - The makerId to have from now on: 3 to 24 of a to z, 0 to 9 and hyphens, a letter first. Whoever has never had a key may
   * choose it, once; left out, it is the one of the profile.
   * @returns The secret, `key`, which the relay never tells again, the maker that it is for (null: a relay of an earlier version, which lets
   * no one choose), and the key's record.
   * @throws RelayError `too_many_api_keys`, `maker_id_taken`, `maker_id_settled`, `invalid_access_token`.
   * @example
   * ```ts
   * const { key, makerId, apiKey } = await user.createApiKey({ name: 'desk 2', makerId: 'ada' })
   * ```
   */
  createApiKey: (
    input?: { name?: string; makerId?: string } & CallOptions,
  ) => Promise<{ key: string; makerId: string | null; apiKey: ApiKeyRecord }>
  /**
   * Ends a key, with its streams and sockets.
   * @param input.id - The id of the key, not its secret.
   * @returns Nothing, once it has ended.
   * @throws RelayError `api_key_not_found` unless it is an active one of the user.
   * @example
   * ```ts
   * const [oldest] = await user.listApiKeys()
   * if (oldest !== undefined) await user.revokeApiKey({ id: oldest.id })
   * ```
   */
  revokeApiKey: (input: { id: string } & CallOptions) => Promise<void>
}

/**
 * Makes a client for one's own account. Nothing is sent until it is called.
 * @param options - The relay and an access token of its identity provider.
 * @returns The client.
 * @example
 * ```ts
 * import { createAccountClient } from 'rfqctl/client'
 *
 * const user = createAccountClient({ url: 'http://127.0.0.1:8787', accessToken: 'a token of the identity provider' })
 * ```
 */
export function createAccountClient({ url, accessToken, fetch }: AccountOptions): AccountClient {
  const headers = { authorization: `Bearer ${accessToken}` }
  const http = createHttp({ url, headers, ...(fetch === undefined ? {} : { fetch }) })
  const keys = '/v1/user/api-keys'
  return {
    getProfile: ({ signal } = {}) => http.call('GET', '/v1/user/profile', { signal, decode: decodeProfile }),
    listApiKeys: ({ signal } = {}) => http.call('GET', keys, { signal, decode: decodeApiKeys }),
    createApiKey: ({ name, makerId, signal } = {}) =>
      http.call('POST', keys, { signal, body: encodeCreateApiKey({ name, makerId }), decode: decodeCreatedApiKey }),
    revokeApiKey: ({ id, signal }) =>
      http.call('DELETE', `${keys}/${encodeURIComponent(id)}`, { signal, decode: nothing }),
  }
}
