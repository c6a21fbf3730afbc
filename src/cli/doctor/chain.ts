import { resolve } from 'node:path'
import { getAuthority } from '@rfqctl/client/authority'
import { transportOf } from '@rfqctl/client/from-text'
import { EXIT } from '@rfqctl/lib/exit'
import { duration } from '@rfqctl/lib/format'
import { inspect, mismatchesIn } from '@rfqctl/onchain/deploy/inspect'
import { createDevClient, type DevClient } from '@rfqctl/onchain/devnet/client'
import { readChainTime } from '@rfqctl/onchain/devnet/warp'
import { attestationDomain } from '@rfqctl/protocol/domain/attestation'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import type { Address } from '@rfqctl/protocol/domain/units'
import { createRpc, httpTransport } from '@rfqctl/relay/adapters/chain/rpc'
import { createViemChain, readTradingCutoff } from '@rfqctl/relay/adapters/chain/viem'
import { connectSigner, createAskSigner } from '@rfqctl/relay/adapters/signer/client'
import { createQuorumSigner } from '@rfqctl/relay/adapters/signer/quorum'
import { createResolutionSigner, createSignatures } from '@rfqctl/relay/adapters/signing'
import { whyNotDevChain } from '@rfqctl/relay/app/dev-chain'
import { isLoopback } from '@rfqctl/relay/config/rules'
import { readActiveSigner } from '@rfqctl/relay/core/active-signer'
import type { ChainEnvironment, ResolutionSigner } from '@rfqctl/relay/core/ports/chain'
import { marketsOn, safeguardsOf, weaknessesOf } from '../chain/weaknesses.ts'
import type { Cli } from '../cli.ts'
import { settingValues, tradingChain } from '../context/targets.ts'
import { type DoctorContext, type Finding, fault, good, warning } from './check.ts'

/** Every supported chain has a block every few seconds: an older head means a stalled node. */
export const HEAD_MAX_AGE_MS = 120_000

/** Less is the rounding of blocks and of their makers' clocks; more means that a local chain was warped. */
export const AHEAD_MS = 30_000

/** Checks that the chain answers, has the expected id, has our contracts, and produces blocks. */
export async function checkChain({ cli, options, sandbox }: DoctorContext): Promise<Finding[]> {
  const values = settingValues(cli)
  if (options.rpc === undefined && values.RPC_URL === null && sandbox === null) {
    return [good('chain', 'no chain is set; serve starts its own')]
  }
  if (sandbox?.rpcUrl === null && options.rpc === undefined) {
    return [good('chain', 'none: the relay runs in simulated mode')]
  }
  const { rpcUrl, chainId, settlementAddress, coreAddress, stablecoinAddress } = tradingChain(cli, options)
  const client = createDevClient(rpcUrl)
  const findings = await inspect(client, { chainId, settlementAddress, coreAddress, stablecoinAddress })
  const mismatches = mismatchesIn(findings, 'any')
  if (findings.some(({ kind }) => kind === 'chain')) {
    return mismatches.map((text) => fault('chain', text, 'check RPC_URL and CHAIN_ID', EXIT.chain))
  }
  const answers = good('chain', `${chainId} answers at ${new URL(rpcUrl).origin}`)
  const head = headFinding(await readChainTime(client), new URL(rpcUrl).hostname)
  if (stablecoinAddress === null) {
    return [answers, warning('contracts', 'the stablecoin is unknown', 'set STABLECOIN_ADDRESS'), head]
  }
  const fix = 'check the addresses, or deploy: rfqctl chain deploy'
  if (mismatches.length > 0) {
    return [answers, ...mismatches.map((text) => fault('contracts', text, fix, EXIT.chain)), head]
  }
  const environment = { chainId, settlementAddress, coreAddress, stablecoinAddress }
  return [
    answers,
    good('contracts', 'the code matches this version'),
    ...(await signerFindings(cli, rpcUrl, environment)),
    ...(await roleFindings(client, rpcUrl, { chainId, coreAddress })),
    head,
  ]
}

/** Checks that the core accepts signatures of the relay's key, and that the process holding it answers. */
export async function signerFindings(cli: Cli, rpcUrl: string, environment: ChainEnvironment): Promise<Finding[]> {
  const { RESOLUTION_SIGNER_KEY: key, RESOLUTION_SIGNER_SOCKET: sockets } = settingValues(cli)
  const [socket, ...others] = (sockets ?? []).map((path) => resolve(cli.cwd, path))
  if (socket === undefined) {
    return key === null ? [] : [await signerFinding(rpcUrl, environment, createResolutionSigner(key))]
  }
  if (others.length > 0) return quorumFindings(rpcUrl, environment, [socket, ...others])
  const signer = await connectSigner(socket).catch(() => null)
  if (signer !== null) return [await signerFinding(rpcUrl, environment, signer)]
  return [fault('signer', `no signer answers at ${socket}`, START_IT, EXIT.unreachable)]
}

