import { createHash } from 'node:crypto'
import type { Ids } from '../../../src/relay/core/ports/runtime.ts'
import type { Random } from '../time/random.ts'

const HEX = 16

/** Ids of a node, drawn from its own source. */
export function createNodeIds(random: Random): Ids {
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => random.below(HEX).toString(HEX)).join('')
  return {
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    secret: () => `secret-${hex(24)}`,
    random: (bits) => BigInt(`0x${hex(Math.ceil(bits / 4))}`) >> BigInt(-bits & 3),
    digest: (secret) => createHash('sha256').update(secret).digest('hex'),
    isSameDigest: (a, b) => a === b,
  }
}
