import { serviceCoreAbi, testUsdAbi } from '@rfqctl/protocol/contracts/abi'
import type { Address } from '@rfqctl/protocol/domain/units'
import { type PublicClient, zeroAddress } from 'viem'
import type { Blueprint } from './blueprint.ts'
import { type CodeFinding, choicesOf, type Deployment, inspect, mismatchesIn } from './inspect.ts'

/**
 * Differences of a chain from a blueprint, as sentences; empty if there are none. Compares code with the artifacts, the
 * domains by which signatures are verified, and the holder of each role (fault J7).
 */
export async function verifyDeployment(
  client: PublicClient,
  { blueprint, deployment }: { blueprint: Blueprint; deployment: Deployment },
): Promise<string[]> {
  const { chainId, stablecoin } = blueprint
  const findings = await inspect(client, { chainId, ...deployment })
  const faults = mismatchesIn(findings, stablecoin.kind === 'test' ? 'TestUSD' : 'any')
  if (faults.length > 0) return faults
  const checks = await Promise.all([
    findings.flatMap((finding) => (finding.kind === 'code' ? immutableFaults(finding, blueprint) : [])),
    checkRoles(client, blueprint, deployment),
    stablecoin.kind === 'test' ? checkTestUsd(client, { ...blueprint, minter: stablecoin.minter }, deployment) : [],
  ])
  return checks.flat()
}

function immutableFaults(finding: CodeFinding, blueprint: Blueprint): string[] {
  const { stablecoin, tradingCutoff, disputeWindow, conditionalTokens } = blueprint
  const { role, address, altered, faults } = finding
  if (role === 'stablecoin' && stablecoin.kind === 'existing') return []
  if (altered.some((name) => name.startsWith('_cached'))) return [`the ${HASHES[role]} for another chain or address`]
  if (role !== 'core' || faults.length > 0) return faults.map((fault) => `the code at ${address}: ${fault}`)
  const chosen = choicesOf(finding)
  return [
    ...unless(
      chosen.tradingCutoff === tradingCutoff,
      `the trading cut-off is ${chosen.tradingCutoff} s, not ${tradingCutoff} s`,
    ),
    ...unless(
      chosen.disputeWindow === disputeWindow,
      `the dispute window is ${chosen.disputeWindow} s, not ${disputeWindow} s`,
    ),
    ...unless(
      chosen.conditionalTokens === conditionalTokens,
      `the conditional-token contract is ${chosen.conditionalTokens ?? zeroAddress}`,
    ),
  ]
}

const HASHES: Readonly<Record<CodeFinding['role'], string>> = {
  stablecoin: 'stablecoin signs permits',
  core: 'core hashes attestations',
  settlement: 'settlement hashes orders',
}

async function checkRoles(
  client: PublicClient,
  { owner, guardian, resolutionSigner, registrar, halter, tokenUri }: Blueprint,
  { coreAddress }: Deployment,
): Promise<string[]> {
  const core = { address: coreAddress, abi: serviceCoreAbi } as const
  // In the contract's numbering; the last two take no proposals.
  const roles = [
    ['owner', owner],
    ['guardian', guardian],
    ['resolution signer', resolutionSigner],
    ['registrar', registrar],
    ['halter', halter ?? zeroAddress],
  ] as const
  const [holders, proposals, uri] = await Promise.all([
    Promise.all(roles.map((_, role) => client.readContract({ ...core, functionName: 'holderOf', args: [role] }))),
    Promise.all(roles.map((_, role) => client.readContract({ ...core, functionName: 'pendingRole', args: [role] }))),
    client.readContract({ ...core, functionName: 'uri', args: [0n] }),
  ])
  return [
    ...roles.flatMap(([role, wanted], index) => [
      ...unless(holders[index] === wanted, `the ${role} is ${holders[index]}, not ${wanted}`),
      ...unless(proposals[index]?.[0] === zeroAddress, `${proposals[index]?.[0]} is proposed as ${role}`),
    ]),
    ...unless(uri === tokenUri, 'the token URI differs'),
  ]
}

async function checkTestUsd(
  client: PublicClient,
  { deployer, owner, minter }: Blueprint & { minter: Address },
  { stablecoinAddress }: Deployment,
): Promise<string[]> {
  const token = { address: stablecoinAddress, abi: testUsdAbi } as const
  const [mint, admin] = await Promise.all([
    client.readContract({ ...token, functionName: 'MINTER_ROLE' }),
    client.readContract({ ...token, functionName: 'DEFAULT_ADMIN_ROLE' }),
  ])
  const has = (role: typeof mint, account: Address) =>
    client.readContract({ ...token, functionName: 'hasRole', args: [role, account] })
  const [mayMint, mayGrant, deployerMints, deployerGrants] = await Promise.all([
    has(mint, minter),
    has(admin, owner),
    has(mint, deployer),
    has(admin, deployer),
  ])
  return [
    ...unless(mayMint, `the faucet ${minter} may not mint`),
    ...unless(mayGrant, `the owner ${owner} may not name minters`),
    ...unless(!deployerMints || deployer === minter, `the deployer ${deployer} may mint`),
    ...unless(!deployerGrants || deployer === owner, `the deployer ${deployer} may name minters`),
  ]
}

const unless = (holds: boolean, fault: string): string[] => (holds ? [] : [fault])
