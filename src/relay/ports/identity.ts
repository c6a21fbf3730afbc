/** Tells who an access token was given to. */
export type Identity = {
  /**
   * The subject of a token. Refuses with `invalid_access_token`, and with `identity_unavailable` when the provider cannot
   * be asked.
   */
  verify: (accessToken: string) => Promise<{ idpDid: string }>
}
