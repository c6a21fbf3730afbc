import type { Hex } from './units.ts'

/** Half of the secp256k1 group order; a larger `s` is the malleable twin that the contract refuses (EIP-2). */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const HIGH_BIT = 1n << 255n

/**
 * An ECDSA signature in the one form that the contract accepts, 65 bytes with v of 27 or 28, or null when it has none.
 * v of 0 or 1 and EIP-2098 compact signatures are converted, a high `s` is refused (ruling C8).
 */
export function normaliseSignature(text: string): Hex | null {
  const match = /^0x([0-9a-fA-F]{64})([0-9a-fA-F]{64})([0-9a-fA-F]{2})?$/.exec(text)
  if (match === null) return null
  const [, r = '', vs = '', v] = match
  const isCompact = v === undefined
  const sValue = BigInt(`0x${vs}`)
  const s = isCompact ? sValue & ~HIGH_BIT : sValue
  const recovery = isCompact ? Number(sValue >> 255n) : recoveryOf(Number.parseInt(v, 16))
  if (recovery === null || s === 0n || s > HALF_ORDER || BigInt(`0x${r}`) === 0n) return null
  return `0x${r.toLowerCase()}${s.toString(16).padStart(64, '0')}${recovery === 0 ? '1b' : '1c'}`
}

function recoveryOf(v: number): 0 | 1 | null {
  if (v === 0 || v === 27) return 0
  if (v === 1 || v === 28) return 1
  return null
}
