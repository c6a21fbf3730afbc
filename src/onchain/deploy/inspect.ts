import { serviceCoreAbi, serviceRfqSettlementAbi } from '@rfqctl/protocol/contracts/abi'
import { attestationDomain } from '@rfqctl/protocol/domain/attestation'
import { orderDomain, type TypedDataDomain } from '@rfqctl/protocol/domain/order'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import {
  type Abi,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  domainSeparator,
  getAddress,
  keccak256,
  type PublicClient,
  pad,
  slice,
  stringToHex,
  toHex,
} from 'viem'
import { type ContractName, firstDifference, readArtifact } from './artifact.ts'

export type Deployment = { stablecoinAddress: Address; coreAddress: Address; settlementAddress: Address }

/** The chain, and the contracts that are expected there; a null stablecoin may be any. */
export type Expected = Omit<Deployment, 'stablecoinAddress'> & { chainId: number; stablecoinAddress: Address | null }

export type CodeFinding = {
  kind: 'code'
  role: 'stablecoin' | 'core' | 'settlement'
  name: ContractName
  address: Address
  /** `altered`: other immutables than expected, at one place or more. */
  state: 'absent' | 'foreign' | 'altered' | 'ours'
  bytes: number
  /** Differences, as sentences; empty if every byte matches, metadata and immutables included. */
  faults: readonly string[]
  altered: readonly string[]
  /** The actual words of the immutables that may be any. */
  chosen: Readonly<Record<string, Hex>>
}

/** A contract that names another one than expected; `found` is an error where it cannot name one. */
export type LinkFinding = {
  kind: 'link'
  of: 'core' | 'settlement'
  to: 'stablecoin' | 'core' | 'settlement'
  at: Address
  expected: Address
  found: Address | BaseError
}

export type Finding = { kind: 'chain'; fault: string } | CodeFinding | LinkFinding

type Reader = Pick<PublicClient, 'getChainId' | 'getCode' | 'readContract'>

/**
 * What a chain holds at the expected addresses: one finding of code per contract, beside them a node of another chain,
 * after which it reads no further, and links that differ. Rejects if the node fails.
 */
export async function inspect(client: Reader, expected: Expected): Promise<Finding[]> {
  const { chainId, stablecoinAddress, coreAddress, settlementAddress } = expected
  const served = await client.getChainId()
  if (served !== chainId) return [{ kind: 'chain', fault: `the node serves chain ${served}, not chain ${chainId}` }]
  const contracts = [
    ...(stablecoinAddress === null ? [] : [['stablecoin', 'TestUSD', stablecoinAddress] as const]),
    ['core', 'ServiceCore', coreAddress] as const,
    ['settlement', 'ServiceRFQSettlement', settlementAddress] as const,
  ]
  const codes = await Promise.all(
    contracts.map(async ([role, name, address]): Promise<CodeFinding> => {
      const code = (await client.getCode({ address })) ?? '0x'
      return { kind: 'code', role, name, address, ...compareCode(name, code, expected) }
    }),
  )
  return codes.some(({ state }) => state === 'absent') ? codes : [...codes, ...(await readLinks(client, expected))]
}

/**
 * Differences of the contracts from the artifacts and from each other, as sentences; empty if there are none. The
 * values of immutables count by what the contracts answer. An `any` stablecoin was not deployed with them.
 */
export async function findMismatches(
  client: Reader,
  expected: Expected,
  stablecoin: 'TestUSD' | 'any' = 'TestUSD',
): Promise<string[]> {
  return mismatchesIn(await inspect(client, expected), stablecoin)
}

export function mismatchesIn(findings: readonly Finding[], stablecoin: 'TestUSD' | 'any'): string[] {
  const isForeign = ({ role, state }: CodeFinding): boolean =>
    (state === 'absent' || state === 'foreign') && (role !== 'stablecoin' || stablecoin === 'TestUSD')
  const foreign = findings.filter((finding) => finding.kind === 'code').filter(isForeign)
  if (foreign.length > 0) return foreign.map(({ address, name }) => `the code at ${address} is not ${name}`)
  return findings.flatMap((finding) => {
    if (finding.kind === 'link') return [`the ${finding.of}'s ${finding.to} is a different contract`]
    return finding.kind === 'chain' ? [finding.fault] : []
  })
}

