import { createHash } from 'node:crypto'
import type { Ids } from '../../../src/relay/core/ports/runtime.ts'
import type { Random } from '../time/random.ts'

/** Digits of one draw. */
const DIGITS = 8
const DRAWN = 2 ** 32

/** Ids of a node, drawn from its own source. */
export function createNodeIds(random: Random): Ids {
  const hex = (digits: number): string => {
    let text = ''
    while (text.length < digits) text += random.below(DRAWN).toString(16).padStart(DIGITS, '0')
    return text.slice(0, digits)
  }
  return {
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    secret: () => `secret-${hex(24)}`,
    random: (bits) => BigInt(`0x${hex(Math.ceil(bits / 4))}`) >> BigInt(-bits & 3),
    digest: (secret) => createHash('sha256').update(secret).digest('hex'),
    isSameDigest: (a, b) => a === b,
  }
}
