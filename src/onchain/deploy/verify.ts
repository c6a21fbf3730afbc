import { serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from '@rfqctl/protocol/contracts/abi'
import { attestationDigest, attestationDomain } from '@rfqctl/protocol/domain/attestation'
import { contractOrder, orderDigest, orderDomain } from '@rfqctl/protocol/domain/order'
import { type Address, contracts, type ResolutionBps, usd6 } from '@rfqctl/protocol/domain/units'
import { domainSeparator, type PublicClient, zeroAddress } from 'viem'
import type { Blueprint } from './blueprint.ts'
import { checkDeployment, type Deployment } from './check-deployment.ts'

/** Any order and attestation will do: their digests contain the domain that the contract keeps in its code. */
const PROBE: Address = '0x000000000000000000000000000000000000dEaD'

/**
 * Differences of a chain from a blueprint, as sentences; empty if there are none. Compares code with the artifacts,
 * immutables by the contracts' behaviour, and the holder of each role (fault J7).
 */
export async function verifyDeployment(
  client: PublicClient,
  { blueprint, deployment }: { blueprint: Blueprint; deployment: Deployment },
): Promise<string[]> {
  const { stablecoin } = blueprint
  const faults = await checkDeployment(client, deployment, stablecoin.kind === 'test' ? 'TestUSD' : 'any')
  if (faults.length > 0) return faults
  const checks = await Promise.all([
    checkDigests(client, blueprint, deployment),
    checkRoles(client, blueprint, deployment),
    stablecoin.kind === 'test' ? checkTestUsd(client, { ...blueprint, minter: stablecoin.minter }, deployment) : [],
  ])
  return checks.flat()
}

/** Checks the domains by which signatures are verified. */
async function checkDigests(
  client: PublicClient,
  { chainId }: Blueprint,
  { coreAddress, settlementAddress }: Deployment,
): Promise<string[]> {
  const order = {
    maker: PROBE,
    seriesId: '1',
    optionAmount: contracts(1n),
    premiumAmount: usd6(1n),
    makerSelling: true,
    taker: PROBE,
    validUntil: 1,
    nonce: 1,
  }
  const attestation = { seriesId: '1', resolutionBps: 1 as ResolutionBps, validUntil: 1 }
  const [orderHash, attestationHash] = await Promise.all([
    client.readContract({
      address: settlementAddress,
      abi: serviceRfqSettlementAbi,
      functionName: 'hashOrder',
      args: [contractOrder(order)],
    }),
    client.readContract({
      address: coreAddress,
      abi: serviceCoreAbi,
      functionName: 'hashAttestation',
      args: [1n, 1, 1n],
    }),
  ])
  return [
    ...unless(
      orderHash === orderDigest(order, orderDomain(chainId, settlementAddress)),
      'the settlement hashes orders for another chain or address',
    ),
    ...unless(
      attestationHash === attestationDigest(attestation, attestationDomain(chainId, coreAddress)),
      'the core hashes attestations for another chain or address',
    ),
  ]
}

async function checkRoles(
  client: PublicClient,
  { owner, guardian, resolutionSigner, registrar, disputeWindow, conditionalTokens, tokenUri }: Blueprint,
  { coreAddress }: Deployment,
): Promise<string[]> {
  const core = { address: coreAddress, abi: serviceCoreAbi } as const
  // In the contract's numbering; the last one takes no proposals.
  const roles = [
    ['owner', owner],
    ['guardian', guardian],
    ['resolution signer', resolutionSigner],
    ['registrar', registrar],
  ] as const
  const [holders, proposals, window, market, uri] = await Promise.all([
    Promise.all(roles.map((_, role) => client.readContract({ ...core, functionName: 'holderOf', args: [role] }))),
    Promise.all(roles.map((_, role) => client.readContract({ ...core, functionName: 'pendingRole', args: [role] }))),
    client.readContract({ ...core, functionName: 'DISPUTE_WINDOW' }),
    client.readContract({ ...core, functionName: 'conditionalTokens' }),
    client.readContract({ ...core, functionName: 'uri', args: [0n] }),
  ])
  return [
    ...roles.flatMap(([role, wanted], index) => [
      ...unless(holders[index] === wanted, `the ${role} is ${holders[index]}, not ${wanted}`),
      ...unless(proposals[index]?.[0] === zeroAddress, `${proposals[index]?.[0]} is proposed as ${role}`),
    ]),
    ...unless(Number(window) === disputeWindow, `the dispute window is ${window} s, not ${disputeWindow} s`),
    ...unless(market === (conditionalTokens ?? zeroAddress), `the conditional-token contract is ${market}`),
    ...unless(uri === tokenUri, 'the token URI differs'),
  ]
}

async function checkTestUsd(
  client: PublicClient,
  { chainId, deployer, owner, minter }: Blueprint & { minter: Address },
  { stablecoinAddress }: Deployment,
): Promise<string[]> {
  const token = { address: stablecoinAddress, abi: testUsdAbi } as const
  const [mint, admin, separator] = await Promise.all([
    client.readContract({ ...token, functionName: 'MINTER_ROLE' }),
    client.readContract({ ...token, functionName: 'DEFAULT_ADMIN_ROLE' }),
    client.readContract({ ...token, functionName: 'DOMAIN_SEPARATOR' }),
  ])
  const has = (role: typeof mint, account: Address) =>
    client.readContract({ ...token, functionName: 'hasRole', args: [role, account] })
  const [mayMint, mayGrant, deployerMints, deployerGrants] = await Promise.all([
    has(mint, minter),
    has(admin, owner),
    has(mint, deployer),
    has(admin, deployer),
  ])
  const domain = { name: 'Test USD', version: '1', chainId, verifyingContract: stablecoinAddress }
  return [
    ...unless(mayMint, `the faucet ${minter} may not mint`),
    ...unless(mayGrant, `the owner ${owner} may not name minters`),
    ...unless(!deployerMints || deployer === minter, `the deployer ${deployer} may mint`),
    ...unless(!deployerGrants || deployer === owner, `the deployer ${deployer} may name minters`),
    ...unless(separator === domainSeparator({ domain }), 'the stablecoin signs permits for another chain or address'),
  ]
}

const unless = (holds: boolean, fault: string): string[] => (holds ? [] : [fault])