/** Permanent choices of the deployer of a core: seconds, and the contract of the last resort. */
export function choicesOf({
  chosen: { TRADING_CUTOFF = '0x0', DISPUTE_WINDOW = '0x0', conditionalTokens = '0x0' },
}: CodeFinding): {
  tradingCutoff: number
  disputeWindow: number
  conditionalTokens: Address | null
} {
  return {
    tradingCutoff: Number(TRADING_CUTOFF),
    disputeWindow: Number(DISPUTE_WINDOW),
    conditionalTokens: BigInt(conditionalTokens) === 0n ? null : getAddress(slice(conditionalTokens, 12)),
  }
}

/** A word of 32 bytes per immutable; null: any word, as long as it is the same everywhere. */
type Immutables = Readonly<Record<string, Hex | null>>

type Comparison = Pick<CodeFinding, 'state' | 'bytes' | 'faults' | 'altered' | 'chosen'>

/**
 * Compares deployed code with the artifact, byte by byte. Immutables occur at many places of the code: a contract could
 * show the right one when asked and use another, so every place is compared.
 */
function compareCode(name: ContractName, code: Hex, expected: Expected): Comparison {
  const artifact = readArtifact(name)
  const bytes = (code.length - 2) / 2
  const foreign = (fault: string): Comparison => ({ state: 'foreign', bytes, faults: [fault], altered: [], chosen: {} })
  if (bytes === 0) return { ...foreign('there is no contract'), state: 'absent' }
  const wantedBytes = (artifact.deployedBytecode.length - 2) / 2
  if (bytes !== wantedBytes) return foreign(`it has ${bytes} bytes of code, and ${name} has ${wantedBytes}`)
  const differing = firstDifference(artifact, code)
  if (differing !== null) return foreign(`its code differs from ${name} at byte ${differing} of ${bytes}`)
  const immutables = immutablesOf(name, expected)
  const places = Object.entries(artifact.immutableReferences).flatMap(([immutable, all]) =>
    all.map(({ start }) => ({ immutable, start, word: slice(code, start, start + 32) })),
  )
  const firstWords = places.filter(({ immutable }, index) => places[index - 1]?.immutable !== immutable)
  const chosen = Object.fromEntries(
    firstWords
      .filter(({ immutable }) => immutables[immutable] === null)
      .map(({ immutable, word }) => [immutable, word]),
  )
  const wanted = { ...immutables, ...chosen }
  // An artifact with an immutable that is missing here never matches: nothing equals undefined.
  const wrong = places.filter(({ immutable, word }) => word !== wanted[immutable])
  return {
    state: wrong.length > 0 ? 'altered' : 'ours',
    bytes,
    faults: wrong.map(
      ({ immutable, start, word }) =>
        `its immutable ${immutable} at byte ${start} is ${word}, not ${wanted[immutable]}`,
    ),
    altered: wrong.map(({ immutable }) => immutable),
    chosen,
  }
}

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
      TRADING_CUTOFF: null,
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

/** The addresses by which the contracts name each other, where they are not the expected ones. */
async function readLinks(
  client: Reader,
  { coreAddress, settlementAddress, stablecoinAddress }: Expected,
): Promise<LinkFinding[]> {
  const core = { of: 'core', at: coreAddress, abi: serviceCoreAbi } as const
  const settlement = { of: 'settlement', at: settlementAddress, abi: serviceRfqSettlementAbi } as const
  const links = [
    { ...core, to: 'stablecoin', expected: stablecoinAddress },
    { ...core, to: 'settlement', expected: settlementAddress },
    { ...settlement, to: 'core', expected: coreAddress },
    { ...settlement, to: 'stablecoin', expected: stablecoinAddress },
  ] as const
  const read = links.map(async ({ of, to, at, abi, expected }): Promise<LinkFinding[]> => {
    if (expected === null) return []
    const reading = client.readContract({ address: at, abi: abi as Abi, functionName: to }) as Promise<Address>
    const found = await reading.catch(revertOf)
    return found === expected ? [] : [{ kind: 'link', of, to, at, expected, found }]
  })
  return (await Promise.all(read)).flat()
}

/** A contract of another kind has no such function, which is an answer too. */
function revertOf(fault: unknown): BaseError {
  const isRevert = (error: unknown): boolean =>
    error instanceof ContractFunctionRevertedError || error instanceof ContractFunctionZeroDataError
  if (fault instanceof BaseError && fault.walk(isRevert) !== null) return fault
  throw fault
}
