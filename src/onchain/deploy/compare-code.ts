import { attestationDomain } from '@rfqctl/protocol/domain/attestation'
import { orderDomain, type TypedDataDomain } from '@rfqctl/protocol/domain/order'
import type { Address } from '@rfqctl/protocol/domain/units'
import { domainSeparator, type Hex, keccak256, pad, slice, stringToHex, toHex } from 'viem'
import { type ContractName, type Deployment, readArtifact } from './check-deployment.ts'

/** A word of 32 bytes per immutable; null: any word, as long as it is the same everywhere. */
type Immutables = Readonly<Record<string, Hex | null>>

type CodeComparison = {
  /** Differences, as sentences; empty if every byte matches, metadata and immutables included. */
  faults: string[]
  bytes: number
  /** The actual words of the immutables that may be any. */
  chosen: Readonly<Record<string, Hex>>
}

/** The address to check, and the links expected; a null stablecoin may be any. */
export type Expected = Omit<Deployment, 'stablecoinAddress'> & { chainId: number; stablecoinAddress: Address | null }

/**
 * Compares deployed code with the artifact, byte by byte. Immutables occur at many places of the code: a contract could
 * show the right one when asked and use another, so every place is compared.
 */
export function compareCode(name: ContractName, code: Hex, expected: Expected): CodeComparison {
  const { deployedBytecode, immutableReferences } = readArtifact(name)
  const bytes = (code.length - 2) / 2
  if (bytes === 0) return { faults: ['there is no contract'], bytes: 0, chosen: {} }
  const wantedBytes = (deployedBytecode.length - 2) / 2
  if (bytes !== wantedBytes) {
    return { faults: [`it has ${bytes} bytes of code, and ${name} has ${wantedBytes}`], bytes, chosen: {} }
  }
  const immutables = immutablesOf(name, expected)
  const places = Object.entries(immutableReferences).flatMap(([immutable, all]) =>
    all.map((place) => ({ immutable, ...place })),
  )
  const differing = firstDifference(code, deployedBytecode, places)
  if (differing !== null) {
    return { faults: [`its code differs from ${name} at byte ${differing} of ${bytes}`], bytes, chosen: {} }
  }
  const wordAt = (start: number): Hex => slice(code, start, start + 32)
  const firstWords = Object.entries(immutableReferences).map(([immutable, [first]]) => [
    immutable,
    wordAt(first?.start ?? 0),
  ])
  const chosen = Object.fromEntries(firstWords.filter(([immutable = '']) => immutables[immutable] === null))
  const wrong = places.filter(({ immutable, start }) => wordAt(start) !== (immutables[immutable] ?? chosen[immutable]))
  const faults = wrong.map(
    ({ immutable, start }) =>
      `its immutable ${immutable} at byte ${start} is ${wordAt(start)}, not ${immutables[immutable] ?? chosen[immutable]}`,
  )
  return { faults, bytes, chosen }
}

/** An artifact with an immutable that is missing here never matches: nothing equals undefined. */
function immutablesOf(
  name: ContractName,
  { chainId, coreAddress, settlementAddress, stablecoinAddress }: Expected,
): Immutables {
  const stablecoin = stablecoinAddress === null ? null : wordOf(stablecoinAddress)
  if (name === 'ServiceCore') {
    return {
      ...domainWords(attestationDomain(chainId, coreAddress)),
      _stablecoin: stablecoin,
      settlement: wordOf(settlementAddress),
      DISPUTE_WINDOW: null,
      conditionalTokens: null,
    }
  }
  if (name === 'ServiceRFQSettlement') {
    return {
      ...domainWords(orderDomain(chainId, settlementAddress)),
      _core: wordOf(coreAddress),
      _stablecoin: stablecoin,
    }
  }
  if (stablecoinAddress === null) return {}
  return domainWords({ name: 'Test USD', version: '1', chainId, verifyingContract: stablecoinAddress })
}

/** OpenZeppelin's EIP712 keeps short strings as bytes from the left, with the length last. */
function domainWords(domain: TypedDataDomain): Immutables {
  const { name, version, chainId, verifyingContract } = domain
  const shortText = (text: string): Hex => {
    const bytes = Buffer.alloc(32)
    bytes[31] = bytes.write(text)
    return toHex(bytes)
  }
  return {
    _cachedChainId: toHex(chainId, { size: 32 }),
    _cachedThis: wordOf(verifyingContract),
    _cachedDomainSeparator: domainSeparator({ domain }),
    _hashedName: keccak256(stringToHex(name)),
    _hashedVersion: keccak256(stringToHex(version)),
    _name: shortText(name),
    _version: shortText(version),
  }
}

const wordOf = (address: Address): Hex => pad(address).toLowerCase() as Hex

/** The first differing byte outside `places`; null if there is none. */
function firstDifference(code: Hex, wanted: Hex, places: readonly { start: number; length: number }[]): number | null {
  const [found, right] = [code, wanted].map((hex) => Buffer.from(hex.slice(2), 'hex')) as [Buffer, Buffer]
  for (const { start, length } of places) found.copy(right, start, start, start + length)
  const index = found.findIndex((byte, at) => byte !== right[at])
  return index === -1 ? null : index
}
