import { AbiCoder, id, keccak256, TypedDataEncoder } from 'ethers'
import type { SettlementAttestation } from '../../../src/protocol/domain/attestation.ts'
import type { ProvenCommit } from '../../../src/protocol/domain/commit-proof.ts'
import type { Order, TypedDataDomain } from '../../../src/protocol/domain/order.ts'
import type { VanillaTerms } from '../../../src/protocol/domain/series.ts'

/** The signed structs once more, from the specification and contracts.md, so that a slip in the domain shows. */
export const ORDER_STRUCT =
  'Order(address maker,uint256 seriesId,uint256 optionAmount,uint256 premiumAmount,bool makerSelling,address taker,uint256 validUntil,uint256 nonce)'
export const ATTESTATION_STRUCT = 'SettlementAttestation(uint256 seriesId,uint16 resolutionBps,uint256 validUntil)'

/** Of protocol commit-13. */
const COMMIT_STRUCT =
  'Commit(string requestId,address wallet,uint256 limitPrice,uint256 minContracts,string expectedQuoteId,bool firmOnly)'

type TypeList = Record<string, { name: string; type: string }[]>

/** The type list that a struct's text describes. */
function typesOf(struct: string): TypeList {
  const [name = '', fields = ''] = struct.replace(')', '').split('(')
  const typed = fields.split(',').map((field) => field.split(' '))
  return { [name]: typed.map(([type = '', fieldName = '']) => ({ name: fieldName, type })) }
}

export const ethersOrderTypes = typesOf(ORDER_STRUCT)
export const ethersAttestationTypes = typesOf(ATTESTATION_STRUCT)

export const ethersCommitTypes = typesOf(COMMIT_STRUCT)

export const ethersTypeHash = (struct: string): string => id(struct)

export const ethersDomainSeparator = (domain: TypedDataDomain): string => TypedDataEncoder.hashDomain(domain)

export const ethersOrderDigest = (order: Order, domain: TypedDataDomain): string =>
  TypedDataEncoder.hash(domain, ethersOrderTypes, order)

export const ethersAttestationDigest = (attestation: SettlementAttestation, domain: TypedDataDomain): string =>
  TypedDataEncoder.hash(domain, ethersAttestationTypes, attestation)

/** What is off is 0, or the empty text. */
export const ethersCommitDigest = (
  { limitPrice, minContracts, expectedQuoteId, firmOnly, ...commit }: ProvenCommit,
  domain: TypedDataDomain,
): string =>
  TypedDataEncoder.hash(domain, ethersCommitTypes, {
    ...commit,
    limitPrice: limitPrice ?? 0,
    minContracts: minContracts ?? 0,
    expectedQuoteId: expectedQuoteId ?? '',
    firmOnly: firmOnly ?? false,
  })

/** Decision U6 by ethers' ABI coder and keccak. */
export function ethersSeriesId({ conditionId, yesTokenId, strikeBps, expiry, optionType }: VanillaTerms): string {
  const encoded = AbiCoder.defaultAbiCoder().encode(
    ['bytes32', 'uint256', 'uint16', 'uint64', 'uint8'],
    [conditionId, yesTokenId, strikeBps, expiry, optionType === 'call' ? 0 : 1],
  )
  return BigInt(keccak256(encoded)).toString()
}

/** The id of any series, by what stands for its option. */
export function ethersShapedId({
  conditionId,
  yesTokenId,
  shape,
  expiry,
  kind,
}: Pick<VanillaTerms, 'conditionId' | 'yesTokenId' | 'expiry'> & { shape: bigint; kind: number }): string {
  const encoded = AbiCoder.defaultAbiCoder().encode(
    ['bytes32', 'uint256', 'uint256', 'uint64', 'uint8'],
    [conditionId, yesTokenId, shape, expiry, kind],
  )
  return BigInt(keccak256(encoded)).toString()
}
