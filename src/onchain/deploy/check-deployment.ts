import { readFileSync } from 'node:fs'
import { serviceCoreAbi, serviceRfqSettlementAbi } from '@rfqctl/protocol/contracts/abi'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import type { PublicClient } from 'viem'

type Reader = Pick<PublicClient, 'getCode' | 'readContract'>

export type Deployment = { stablecoinAddress: Address; coreAddress: Address; settlementAddress: Address }

/**
 * Differences of the contracts on a chain from the committed artifacts and from each other; empty if there are none. An
 * `any` stablecoin was not deployed with them.
 */
export async function checkDeployment(
  client: Reader,
  deployment: Deployment,
  stablecoin: 'TestUSD' | 'any' = 'TestUSD',
): Promise<string[]> {
  const { stablecoinAddress, coreAddress, settlementAddress } = deployment
  const contracts: readonly (readonly [ContractName, Address])[] = [
    ...(stablecoin === 'TestUSD' ? ([['TestUSD', stablecoinAddress]] as const) : []),
    ['ServiceCore', coreAddress],
    ['ServiceRFQSettlement', settlementAddress],
  ]
  const codes = await Promise.all(contracts.map(([, address]) => client.getCode({ address })))
  const foreign = contracts.filter(([name], index) => !isCodeOf(readArtifact(name), codes[index] ?? '0x'))
  if (foreign.length > 0) return foreign.map(([name, address]) => `the code at ${address} is not ${name}`)
  return checkLinks(client, deployment)
}

/** Checks the immutables, which the comparison of code leaves out. */
async function checkLinks(client: Reader, deployment: Deployment): Promise<string[]> {
  const { stablecoinAddress, coreAddress, settlementAddress } = deployment
  const core = { address: coreAddress, abi: serviceCoreAbi } as const
  const settlement = { address: settlementAddress, abi: serviceRfqSettlementAbi } as const
  const found = await Promise.all([
    client.readContract({ ...core, functionName: 'stablecoin' }),
    client.readContract({ ...core, functionName: 'settlement' }),
    client.readContract({ ...settlement, functionName: 'core' }),
    client.readContract({ ...settlement, functionName: 'stablecoin' }),
  ])
  const expected = [stablecoinAddress, settlementAddress, coreAddress, stablecoinAddress]
  const names = [
    "the core's stablecoin",
    "the core's settlement",
    "the settlement's core",
    "the settlement's stablecoin",
  ]
  return names.filter((_, index) => found[index] !== expected[index]).map((name) => `${name} is a different contract`)
}

export type ContractName = 'TestUSD' | 'ServiceCore' | 'ServiceRFQSettlement'

/** Compiler output of a contract; the places of its immutables are in bytes of the deployed code. */
export type Artifact = {
  compiler: { version: string }
  bytecode: Hex
  deployedBytecode: Hex
  immutableReferences: Readonly<Record<string, readonly { start: number; length: number }[]>>
}

/** The folder of artifacts is as far from `src/onchain/deploy` as from `dist/deploy`. */
export function readArtifact(name: ContractName): Artifact {
  const url = new URL(`../../../contracts/artifacts/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8')) as Artifact
}

/** Ignores the values of immutables (fault J7). */
export function isCodeOf({ deployedBytecode, immutableReferences }: Artifact, code: Hex): boolean {
  const places = Object.values(immutableReferences).flat()
  if (code.length !== deployedBytecode.length) return false
  return maskPlaces(code, places) === maskPlaces(deployedBytecode, places)
}

function maskPlaces(code: Hex, places: readonly { start: number; length: number }[]): string {
  const bytes = Buffer.from(code.slice(2), 'hex')
  for (const { start, length } of places) bytes.fill(0, start, start + length)
  return bytes.toString('hex')
}
