import { hash, randomBytes, randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Ids } from '../core/ports/runtime.ts'

/** 192 random bits, 32 characters of text. */
const SECRET_BYTES = 24

export function createIds(): Ids {
  return {
    uuid: () => randomUUID(),
    secret: () => randomBytes(SECRET_BYTES).toString('base64url'),
    random: (bits) => BigInt(`0x${randomBytes(Math.ceil(bits / 8)).toString('hex')}`) >> BigInt(-bits & 7),
    // Every call of a maker has its key digested: the one-step hash takes a third of the time of a hash object.
    digest: (secret) => hash('sha256', secret, 'hex'),
    isSameDigest: (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b)),
  }
}

/**
 * A base of nonces that no store has had: the seconds since 1970 times 2^20, and 20 random bits (decision C7); `now` in Unix
 * milliseconds. Below 2^53 until 2242.
 */
export const freshNonceBase = (now: number): number => Math.floor(now / 1_000) * 2 ** 20 + randomInt(2 ** 20)
