import {
  deploymentFactoryAbi,
  serviceCoreAbi,
  serviceRfqSettlementAbi,
  testUsdAbi,
} from '@rfqctl/protocol/contracts/abi'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import { encodeDeployData, encodeFunctionData, keccak256 } from 'viem'
import { type ContractName, readArtifact } from './artifact.ts'
import { addressAt, type Blueprint, coreSetup } from './blueprint.ts'
import type { Deployment } from './inspect.ts'
import type { Work } from './plan.ts'
import { proxiedAddress, proxiedCall } from './proxy.ts'

export type Part = 'stablecoin' | 'factory' | 'core' | 'settlement'

export const CREATED: Readonly<Record<Part, ContractName>> = {
  stablecoin: 'TestUSD',
  factory: 'DeploymentFactory',
  core: 'ServiceCore',
  settlement: 'ServiceRFQSettlement',
}

/** A deployment as it is or will be, by a factory of its own. */
export type Planned = Deployment & { factoryAddress: Address }

/** A blueprint, and how many deployments of its deployer come before. */
export type Numbered = { blueprint: Blueprint; salt: number }

/**
 * Creation data of a contract: its bytecode and encoded constructor arguments. With `0x` as bytecode, the arguments
 * alone, as block explorers ask for them.
 */
export function creationData(
  part: Part,
  { blueprint, at, bytecode }: { blueprint: Blueprint; at: Deployment; bytecode: Hex },
): Hex {
  if (part === 'stablecoin') return stablecoinCreation(blueprint, bytecode)
  if (part === 'factory') return factoryCreation(blueprint, bytecode)
  return part === 'core'
    ? encodeDeployData({ abi: serviceCoreAbi, bytecode, args: [setupOf(blueprint, at)] })
    : encodeDeployData({ abi: serviceRfqSettlementAbi, bytecode, args: [at.coreAddress] })
}

const bytecodeOf = (part: Part): Hex => readArtifact(CREATED[part]).bytecode

const codeHashes = new Map<Part, Hex>()

/** Hashing takes milliseconds, and the code of a version never changes. */
function codeHashOf(part: Part): Hex {
  const hash = codeHashes.get(part) ?? keccak256(bytecodeOf(part))
  codeHashes.set(part, hash)
  return hash
}

const setupOf = (blueprint: Blueprint, { stablecoinAddress, settlementAddress }: Deployment) =>
  coreSetup(blueprint, { stablecoin: stablecoinAddress, settlement: settlementAddress })

function stablecoinCreation({ deployer, owner, stablecoin }: Blueprint, bytecode: Hex = bytecodeOf('stablecoin')): Hex {
  const minter = stablecoin.kind === 'test' ? stablecoin.minter : deployer
  return encodeDeployData({ abi: testUsdAbi, bytecode, args: [owner, minter] })
}

/** The factory takes the code of this version alone, so that its address says which code is behind it. */
function factoryCreation({ deployer }: Pick<Blueprint, 'deployer'>, bytecode: Hex = bytecodeOf('factory')): Hex {
  const hashes = [codeHashOf('core'), codeHashOf('settlement')] as const
  return encodeDeployData({ abi: deploymentFactoryAbi, bytecode, args: [deployer, ...hashes] })
}

/** The addresses of core and settlement, the first that the factory creates, follow from deployer and number alone. */
export function pairOf(
  deployer: Address,
  salt: number,
): Pick<Planned, 'factoryAddress' | 'coreAddress' | 'settlementAddress'> {
  const factoryAddress = proxiedAddress(salt, factoryCreation({ deployer }))
  return { factoryAddress, coreAddress: addressAt(factoryAddress, 1), settlementAddress: addressAt(factoryAddress, 2) }
}

/** More deployments than any deployer makes with one version. */
const MOST = 64

/** The salt of the deployment of these addresses; null where it is none of the first 64 of its deployer. */
export function numberOf(
  deployer: Address,
  { coreAddress, settlementAddress }: Pick<Deployment, 'coreAddress' | 'settlementAddress'>,
): number | null {
  const found = Array.from({ length: MOST }, (_, salt) => salt).find((salt) => {
    const pair = pairOf(deployer, salt)
    return pair.coreAddress === coreAddress && pair.settlementAddress === settlementAddress
  })
  return found ?? null
}

/** The address of a test stablecoin follows from its owner and minter, too. */
export const deploymentOf = ({ blueprint, salt }: Numbered): Planned => ({
  ...pairOf(blueprint.deployer, salt),
  stablecoinAddress:
    blueprint.stablecoin.kind === 'existing'
      ? blueprint.stablecoin.address
      : proxiedAddress(salt, stablecoinCreation(blueprint)),
})

/** A step's transaction. None depends on the nonce that it is sent with. */
export function callOf(work: Work, { blueprint, salt }: Numbered): { to: Address; data: Hex } {
  if (work === 'stablecoin') return proxiedCall(salt, stablecoinCreation(blueprint))
  if (work === 'factory') return proxiedCall(salt, factoryCreation(blueprint))
  const planned = deploymentOf({ blueprint, salt })
  const args = [bytecodeOf('core'), setupOf(blueprint, planned), bytecodeOf('settlement')] as const
  return {
    to: planned.factoryAddress,
    data: encodeFunctionData({ abi: deploymentFactoryAbi, functionName: 'deploy', args }),
  }
}
