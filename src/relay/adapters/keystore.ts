import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import * as Keystore from 'ox/Keystore'

/** Web3 secret storage, version 3, with its address in the form that geth writes. */
export type EncryptedKey = Keystore.Keystore & { address?: string }

/**
 * The cost of a guess at the password, as in geth and Foundry: 256 MiB and about a second. The library's own default
 * has `p` and `r` the other way round and needs an eighth of the memory.
 */
const SCRYPT = { n: 262_144, r: 8, p: 1 } as const

/** Takes about a second; `n` is for tests. */
export function encryptKey(
  { address, privateKey }: { address: Address; privateKey: Hex },
  password: string,
  { n = SCRYPT.n }: { n?: number } = {},
): EncryptedKey {
  const [key, derivation] = Keystore.scrypt({ ...SCRYPT, n, password })
  return { address: address.slice(2).toLowerCase(), ...Keystore.encrypt(privateKey, key, derivation) }
}

/** Null when the password is wrong or the file damaged. Takes seconds. */
export function openKey(keystore: EncryptedKey, password: string): Hex | null {
  try {
    // The asynchronous form of ox 0.14.45 derives every scrypt key with parameters of its own.
    return Keystore.decrypt(keystore, Keystore.toKey(keystore, { password }))
  } catch {
    return null
  }
}

/** Some libraries write `Crypto`. */
type Written = Partial<EncryptedKey> & { Crypto?: EncryptedKey['crypto'] }

/** Null when the text is not a keystore. */
export function parseKeystore(text: string): EncryptedKey | null {
  try {
    const { Crypto, crypto = Crypto, ...rest } = JSON.parse(text) as Written
    const isKeystore = rest.version === 3 && typeof crypto?.ciphertext === 'string'
    return isKeystore ? ({ ...rest, crypto } as EncryptedKey) : null
  } catch {
    return null
  }
}
