import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Hex } from '@rfqctl/protocol/domain/units'
import type { OrderSignature } from '../../../core/ports/book.ts'

/** Keeps the signatures of firm quotes from readers of Redis, its messages or its files (decision F3). */
export type SignatureCipher = ReturnType<typeof createSignatureCipher>

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Bound to the signature beside its quote. A version that checks keys alone cannot open a signature that the chain must be asked
 * about again, so it never hands out one that no longer counts.
 */
const BOUND_TO = { key: '', chain: ' shown by the chain' } as const

/** `keyHex` is 32 bytes. */
export function createSignatureCipher(keyHex: string) {
  const key = Buffer.from(keyHex, 'hex')

  function open(bytes: Buffer, boundTo: string): Hex | null {
    try {
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(boundTo)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8')
      return `${text}${decipher.final('utf8')}` as Hex
    } catch {
      return null
    }
  }

  return {
    /** Text that only the key and the same `quote` open. */
    encrypt: ({ signature, shownBy }: OrderSignature, quote: string): string => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(`${quote}${BOUND_TO[shownBy]}`))
      const text = [cipher.update(signature, 'utf8'), cipher.final()]
      return Buffer.concat([nonce, cipher.getAuthTag(), ...text]).toString('base64')
    },
    /** Null for a text of another key or quote. */
    decrypt: (encrypted: string, quote: string): OrderSignature | null => {
      const bytes = Buffer.from(encrypted, 'base64')
      for (const shownBy of ['key', 'chain'] as const) {
        const signature = open(bytes, `${quote}${BOUND_TO[shownBy]}`)
        if (signature !== null) return { signature, shownBy }
      }
      return null
    },
  }
}
