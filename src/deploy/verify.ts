import { domainSeparator, type PublicClient, zeroAddress } from 'viem'
import { serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from '../contracts/abi.ts'
import { attestationDigest, attestationDomain } from '../domain/attestation.ts'
import { contractOrder, orderDigest, orderDomain } from '../domain/order.ts'
import { type Address, contracts, type ResolutionBps, usd6 } from '../domain/units.ts'
import type { Blueprint } from './blueprint.ts'
import { checkDeployment, type Deployment } from './check-deployment.ts'

/** Any order and attestation will do: their digests hold the domain that the contract keeps in its code. */
const PROBE: Address = '0x000000000000000000000000000000000000dEaD'

/**
 * How what stands on a chain differs from a blueprint, as sentences; empty when it does not. Code is compared with the
 * artifacts, immutables by what the contracts do with them, and who holds which role (fault J7).
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

/** The domains that signatures are checked by. */
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
  { deployer, owner, resolutionSigner, tokenUri }: Blueprint,
  { coreAddress }: Deployment,
): Promise<string[]> {
  const core = { address: coreAddress, abi: serviceCoreAbi } as const
  const [found, pendingOwner, signer, [pendingSigner], uri] = await Promise.all([
    client.readContract({ ...core, functionName: 'owner' }),
    client.readContract({ ...core, functionName: 'pendingOwner' }),
    client.readContract({ ...core, functionName: 'resolutionSigner' }),
    client.readContract({ ...core, functionName: 'pendingResolutionSigner' }),
    client.readContract({ ...core, functionName: 'uri', args: [0n] }),
  ])
  const isOwned = found === owner || (found === deployer && pendingOwner === owner)
  return [
    ...unless(isOwned, `the core belongs to ${found}, and is not being handed over to ${owner}`),
    ...unless(signer === resolutionSigner, `the resolution signer is ${signer}, not ${resolutionSigner}`),
    ...unless(pendingSigner === zeroAddress, `${pendingSigner} is announced as resolution signer`),
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
