import {
  type ApiKeyRecord,
  decodeApiKeys,
  decodeCreatedApiKey,
  decodeProfile,
  encodeCreateApiKey,
  type Profile,
} from '../wire/account.ts'
import { type CallOptions, createHttp, nothing } from './http.ts'

/** How a client for one's own account is set up. */
export type AccountOptions = {
  /** The relay's HTTP address. */
  url: string
  /** A token of the relay's identity provider; it travels in a header only. */
  accessToken: string
  fetch?: typeof globalThis.fetch
}

/** A signed-in person over the wire. Every call rejects with `invalid_access_token` when the token is not, or no longer, good. */
export type AccountClient = {
  /** Who is signed in; the first call makes the user. */
  getProfile: (options?: CallOptions) => Promise<Profile>
  /** The active keys, oldest first, without their secrets. */
  listApiKeys: (options?: CallOptions) => Promise<ApiKeyRecord[]>
  /** Makes a maker key that works at once. `key` is its secret, which the relay never tells again. */
  createApiKey: (input?: { name?: string } & CallOptions) => Promise<{ key: string; apiKey: ApiKeyRecord }>
  /** Ends a key, with its streams and sockets. Refused with `api_key_not_found` unless it is an active one of the user. */
  revokeApiKey: (input: { id: string } & CallOptions) => Promise<void>
}

/** A client for one's own account. */
export function createAccountClient({ url, accessToken, fetch }: AccountOptions): AccountClient {
  const headers = { authorization: `Bearer ${accessToken}` }
  const http = createHttp({ url, headers, ...(fetch === undefined ? {} : { fetch }) })
  const keys = '/v1/user/api-keys'
  return {
    getProfile: ({ signal } = {}) => http.call('GET', '/v1/user/profile', { signal, decode: decodeProfile }),
    listApiKeys: ({ signal } = {}) => http.call('GET', keys, { signal, decode: decodeApiKeys }),
    createApiKey: ({ name, signal } = {}) =>
      http.call('POST', keys, { signal, body: encodeCreateApiKey(name), decode: decodeCreatedApiKey }),
    revokeApiKey: ({ id, signal }) =>
      http.call('DELETE', `${keys}/${encodeURIComponent(id)}`, { signal, decode: nothing }),
  }
}
