import type { Blueprint } from '../deploy/blueprint.ts'
import { callOf, deploymentOf } from '../deploy/creation.ts'
import { type Deployment, findMismatches } from '../deploy/inspect.ts'
import { WORK_GAS } from '../deploy/preflight.ts'
import type { DevAccounts } from './accounts.ts'
import { type DevClient, devnetChain } from './client.ts'
import { sendAll } from './send.ts'

const blueprintOf = ({ deployer, resolutionSigner, faucet }: DevAccounts): Blueprint => ({
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
})

/** The addresses of a version's contracts in a sandbox: always the same. */
export function devDeployment(accounts: DevAccounts): Deployment {
  const { stablecoinAddress, coreAddress, settlementAddress } = deploymentOf(firstOf(accounts))
  return { stablecoinAddress, coreAddress, settlementAddress }
}

const firstOf = (accounts: DevAccounts) => ({ blueprint: blueprintOf(accounts), salt: 0 })

/**
 * Deploys the stablecoin, the core and the settlement on a fresh chain, as on any chain: Anvil has the deployment proxy.
 * Throws if the chain then differs from the artifacts.
 */
export async function deployContracts(client: DevClient, accounts: DevAccounts): Promise<Deployment> {
  const first = firstOf(accounts)
  const works = ['stablecoin', 'factory', 'pair'] as const
  const calls = works.map((work) => ({ does: `deploy the ${work}`, gas: WORK_GAS[work], ...callOf(work, first) }))
  await sendAll(client, accounts.deployer.address, calls)
  const deployment = devDeployment(accounts)
  const faults = await findMismatches(client, { chainId: devnetChain.id, ...deployment })
  if (faults.length > 0) throw new Error(`The deployed contracts differ from the compiled ones: ${faults.join('; ')}.`)
  return deployment
}
