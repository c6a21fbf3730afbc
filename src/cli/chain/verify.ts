import { getAuthority } from '@rfqctl/client/authority'
import { transportOf } from '@rfqctl/client/from-text'
import { CliError } from '@rfqctl/lib/cli-error'
import { EXIT } from '@rfqctl/lib/exit'
import { duration, plural } from '@rfqctl/lib/format'
import { type ChainClient, createChainClient } from '@rfqctl/onchain/deploy/chain-client'
import { numberOf } from '@rfqctl/onchain/deploy/creation'
import { type CodeFinding, choicesOf, inspect } from '@rfqctl/onchain/deploy/inspect'
import { readDecimals } from '@rfqctl/onchain/deploy/preflight'
import { readSigner } from '@rfqctl/onchain/deploy/quorum-signer'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Cli, Run } from '../cli.ts'
import { addressIn } from '../context/address-in.ts'
import { type ChainOptions, type TradingChain, tradingChain } from '../context/targets.ts'
import { signerFindings } from '../doctor/chain.ts'
import { type Finding, fault, findingLines, good, runCheck, unseen } from '../doctor/check.ts'

/** Compares the code at the configured addresses with the artifacts of this version; exits with 8 where it differs. */
export const verify: Run<ChainOptions & { deployer?: string }> = async (cli, options) => {
  const chain = tradingChain(cli, options)
  const deployer = options.deployer === undefined ? null : addressIn('--deployer', options.deployer)
  const findings = [
    ...(await deploymentFindings(cli, chain)),
    ...(deployer === null ? [] : [addressFinding(deployer, chain)]),
  ]
  const faults = findings.filter(({ state }) => state === 'fault')
  cli.out.print(
    { type: 'chain_verify', ok: faults.length === 0, chainId: chain.chainId, findings },
    findings.flatMap((finding) => findingLines(finding, cli.out.colors, 20)),
  )
  const [worst] = faults
  if (worst === undefined) return
  throw new CliError(`${plural(faults.length, 'fault')}, the most serious: ${worst.check}: ${worst.found}`, {
    code: 'deployment_mismatch',
    exitCode: worst.exitCode,
    hint: worst.fix,
  })
}

/** Whether the same deployer has the same addresses on each chain. */
function addressFinding(deployer: Address, chain: TradingChain): Finding {
  const number = numberOf(deployer, chain)
  if (number !== null) {
    const which = number === 0 ? 'the first deployment' : `deployment ${number + 1}`
    return good('addresses', `those of ${which} of ${deployer}, the same on each chain`)
  }
  return fault('addresses', `they do not follow from the deployer ${deployer} and this version`, FIX, EXIT.chain)
}

/** Includes whether the relay's key is the active resolution signer. */
export async function deploymentFindings(cli: Cli, chain: TradingChain): Promise<Finding[]> {
  const { rpcUrl, stablecoinAddress } = chain
  const client = createChainClient(rpcUrl)
  const findings = await inspect(client, chain)
  for (const finding of findings) {
    if (finding.kind !== 'chain') continue
    throw new CliError(finding.fault, { code: 'chain_mismatch', hint: 'check RPC_URL and CHAIN_ID' })
  }
  const codes = findings.filter((finding) => finding.kind === 'code')
  const coin = codes.find(({ role }) => role === 'stablecoin')
  const isForeign = coin?.state === 'foreign' || coin?.state === 'absent'
  const contracts = codes.filter((finding) => finding !== coin)
  const own = coin === undefined || isForeign ? contracts : [...contracts, coin]
  const isWhole = own.every(({ state }) => state === 'ours')
  const core = own.find(({ role, state }) => role === 'core' && state === 'ours')
  const signer =
    stablecoinAddress === null || !isWhole
      ? []
      : await runCheck('signer', cli.stop, () => signerFindings(cli, rpcUrl, { ...chain, stablecoinAddress }))
  return [
    ...own.flatMap(codeFindings),
    ...(stablecoinAddress === null ? [unseen('stablecoin', 'its address is unknown', 'set STABLECOIN_ADDRESS')] : []),
    ...(coin !== undefined && isForeign ? [await foreignFinding(client, coin)] : []),
    ...(isWhole ? [good('links', linksText(chain))] : []),
    ...(core === undefined
      ? []
      : [good('forever', chosenText(core)), ...(await signerCodeFindings(client, rpcUrl, core.address))]),
    ...(signer.length > 0 ? signer : [unseen('signer', whySignerUnseen(isWhole))]),
  ]
}

/** Says nothing of a single key, which has no code. */
async function signerCodeFindings(client: ChainClient, rpcUrl: string, coreAddress: Address): Promise<Finding[]> {
  const { signer } = await getAuthority({ coreAddress, transport: transportOf(rpcUrl) })
  if (signer.holder === null) return []
  const found = await readSigner(client, signer.holder)
  if (found.kind === 'key' || found.kind === 'none') return []
  if (found.kind === 'contract' || !found.isOurs) {
    return [unseen('QuorumSigner', `the code of the resolution signer ${signer.holder}, which is not ours`)]
  }
  const { keys, threshold } = found
  return [good('QuorumSigner', `${signer.holder}: the code of this version; ${threshold} of ${keys.join(', ')} sign`)]
}

const whySignerUnseen = (isWhole: boolean): string =>
  isWhole ? 'RESOLUTION_SIGNER_KEY and RESOLUTION_SIGNER_SOCKET are not set here' : 'the contracts are not ours'

const FIX = 'check the addresses and the version of rfqctl, and do not trade there'

const codeFindings = ({ name, address, bytes, faults }: CodeFinding): Finding[] =>
  faults.length === 0
    ? [good(name, `${address}: all ${bytes} bytes are those of this version, metadata and immutables among them`)]
    : faults.map((text) => fault(name, `${address}: ${text}`, FIX, EXIT.chain))

async function foreignFinding(client: ChainClient, { address, state }: CodeFinding): Promise<Finding> {
  const wrong = (text: string) => fault('stablecoin', `${address}: ${text}`, FIX, EXIT.chain)
  if (state === 'absent') return wrong('there is no contract')
  const decimals = await readDecimals(client, address)
  if (decimals === null) return wrong('it does not report its decimals')
  if (decimals !== 6) return wrong(`it has ${decimals} decimals, and must have 6`)
  return unseen('stablecoin', `the code of ${address}, which is not ours; it has 6 decimals`)
}

const linksText = ({ stablecoinAddress }: TradingChain): string =>
  `core and settlement name each other${stablecoinAddress === null ? '' : ' and the stablecoin'}`

/** Choices of the deployer that are final. */
function chosenText(core: CodeFinding): string {
  const { tradingCutoff, disputeWindow, conditionalTokens } = choicesOf(core)
  return [
    ...(tradingCutoff === 0 ? [] : [`trading ends ${duration(tradingCutoff * 1_000)} before expiry`]),
    disputeWindow === 0 ? 'no dispute window' : `a dispute window of ${duration(disputeWindow * 1_000)}`,
    conditionalTokens === null ? 'no conditional tokens' : `conditional tokens at ${conditionalTokens}`,
  ].join(', ')
}
