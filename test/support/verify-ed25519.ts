import { createPublicKey, verify } from 'node:crypto'
import type { VerifyEd25519 } from '../../src/protocol/domain/checkpoint.ts'

export const verifyEd25519: VerifyEd25519 = ({ publicKey, message, signature }) => {
  const x = Buffer.from(publicKey).toString('base64url')
  return verify(null, message, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }), signature)
}
