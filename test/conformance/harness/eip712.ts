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

/** What a taker signs to prove a commit, written down here once more, from the protocol's page. */
const COMMIT_TYPES: Record<string, TypedDataField[]> = {
  Commit: [
    { name: 'requestId', type: 'string' },
    { name: 'wallet', type: 'address' },
    { name: 'limitPrice', type: 'uint256' },
    { name: 'minContracts', type: 'uint256' },
    { name: 'expectedQuoteId', type: 'string' },
    { name: 'firmOnly', type: 'bool' },
  ],
}

/** The proof of a commit, up to a price in micro-dollars or to any. */
export function proveCommit(
  wallet: Wallet,
  { requestId, limitPrice = 0 }: { requestId: string; limitPrice?: number },
  { chainId, settlementAddress }: { chainId: number; settlementAddress: string },
): Promise<string> {
  const domain = { name: 'ServiceRFQSettlement', version: '1', chainId, verifyingContract: settlementAddress }
  const others = { minContracts: 0, expectedQuoteId: '', firmOnly: false }
  return wallet.signTypedData(domain, COMMIT_TYPES, { requestId, wallet: wallet.address, limitPrice, ...others })
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
