import { serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from '@rfqctl/protocol/contracts/abi'
import type { Address } from '@rfqctl/protocol/domain/units'
import { encodeDeployData, getContractAddress } from 'viem'
import { readArtifact } from '../deploy/artifact.ts'
import { coreSetup } from '../deploy/blueprint.ts'
import { type Deployment, findMismatches } from '../deploy/inspect.ts'
import type { DevAccounts } from './accounts.ts'
import { type DevClient, devnetChain } from './client.ts'
import { sendAll } from './send.ts'

const TOKEN_URI = ''

/** The addresses when a deployment is the first thing that its deployer does: always the same. */
export function deploymentOf(deployer: Address): Deployment {
  const addressAt = (nonce: bigint) => getContractAddress({ from: deployer, nonce })
  return { stablecoinAddress: addressAt(0n), coreAddress: addressAt(1n), settlementAddress: addressAt(2n) }
}

/**
 * Deploys the stablecoin, the core and the settlement on a fresh chain. Core and settlement name each other forever, so
 * the core is given the future address of the settlement. Throws if the chain then differs from the artifacts.
 */
export async function deployContracts(client: DevClient, accounts: DevAccounts): Promise<Deployment> {
  const { deployer, resolutionSigner, faucet } = accounts
  const deployment = deploymentOf(deployer.address)
  const { stablecoinAddress, coreAddress, settlementAddress } = deployment
  const roles = {
    owner: deployer.address,
    registrar: deployer.address,
    guardian: deployer.address,
    resolutionSigner: resolutionSigner.address,
    disputeWindow: 0,
    conditionalTokens: null,
    tokenUri: TOKEN_URI,
  }
  await sendAll(client, deployer.address, [
    {
      does: 'deploy the stablecoin',
      to: null,
      data: encodeDeployData({
        abi: testUsdAbi,
        bytecode: readArtifact('TestUSD').bytecode,
        args: [deployer.address, faucet.address],
      }),
    },
    {
      does: 'deploy the core',
      to: null,
      data: encodeDeployData({
        abi: serviceCoreAbi,
        bytecode: readArtifact('ServiceCore').bytecode,
        args: [coreSetup(roles, { stablecoin: stablecoinAddress, settlement: settlementAddress })],
      }),
    },
    {
      does: 'deploy the settlement',
      to: null,
      data: encodeDeployData({
        abi: serviceRfqSettlementAbi,
        bytecode: readArtifact('ServiceRFQSettlement').bytecode,
        args: [coreAddress],
      }),
    },
  ])
  const faults = await findMismatches(client, { chainId: devnetChain.id, ...deployment })
  if (faults.length > 0) throw new Error(`The deployed contracts differ from the compiled ones: ${faults.join('; ')}.`)
  return deployment
}
