import { RfqError } from '../domain/errors.ts'
import type { Context } from './context.ts'

/** A maker by its key; `keyId` is null where no stored key is behind it. */
export type MakerIdentity = { makerId: string; keyId: string | null }

/** How much of a key's digest names its anonymous maker (ruling M5). */
const ANONYMOUS_DIGITS = 8

/**
 * Who a maker key belongs to. Keys are compared by their digests only. Without keys and store anyone is somebody
 * (rulings M5, M6); else refuses with `invalid_api_key`.
 */
export function createAuthenticateMaker({ ids, settings }: Context): (apiKey: string | null) => Promise<MakerIdentity> {
  const makers = new Map(settings.staticKeys.map(({ digest, makerId }) => [digest, makerId]))

  return async (apiKey) => {
    if (apiKey === null || apiKey === '') {
      if (settings.openMode) return { makerId: 'anonymous', keyId: null }
      throw new RfqError('invalid_api_key')
    }
    const digest = ids.digest(apiKey)
    const makerId = makers.get(digest)
    if (makerId !== undefined) return { makerId, keyId: null }
    if (settings.openMode) return { makerId: `anon-${digest.slice(0, ANONYMOUS_DIGITS)}`, keyId: null }
    throw new RfqError('invalid_api_key')
  }
}
