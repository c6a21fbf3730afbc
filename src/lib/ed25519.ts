import { createHash, createPublicKey, verify } from 'node:crypto'
import type { VerifyEd25519 } from '@rfqctl/protocol/domain/checkpoint'
import type { Sha256 } from '@rfqctl/protocol/domain/merkle-tree'

export const sha256: Sha256 = (bytes) => createHash('sha256').update(bytes).digest()

/** False also for bytes that are not a key. */
export const verifyEd25519: VerifyEd25519 = ({ publicKey, message, signature }) => {
  try {
    const x = Buffer.from(publicKey).toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    return verify(null, message, key, signature)
  } catch {
    return false
  }
}
