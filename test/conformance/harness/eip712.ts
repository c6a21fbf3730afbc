import { TypedDataEncoder, type TypedDataField, type Wallet } from 'ethers'

/** The eight fields of the specification's Order, written down here once more, from the specification. */
export const ORDER_TYPES: Record<string, TypedDataField[]> = {
  Order: [
    { name: 'maker', type: 'address' },
    { name: 'seriesId', type: 'uint256' },
    { name: 'optionAmount', type: 'uint256' },
    { name: 'premiumAmount', type: 'uint256' },
    { name: 'makerSelling', type: 'bool' },
    { name: 'taker', type: 'address' },
    { name: 'validUntil', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
  ],
}

/** The attestation's fields, from `design/contracts.md`. */
export const ATTESTATION_TYPES: Record<string, TypedDataField[]> = {
  SettlementAttestation: [
    { name: 'seriesId', type: 'uint256' },
    { name: 'resolutionBps', type: 'uint16' },
    { name: 'validUntil', type: 'uint256' },
  ],
}

/** An order as JSON carries it. */
export type Order = {
  maker: string
  seriesId: string
  optionAmount: string
  premiumAmount: string
  makerSelling: boolean
  taker: string
  validUntil: number
  nonce: number
}

/** An EIP-712 domain as JSON carries it. */
export type Domain = { name: string; version: string; chainId: number; verifyingContract: string }

/** What a maker does with `quote:accepted`: signs the order under the domain and types that came with it. */
export function signAccepted(
  wallet: Wallet,
  accepted: { order: Order; domain: Domain; types: Record<string, TypedDataField[]> },
): Promise<string> {
  return wallet.signTypedData(accepted.domain, accepted.types, accepted.order)
}

/** The digest that such a signature covers. */
export const orderDigest = (domain: Domain, order: Order): string => TypedDataEncoder.hash(domain, ORDER_TYPES, order)
