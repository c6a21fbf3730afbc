import type { PublicClient } from 'viem'
import { serviceCoreAbi, serviceRfqSettlementAbi } from '../contracts/abi.ts'
import type { Address } from '../domain/units.ts'
import { type ContractName, isCodeOf, readArtifact } from './artifacts.ts'

type Reader = Pick<PublicClient, 'getCode' | 'readContract'>

/** Where the contracts of a deployment are. */
export type Deployment = { stablecoinAddress: Address; coreAddress: Address; settlementAddress: Address }

/**
 * How the contracts on a chain differ from the committed artifacts and from each other; empty when they do not. `any`
 * stablecoin is one that was not deployed with them.
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

/** The immutables, which the comparison of code leaves out. */
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
