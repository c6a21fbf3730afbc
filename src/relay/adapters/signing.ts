import { instantiateSecp256k1 } from '@bitauth/libauth/build/lib/crypto/secp256k1.js'
import { attestationTypedData, PROBE_ATTESTATION } from '@rfqctl/protocol/domain/attestation'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import { type LocalAccount, privateKeyToAccount } from 'viem/accounts'
import { getAddress, keccak256 } from 'viem/utils'
import type { ResolutionSigner, Signatures } from '../core/ports/chain.ts'

/**
 * Recovers signers by libsecp256k1 as WebAssembly, the same on every platform: 0.17 ms each, eight times as fast as
 * JavaScript, so that recovery can run on the event loop. Only that part of its package is loaded: all of it would take
 * a tenth of a second at the start.
 */
export function createSignatures(): Signatures {
  const library = instantiateSecp256k1()
  return {
    recover: async (digest, signature) => {
      const { recoverPublicKeyUncompressed } = await library
      const bytes = bytesOf(signature)
      const recovery = bytes[RECOVERY_AT] === 27 ? 0 : 1
      const publicKey = recoverPublicKeyUncompressed(bytes.subarray(0, RECOVERY_AT), recovery, bytesOf(digest))
      // A string is the reason for a missing key.
      return typeof publicKey === 'string' ? null : addressOf(publicKey)
    },
  }
}

/** The offset of `v`, after `r` and `s`. */
const RECOVERY_AT = 64

const bytesOf = (hex: Hex): Buffer => Buffer.from(hex.slice(2), 'hex')

/** The last 20 bytes of the hash of a public key's coordinates, which follow the byte for its format. */
const addressOf = (publicKey: Uint8Array): Address => getAddress(`0x${keccak256(publicKey.subarray(1)).slice(-40)}`)

export const createResolutionSigner = (privateKey: Hex): ResolutionSigner =>
  resolutionSignerOf(privateKeyToAccount(privateKey))

export const resolutionSignerOf = (account: Pick<LocalAccount, 'address' | 'signTypedData'>): ResolutionSigner => ({
  address: account.address,
  sign: ({ attestation, domain }) => account.signTypedData(attestationTypedData(attestation, domain)),
  probe: (domain) => account.signTypedData(attestationTypedData(PROBE_ATTESTATION, domain)),
})
