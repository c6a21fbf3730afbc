import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import { keccak256, stringToHex } from 'viem/utils'
import type { ContractCall } from './contract-calls.ts'

/** A batch of transactions as the Transaction Builder of Safe imports it. */
export type SafeBatch = {
  /** `version` of the format. */
  version: '1.0'
  /** The chain, in decimal. */
  chainId: string
  /** Unix milliseconds. */
  createdAt: number
  /**
   * Fields that the builder shows: `name`, `description`, its version as `txBuilderVersion`, the wallet as `createdFromSafeAddress` and
   * one of its owners as `createdFromOwnerAddress`, both empty where unknown; `checksum` shows that the file was not changed.
   */
  meta: {
    name: string
    description: string
    txBuilderVersion: string
    createdFromSafeAddress: string
    createdFromOwnerAddress: string
    checksum: Hex
  }
  /**
   * Transactions to send, in this order: the receiver `to`, the `value` in coin, the `data`; `contractMethod` and `contractInputsValues`
   * are for batches without data.
   */
  transactions: { to: Address; value: '0'; data: Hex; contractMethod: null; contractInputsValues: null }[]
}

/** The version of the builder that this format was taken from. */
const BUILDER_VERSION = '1.17.1'

/**
 * Makes the file that a Safe's Transaction Builder imports.
 * @param input.chainId - The chain.
 * @param input.safe - The multi-signature wallet; null where unknown.
 * @param input.name - Name that the signers see.
 * @param input.calls - The calls, in their order.
 * @param input.createdAt - Unix milliseconds.
 * @returns The batch, to be written as JSON.
 * @example
 * import { createSafeBatch } from 'rfqctl/client'
 *
 * const batch = createSafeBatch({
 *   chainId: 137,
 *   safe: wallet,
 *   name: 'make the proposed signer active',
 *   calls: [calls.acceptRole({ role: 'signer' })],
 *   createdAt: Date.now(),
 * })
 * console.log(JSON.stringify(batch))
 */
export function createSafeBatch(input: {
  chainId: number
  safe: Address | null
  name: string
  calls: readonly Pick<ContractCall, 'to' | 'data'>[]
  createdAt: number
}): SafeBatch {
  const { chainId, safe, name, calls, createdAt } = input
  const meta = {
    name,
    description: '',
    txBuilderVersion: BUILDER_VERSION,
    createdFromSafeAddress: safe ?? '',
    createdFromOwnerAddress: '',
  }
  const transactions = calls.map(({ to, data }) => ({
    to,
    value: '0' as const,
    data,
    contractMethod: null,
    contractInputsValues: null,
  }))
  const batch = { version: '1.0' as const, chainId: String(chainId), createdAt, meta, transactions }
  return { ...batch, meta: { ...meta, checksum: checksumOf(batch) } }
}

/** Hash that the builder compares: over everything but the name, with the keys of every object sorted and listed first. */
const checksumOf = (batch: Omit<SafeBatch, 'meta'> & { meta: object }): Hex =>
  keccak256(stringToHex(serialized({ ...batch, meta: { ...batch.meta, name: null } })))

function serialized(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(serialized).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = value as Readonly<Record<string, unknown>>
  const keys = Object.keys(members).sort()
  return `{${JSON.stringify(keys)}${keys.map((key) => `${serialized(members[key])},`).join('')}}`
}
