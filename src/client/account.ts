import {
  type ApiKeyRecord,
  decodeApiKeys,
  decodeCreatedApiKey,
  decodeProfile,
  encodeCreateApiKey,
  type Profile,
} from '@rfqctl/protocol/wire/account'
import { type CallOptions, createHttp, nothing } from './http.ts'

/** Options of a client for one's own account. */
export type AccountOptions = {
  /** The relay's HTTP address. */
  url: string
  /** A token of the relay's identity provider; it travels in a header only. */
  accessToken: string
  /** Replacement for the global `fetch`. */
  fetch?: typeof globalThis.fetch
}

/**
 * Client of a signed-in user. Besides the errors named, every call rejects with `RelayError` (`invalid_access_token` when the token is
 * not, or no longer, good), with `RelayUnreachableError`, or with the reason of its signal.
 */
export type AccountClient = {
  /**
   * Reads who is signed in; the first call makes the user.
   * @param options - May carry a signal.
   * @returns The user.
   * @throws RelayError `invalid_access_token`, `identity_not_configured`, `identity_unavailable`.
   * @example const { makerId } = await user.getProfile()
   */
  getProfile: (options?: CallOptions) => Promise<Profile>
  /**
   * Lists the active keys.
   * @param options - May carry a signal.
   * @returns The keys, oldest first, without their secrets.
   * @throws RelayError `invalid_access_token`.
   * @example for (const { keyPrefix, lastUsedAt } of await user.listApiKeys()) console.log(keyPrefix, lastUsedAt)
   */
  listApiKeys: (options?: CallOptions) => Promise<ApiKeyRecord[]>
  /**
   * Makes a maker key that works at once.
   * @param input.name - Name of the key, for people.
   * @param input.makerId - Maker id from now on: 3 to 24 of a to z, 0 to 9 and hyphens, a letter first. A user who has never had a key
   * may choose it, once; the profile's when absent.
   * @returns The secret, `key`, which the relay never shows again; its `makerId` (null from an older relay, which offers no choice); and
   * the key's record.
   * @throws RelayError `too_many_api_keys`, `maker_id_taken`, `maker_id_settled`, `invalid_access_token`.
   * @example const { key, makerId, apiKey } = await user.createApiKey({ name: 'desk 2', makerId: 'ada' })
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
   * const [oldest] = await user.listApiKeys()
   * if (oldest !== undefined) await user.revokeApiKey({ id: oldest.id })
   */
  revokeApiKey: (input: { id: string } & CallOptions) => Promise<void>
}

/**
 * Makes a client for one's own account. Nothing is sent until it is called.
 * @param options - The relay and an access token of its identity provider.
 * @returns The client.
 * @example
 * import { createAccountClient } from 'rfqctl/client'
 *
 * const user = createAccountClient({ url: 'http://127.0.0.1:8787', accessToken: 'a token of the identity provider' })
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
