import type { Hex } from './units.ts'

/** Half of the secp256k1 group order; a larger `s` is the malleable twin that the contract refuses (EIP-2). */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const HIGH_BIT = 1n << 255n

/** No signature is longer, in bytes: one of sixty owners of a Safe, or of a passkey with its browser's data, is shorter. */
export const MAX_SIGNATURE_BYTES = 4_096

/** The end of a signature of a wallet that is not deployed. @see ERC-6492 */
const UNDEPLOYED = '6492'.repeat(16)

/** The length of the text of an EIP-2098 signature: 0x and 64 bytes. */
const COMPACT_LENGTH = 130

/**
 * An ECDSA signature in the one form that the contract accepts, 65 bytes with v of 27 or 28, or null when it has none.
 * v of 0 or 1 and EIP-2098 compact signatures are converted, a high `s` is refused (decision C8).
 */
export function normaliseSignature(text: string): Hex | null {
  if (!/^0x(?:[0-9a-fA-F]{128}|[0-9a-fA-F]{130})$/.test(text)) return null
  const r = BigInt(text.slice(0, 66))
  const { s, recovery } = text.length === COMPACT_LENGTH ? splitCompact(text) : splitFull(text)
  if (recovery === null || r === 0n || s === 0n || s > HALF_ORDER) return null
  return `0x${hex32(r)}${hex32(s)}${recovery === 0 ? '1b' : '1c'}`
}

/**
 * The forms in which a text is checked as the signature of a contract wallet: its bytes as they came, since only the contract
 * decides which it accepts, and the normalised form of a key's signature where that differs. Empty when the text is not bytes, or
 * is too long.
 */
export function signatureForms(text: string): readonly Hex[] {
  if (text.length > 2 + 2 * MAX_SIGNATURE_BYTES || !/^0x(?:[0-9a-fA-F]{2})*$/.test(text)) return []
  const bytes = text.toLowerCase() as Hex
  const normalised = normaliseSignature(text)
  return normalised === null || normalised === bytes ? [bytes] : [bytes, normalised]
}

/** Whether a text is the signature of a wallet that is still to be deployed. */
export const isOfUndeployed = (text: string): boolean => text.endsWith(UNDEPLOYED)

type Recovery = 0 | 1 | null

function splitCompact(text: string): { s: bigint; recovery: Recovery } {
  const sWithParity = BigInt(`0x${text.slice(66)}`)
  return { s: sWithParity & ~HIGH_BIT, recovery: sWithParity & HIGH_BIT ? 1 : 0 }
}

function splitFull(text: string): { s: bigint; recovery: Recovery } {
  return { s: BigInt(`0x${text.slice(66, 130)}`), recovery: recoveryOf(Number.parseInt(text.slice(130), 16)) }
}

const hex32 = (value: bigint): string => value.toString(16).padStart(64, '0')

function recoveryOf(v: number): Recovery {
  if (v === 0 || v === 27) return 0
  if (v === 1 || v === 28) return 1
  return null
}