const START_IT = 'start it: rfqctl signer serve'

/** One line for each signer, and what they are together; those that fail are a fault once too few are left. */
async function quorumFindings(
  rpcUrl: string,
  environment: ChainEnvironment,
  sockets: readonly string[],
): Promise<Finding[]> {
  const chain = await openChain(rpcUrl, environment)
  const active = await chain.resolutionSigner('latest')
  const { signer, survey } = createQuorumSigner({
    members: sockets.map((path) => ({ path, ask: createAskSigner(path) })),
    chain,
    signatures: createSignatures(),
    address: active ?? environment.coreAddress,
    log: { info: () => {}, warn: () => {} },
  })
  const read = await survey(attestationDomain(environment.chainId, environment.coreAddress)).catch((cause: unknown) => {
    if (cause instanceof RfqError && cause.code === 'signer_not_in_office') return null
    throw cause
  })
  if (read === null) {
    const found = `the core accepts attestations signed by ${active}, which names no keys that sign together`
    return [
      fault(
        'signer',
        found,
        'give the relay the key of that signer, or have a contract of these appointed',
        EXIT.chain,
      ),
    ]
  }
  const { quorum, answers } = read
  const signed = new Set(answers.flatMap(({ outcome, reason }) => (outcome === 'signed' ? [reason] : []))).size
  const isEnough = signed >= quorum.threshold
  const state = `${signed} of its ${quorum.keys.length} keys sign here, and ${quorum.threshold} have to: ${active}`
  const isTaken = isEnough && (await readActiveSigner(chain, signer, 'latest'))?.isOurs === true
  return [
    isTaken
      ? good('signer', state)
      : fault(
          'signer',
          isEnough ? `${state}, but it does not accept what they sign` : state,
          isEnough ? 'have a contract appointed that takes their signatures one after the other' : START_IT,
          EXIT.chain,
        ),
    ...answers
      .filter(({ outcome }) => outcome !== 'signed')
      .map(({ path, outcome, reason }) => warning('signer', `${path} is ${outcome}: ${safeText(reason)}`, START_IT)),
  ]
}

async function openChain(rpcUrl: string, environment: ChainEnvironment) {
  const rpc = createRpc(httpTransport(rpcUrl))
  const tradingCutoffS = await readTradingCutoff(rpc, environment.coreAddress)
  return createViemChain({ rpc, environment, tradingCutoffS, cacheMs: 0, now: Date.now })
}

/** Checks whether the roles protect real money; a dev chain has none. */
async function roleFindings(
  client: DevClient,
  rpcUrl: string,
  { chainId, coreAddress }: { chainId: number; coreAddress: Address },
): Promise<Finding[]> {
  if ((await whyNotDevChain(client, rpcUrl)) === null) return []
  const authority = await getAuthority({ coreAddress, transport: transportOf(rpcUrl) })
  const weaknesses = weaknessesOf(safeguardsOf(authority, await marketsOn(client, chainId)))
  return weaknesses.map(({ found, fix }) => warning('roles', found, fix))
}

async function signerFinding(
  rpcUrl: string,
  environment: ChainEnvironment,
  signer: ResolutionSigner,
): Promise<Finding> {
  const chain = await openChain(rpcUrl, environment)
  const active = await readActiveSigner(chain, signer, 'latest')
  const own = signer.address
  if (active?.address === own) return good('signer', `${own} is the active resolution signer`)
  if (active?.isOurs) return good('signer', `the contract ${active.address} accepts what ${own} signs`)
  return fault(
    'signer',
    `the core accepts attestations signed by ${active?.address}, not by ${own}`,
    'give the relay the key of the active signer, or have the owner appoint this one',
    EXIT.chain,
  )
}

function headFinding(chainTime: number, hostname: string): Finding {
  const aheadMs = chainTime * 1_000 - Date.now()
  if (aheadMs < -HEAD_MAX_AGE_MS) {
    return warning('clock', `the newest block is ${duration(-aheadMs)} old`, 'check whether the node is in sync')
  }
  if (aheadMs <= AHEAD_MS) return good('clock', 'the clocks of chain and machine agree')
  const found = `the chain is ${duration(aheadMs)} ahead`
  return isLoopback(hostname)
    ? good('clock', `${found}: its time was moved`)
    : warning('clock', `${found} of this machine`, "set this machine's clock by NTP")
}
