import { privateKeyToAccount } from 'viem/accounts'
import { attestationTypedData } from '../domain/attestation.ts'
import type { Hex } from '../domain/units.ts'
import type { ResolutionSigner } from '../relay/ports/chain.ts'

/** Signs attestations with a private key that it keeps to itself. */
export function createResolutionSigner(privateKey: Hex): ResolutionSigner {
  const account = privateKeyToAccount(privateKey)
  return {
    address: account.address,
    sign: (attestation, domain) => account.signTypedData(attestationTypedData(attestation, domain)),
  }
}
