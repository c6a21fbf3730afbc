import type { SettlementAttestation } from '../../domain/attestation.ts'
import type { TypedDataDomain } from '../../domain/order.ts'
import type { Address, Hex } from '../../domain/units.ts'

/** Signs resolutions; the key never leaves it. */
export type ResolutionSigner = {
  address: Address
  sign: (attestation: SettlementAttestation, domain: TypedDataDomain) => Promise<Hex>
}

/** Recovers who signed a digest; a signature of the normalised 65-byte form. Null when it recovers to no one. */
export type Signatures = { recover: (digest: Hex, signature: Hex) => Promise<Address | null> }
