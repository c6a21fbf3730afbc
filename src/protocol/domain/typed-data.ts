import { keccak256, stringToHex } from 'viem/utils'
import type { Address, Hex } from './units.ts'

/** The EIP-712 domain that a signature is made for. */
export type TypedDataDomain = {
  name: string
  /** The version of the domain. */
  version: string
  /** The one chain on which the signature counts. */
  chainId: number
  verifyingContract: Address
}

/** The hash of a struct's type, as `encodeType` of EIP-712 writes it; no field is a struct itself. */
export const typeHashOf = (name: string, fields: readonly { name: string; type: string }[]): Hex =>
  hashText(`${name}(${fields.map((field) => `${field.type} ${field.name}`).join(',')})`)

/**
 * The EIP-712 digest of a struct whose values are its fields as 256-bit words. viem encodes every type there is and takes
 * 0.10 ms, this 0.03 ms: the relay needs it for each signature, and it was a fifth of a confirm.
 */
export const digestOfWords = (domain: TypedDataDomain, typeHash: Hex, values: readonly Word[]): Hex =>
  keccak256(`0x1901${separatorOf(domain).slice(2)}${hashWords(typeHash, values).slice(2)}`)

type Word = Hex | bigint

const DOMAIN_TYPE_HASH = typeHashOf('EIP712Domain', [
  { type: 'string', name: 'name' },
  { type: 'string', name: 'version' },
  { type: 'uint256', name: 'chainId' },
  { type: 'address', name: 'verifyingContract' },
])

/** The last domain: a process nearly always has one. */
let last: { domain: TypedDataDomain; separator: Hex } | null = null

function separatorOf(domain: TypedDataDomain): Hex {
  if (last !== null && isSameDomain(last.domain, domain)) return last.separator
  const { name, version, chainId, verifyingContract } = domain
  const separator = hashWords(DOMAIN_TYPE_HASH, [hashText(name), hashText(version), BigInt(chainId), verifyingContract])
  last = { domain: { ...domain }, separator }
  return separator
}

const isSameDomain = (a: TypedDataDomain, b: TypedDataDomain): boolean =>
  a.name === b.name && a.version === b.version && a.chainId === b.chainId && a.verifyingContract === b.verifyingContract

function hashWords(typeHash: Hex, values: readonly Word[]): Hex {
  return keccak256(`${typeHash}${values.map(wordOf).join('')}`)
}

function wordOf(value: Word): string {
  return (typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(64, '0')
}

/** The word that represents a text in a struct: its hash. */
export function hashText(text: string): Hex {
  return keccak256(stringToHex(text))
}
