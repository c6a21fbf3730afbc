import type { Address } from '@rfqctl/protocol/domain/units'
import { readArtifact } from '../deploy/artifact.ts'
import { addressAt, type Blueprint } from '../deploy/blueprint.ts'
import { CREATED, creationData } from '../deploy/creation.ts'
import { type Deployment, findMismatches } from '../deploy/inspect.ts'
import type { DevAccounts } from './accounts.ts'
import { type DevClient, devnetChain } from './client.ts'
import { sendAll } from './send.ts'

/** The addresses when a deployment is the first thing that its deployer does: always the same. */
export function deploymentOf(deployer: Address): Deployment {
  const [stablecoinAddress, coreAddress, settlementAddress] = [0, 1, 2].map((nonce) => addressAt(deployer, nonce)) as [
    Address,
    Address,
    Address,
  ]
  return { stablecoinAddress, coreAddress, settlementAddress }
}

/**
 * Deploys the stablecoin, the core and the settlement on a fresh chain. Core and settlement name each other forever, so
 * the core is given the future address of the settlement. Throws if the chain then differs from the artifacts.
 */
export async function deployContracts(client: DevClient, accounts: DevAccounts): Promise<Deployment> {
  const { deployer, resolutionSigner, faucet } = accounts
  const deployment = deploymentOf(deployer.address)
  const blueprint: Blueprint = {
    chainId: devnetChain.id,
    deployer: deployer.address,
    owner: deployer.address,
    registrar: deployer.address,
    guardian: deployer.address,
    halter: null,
    resolutionSigner: resolutionSigner.address,
    tradingCutoff: 0,
    disputeWindow: 0,
    conditionalTokens: null,
    stablecoin: { kind: 'test', minter: faucet.address },
    tokenUri: '',
  }
  const works = ['stablecoin', 'core', 'settlement'] as const
  const calls = works.map((work) => {
    const { bytecode } = readArtifact(CREATED[work])
    return { does: `deploy the ${work}`, to: null, data: creationData(work, { blueprint, at: deployment, bytecode }) }
  })
  await sendAll(client, deployer.address, calls)
  const faults = await findMismatches(client, { chainId: devnetChain.id, ...deployment })
  if (faults.length > 0) throw new Error(`The deployed contracts differ from the compiled ones: ${faults.join('; ')}.`)
  return deployment
}
