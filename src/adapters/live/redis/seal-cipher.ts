import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Hex } from '../../../domain/units.ts'

/** Keeps the signatures of firm quotes from whoever reads Redis, its messages or its files (decision F3). */
export type SealCipher = {
  /** A signature as text that only the key and the same `quote` open. */
  encrypt: (signature: Hex, quote: string) => string
  /** The signature again; null for what is not of this key and quote. */
  decrypt: (sealed: string, quote: string) => Hex | null
}

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** A cipher with a key of 32 bytes in hex. */
export function createSealCipher(keyHex: string): SealCipher {
  const key = Buffer.from(keyHex, 'hex')
  return {
    encrypt: (signature, quote) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(quote))
      const text = [cipher.update(signature, 'utf8'), cipher.final()]
      return Buffer.concat([nonce, cipher.getAuthTag(), ...text]).toString('base64')
    },
    decrypt: (sealed, quote) => {
      const bytes = Buffer.from(sealed, 'base64')
      try {
        const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        decipher.setAAD(Buffer.from(quote)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
        const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8')
        return `${text}${decipher.final('utf8')}` as Hex
      } catch {
        return null
      }
    },
  }
}
