import { createHash } from 'node:crypto'
import type { Ids } from '../../src/relay/core/ports/runtime.ts'

/** Ids that count up and can be foretold: the first UUID ends in 1, the first secret is `secret-1`, the first random number 1. Digests are real. */
export function createFakeIds(): Ids {
  let uuids = 0
  let secrets = 0
  let randoms = 0n
  return {
    uuid: () => `00000000-0000-4000-8000-${(++uuids).toString(16).padStart(12, '0')}`,
    secret: () => `secret-${++secrets}`,
    random: () => {
      randoms += 1n
      return randoms
    },
    digest: (secret) => createHash('sha256').update(secret).digest('hex'),
    isSameDigest: (a, b) => a === b,
  }
}
