import { serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from '@rfqctl/protocol/contracts/abi'
import type { Hex } from '@rfqctl/protocol/domain/units'
import { encodeDeployData } from 'viem'
import type { ContractName } from './artifact.ts'
import { type Blueprint, coreSetup } from './blueprint.ts'
import type { Deployment } from './inspect.ts'
import type { Work } from './plan.ts'

export const CREATED: Readonly<Record<Work, ContractName>> = {
  stablecoin: 'TestUSD',
  core: 'ServiceCore',
  settlement: 'ServiceRFQSettlement',
}

/**
 * Creation data of a step's contract: its bytecode and encoded constructor arguments. With `0x` as bytecode, the
 * arguments alone, as block explorers ask for them.
 */
export function creationData(
  work: Work,
  { blueprint, at, bytecode }: { blueprint: Blueprint; at: Deployment; bytecode: Hex },
): Hex {
  const { deployer, owner, stablecoin } = blueprint
  if (work === 'stablecoin') {
    const minter = stablecoin.kind === 'test' ? stablecoin.minter : deployer
    return encodeDeployData({ abi: testUsdAbi, bytecode, args: [owner, minter] })
  }
  if (work === 'core') {
    const setup = coreSetup(blueprint, { stablecoin: at.stablecoinAddress, settlement: at.settlementAddress })
    return encodeDeployData({ abi: serviceCoreAbi, bytecode, args: [setup] })
  }
  return encodeDeployData({ abi: serviceRfqSettlementAbi, bytecode, args: [at.coreAddress] })
}
