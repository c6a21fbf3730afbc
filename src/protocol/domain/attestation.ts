import { hashTypedData } from 'viem/utils'
import type { TypedDataDomain } from './order.ts'
import type { ResolutionMeta } from './resolution.ts'
import type { SeriesId, SeriesTerms } from './series.ts'
import type { Address, Hex, ResolutionBps } from './units.ts'

/** A resolution that the signer attests. */
export type SettlementAttestation = {
  seriesId: SeriesId
  resolutionBps: ResolutionBps
  /** Last second in which the chain accepts it, Unix seconds of chain time. */
  validUntil: number
}

/** A resolution to sign, with the terms of its series, whose id is their hash. */
export type SigningRequest = { attestation: SettlementAttestation; terms: SeriesTerms; domain: TypedDataDomain }

/** An attestation to nothing: no series has this id, and it has expired. Its signature shows who accepts what a key signs. */
export const PROBE_ATTESTATION: SettlementAttestation = {
  seriesId: '0',
  resolutionBps: 0 as ResolutionBps,
  validUntil: 0,
}

/** Time in which an attestation can be relayed, in seconds (decision S4). */
export const ATTESTATION_VALIDITY_S = 900

/** The EIP-712 type list of an attestation. */
export const ATTESTATION_TYPES = {
  SettlementAttestation: [
    { name: 'seriesId', type: 'uint256' },
    { name: 'resolutionBps', type: 'uint16' },
    { name: 'validUntil', type: 'uint256' },
  ],
} as const

/** The EIP-712 domain of attestations. */
export const attestationDomain = (chainId: number, core: Address): TypedDataDomain => ({
  name: 'ServiceCore',
  version: '1',
  chainId,
  verifyingContract: core,
})

/** An attestation as EIP-712 typed data, ready for any signer. */
export const attestationTypedData = (attestation: SettlementAttestation, domain: TypedDataDomain) =>
  ({
    domain,
    types: ATTESTATION_TYPES,
    primaryType: 'SettlementAttestation',
    message: {
      seriesId: BigInt(attestation.seriesId),
      resolutionBps: attestation.resolutionBps,
      validUntil: BigInt(attestation.validUntil),
    },
  }) as const

/** The EIP-712 digest of an attestation. */
export const attestationDigest = (attestation: SettlementAttestation, domain: TypedDataDomain): Hex =>
  hashTypedData(attestationTypedData(attestation, domain))

/** A signed resolution with the figures behind it. */
export type PreparedSettlement = {
  /** The attestation that was signed. */
  attestation: SettlementAttestation
  signature: Hex
  /** The figures behind the price. */
  meta: ResolutionMeta
  /** The domain that it was signed for. */
  domain: TypedDataDomain
}
