import { RfqError } from '../../src/protocol/domain/errors.ts'
import type { Identity } from '../../src/relay/core/ports/sources.ts'

/** Takes `token-of-ada` for the token of `did:ada`, and anything else for nobody's. */
export const fakeIdentity: Identity = {
  verify: async (accessToken) => {
    const name = /^token-of-(.+)$/.exec(accessToken)?.[1]
    if (name === undefined) throw new RfqError('invalid_access_token')
    return { idpDid: `did:${name}` }
  },
}
