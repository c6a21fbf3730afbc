import type { CommitTerms } from './commit.ts'
import { digestOfWords, hashText, type TypedDataDomain, typeHashOf } from './typed-data.ts'
import type { Address, Hex } from './units.ts'

/** Proof of a taker that the wallet of a commit is its own. It moves no money, and ends with the request. */
export type ProvenCommit = Pick<
  CommitTerms,
  'wallet' | 'side' | 'limitPrice' | 'minContracts' | 'expectedQuoteId' | 'firmOnly'
> & {
  requestId: string
}

/** Settings of a relay for the proof of commits. */
export const COMMIT_PROOFS = ['optional', 'required'] as const

/** Whether a commit must show that its wallet is its taker's. */
export type CommitProof = (typeof COMMIT_PROOFS)[number]

/** The EIP-712 type list of a commit. */
export const COMMIT_TYPES = {
  Commit: [
    { name: 'requestId', type: 'string' },
    { name: 'wallet', type: 'address' },
    { name: 'limitPrice', type: 'uint256' },
    { name: 'minContracts', type: 'uint256' },
    { name: 'expectedQuoteId', type: 'string' },
    { name: 'firmOnly', type: 'bool' },
  ],
} as const

/** The type list of a commit that names its side, since its request asks for both. */
export const SIDED_COMMIT_TYPES = { Commit: [...COMMIT_TYPES.Commit, { name: 'side', type: 'string' }] } as const

const COMMIT_TYPE_HASH = typeHashOf('Commit', COMMIT_TYPES.Commit)
const SIDED_COMMIT_TYPE_HASH = typeHashOf('Commit', SIDED_COMMIT_TYPES.Commit)

/** A commit in the types of its typed data: 0 and the empty text mean a protection that is off, `limitPrice` is in micro-dollars. */
const messageOf = ({ requestId, wallet, limitPrice, minContracts, expectedQuoteId, firmOnly }: ProvenCommit) => ({
  requestId,
  wallet: wallet as Address,
  limitPrice: (limitPrice ?? 0n) as bigint,
  minContracts: (minContracts ?? 0n) as bigint,
  expectedQuoteId: expectedQuoteId ?? '',
  firmOnly: firmOnly === true,
})

/** EIP-712 typed data of a commit. */
type CommitTypedData = {
  domain: TypedDataDomain
  types: { Commit: readonly { name: string; type: string }[] }
  primaryType: 'Commit'
  message: Record<string, unknown>
}

/** A commit as EIP-712 typed data in the domain of orders, ready for any signer. */
export function commitTypedData(commit: ProvenCommit, domain: TypedDataDomain): CommitTypedData {
  const { side } = commit
  const message = messageOf(commit)
  return side === undefined
    ? { domain, types: COMMIT_TYPES, primaryType: 'Commit', message }
    : { domain, types: SIDED_COMMIT_TYPES, primaryType: 'Commit', message: { ...message, side } }
}

/** The EIP-712 digest of a commit. */
export function commitDigest(commit: ProvenCommit, domain: TypedDataDomain): Hex {
  const { requestId, wallet, limitPrice, minContracts, expectedQuoteId, firmOnly } = messageOf(commit)
  const words = [hashText(requestId), wallet, limitPrice, minContracts, hashText(expectedQuoteId), firmOnly ? 1n : 0n]
  return commit.side === undefined
    ? digestOfWords(domain, COMMIT_TYPE_HASH, words)
    : digestOfWords(domain, SIDED_COMMIT_TYPE_HASH, [...words, hashText(commit.side)])
}
