import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { CleanupStack } from '@rfqctl/lib/cleanup-stack'
import { assertRunning } from '@rfqctl/lib/stop'
import { createDevAccounts, type DevAccounts } from '@rfqctl/onchain/devnet/accounts'
import { createDevClient } from '@rfqctl/onchain/devnet/client'
import { giveGasMoney } from '@rfqctl/onchain/devnet/seed'
import { type Devnet, type DevnetStep, startDevnet } from '@rfqctl/onchain/devnet/start'
import { serviceCoreAbi } from '@rfqctl/protocol/contracts/abi'
import type { Address } from '@rfqctl/protocol/domain/units'
import { connectChain } from '../adapters/chain/connect.ts'
import { createFaucet } from '../adapters/chain/faucet.ts'
import type { Rpc } from '../adapters/chain/rpc.ts'
import { createSimulatedChain } from '../adapters/chain/simulated.ts'
import type { FixtureMarket } from '../adapters/markets/fixture-markets.ts'
import { fixtureSeries } from '../adapters/markets/fixture-markets.ts'
import { createResolutionSigner } from '../adapters/signing.ts'
import { isLoopback } from '../config/rules.ts'
import type { Settings } from '../config/settings.ts'
import type { Chain, ResolutionSigner } from '../core/ports/chain.ts'
import type { ChainPorts } from '../core/ports/ports.ts'
import type { Clock, Log } from '../core/ports/runtime.ts'
import { refusePublicKeys, refusePublicRoles } from './dev-chain.ts'
import { inspectDeployment } from './inspect-deployment.ts'
import { openSigners, type SignerStats } from './open-signer.ts'
import type { OpenStore } from './open-store.ts'

export type ChainBackend = Omit<ChainPorts, 'signatures'> & {
  rpcUrl: string | null
  /** Answers of each of several signers so far; null where one key signs, or none. */
  signerStats: SignerStats | null
  /** Null where the contracts are not a sandbox's. */
  accounts: DevAccounts | null
  devnet: Devnet | null
}

type Input = {
  settings: Settings
  markets: readonly FixtureMarket[]
  clock: Clock
  /** Resources that several relays share; null for a single relay. */
  shared: OpenStore['shared']
  cleanup: CleanupStack
  /** Whether the embedded chain is kept in the data directory, so that it survives a killed run. */
  keepsChain: boolean
  onStep: (step: DevnetStep) => void
  log: Log
  /** Aborts waits during the start. */
  stop: AbortSignal
}

export async function openChainBackend(input: Input): Promise<ChainBackend> {
  const { chain } = input.settings
  if (chain.kind === 'embedded') return openEmbedded(input, chain)
  return chain.kind === 'simulated' ? openSimulated(input, chain) : openExternal(input, chain)
}

const OTHER_CONTRACTS =
  'The chain of this folder has the contracts of another version. A fresh chain is served; what wallets held on the former one is in that file alone.'

async function openEmbedded(
  { settings, markets, clock, shared, cleanup, keepsChain, onStep, log }: Input,
  { port }: { port: number | null },
): Promise<ChainBackend> {
  const devnet = await startDevnet({
    dataDir: keepsChain ? settings.dataDir : null,
    port: port ?? 0,
    seriesAt: (chainTime) => fixtureSeries(markets, chainTime),
    onStep,
  })
  cleanup.defer(devnet.stop)
  if (devnet.aside !== null) log.warn('chain_set_aside', { path: devnet.aside, reason: OTHER_CONTRACTS })
  const { rpcUrl, chainId, startBlock, deployment, accounts } = devnet
  const environment = { chainId, ...deployment }
  const cacheMs = settings.chain.solvencyCacheMs
  const { rpc, ...connected } = await connectChain({ rpcUrl, environment, startBlock, cacheMs, clock })
  const faucet = createFaucet({
    rpc,
    environment,
    privateKey: accounts.faucet.privateKey,
    giveGas: gasGiver(rpcUrl),
    ...faucetTurns(shared),
  })
  const resolutionSigner = createResolutionSigner(accounts.resolutionSigner.privateKey)
  const chain = { ...connected.chain, isMovable: true }
  return { ...connected, chain, faucet, resolutionSigner, signerStats: null, rpcUrl, accounts, devnet }
}

/** On a local Anvil the faucet gives gas money, too. */
function gasGiver(rpcUrl: string): (wallet: Address) => Promise<void> {
  const client = createDevClient(rpcUrl)
  return (wallet) => giveGasMoney(client, wallet)
}

/** Relays on one database pay from one wallet, so they take turns. */
const faucetTurns = (shared: OpenStore['shared']) => (shared === null ? {} : { withLock: shared.withAdvisoryLock })

type ExternalChain = Extract<Settings['chain'], { kind: 'external' }>

async function openExternal(input: Input, external: ExternalChain): Promise<ChainBackend> {
  const { settings, clock, shared, log } = input
  await refusePublicKeys(settings, external)
  const { rpcUrl, startBlock, chainId, settlementAddress, coreAddress, stablecoinAddress, solvencyCacheMs } = external
  const environment = { chainId, settlementAddress, coreAddress, stablecoinAddress }
  const connected = await connectChain({
    rpcUrl,
    environment,
    startBlock,
    cacheMs: solvencyCacheMs,
    clock,
    indexPath: settings.store.kind === 'memory' ? null : join(settings.dataDir, 'series-index.json'),
  })
  await refusePublicRoles(settings, external, connected.rpc)
  const { faucet } = settings.keys
  const { signer: resolutionSigner, stats } = await openKey(input, external.signerSockets, connected.chain)
  await inspectDeployment({ ...connected, resolutionSigner, isProduction: settings.isProduction, log })
  const accounts = settings.isProduction ? null : await readDevAccounts(connected.rpc, external)
  const giveGas = accounts === null ? {} : { giveGas: gasGiver(rpcUrl) }
  return {
    chain: { ...connected.chain, isMovable: accounts !== null },
    seriesIndex: connected.seriesIndex,
    orderEvents: connected.orderEvents,
    authority: connected.authority,
    faucet:
      faucet === null
        ? null
        : createFaucet({ rpc: connected.rpc, environment, privateKey: faucet, ...giveGas, ...faucetTurns(shared) }),
    resolutionSigner,
    signerStats: stats,
    rpcUrl,
    accounts,
    devnet: null,
  }
}

async function openKey(
  { settings, clock, log, stop }: Input,
  sockets: readonly string[],
  chain: Chain,
): Promise<{ signer: ResolutionSigner | null; stats: SignerStats | null }> {
  const key = settings.keys.resolutionSigner
  if (sockets.length === 0) return { signer: key === null ? null : createResolutionSigner(key), stats: null }
  const sleep = async (ms: number) => {
    await delay(ms, undefined, { signal: stop }).catch(() => {})
    assertRunning(stop)
  }
  return openSigners(sockets, { chain, clock, log, sleep })
}

/** Only contracts of `rfqctl chain deploy` on a local Anvil have the deployer's dev account as owner; else null. */
async function readDevAccounts(rpc: Rpc, { rpcUrl, coreAddress }: ExternalChain): Promise<DevAccounts | null> {
  if (!isLoopback(new URL(rpcUrl).hostname)) return null
  const accounts = createDevAccounts()
  const core = { address: coreAddress, abi: serviceCoreAbi } as const
  const owner = await rpc.read((client) => client.readContract({ ...core, functionName: 'owner' }))
  return owner === accounts.deployer.address ? accounts : null
}

/** Lists the fixtures' series at the relay's time; a public key may sign simulated resolutions (decision C12). */
function openSimulated({ settings, markets, clock }: Input, { chainId }: { chainId: number }): ChainBackend {
  const accounts = settings.isProduction ? null : createDevAccounts()
  const key = settings.keys.resolutionSigner ?? accounts?.resolutionSigner.privateKey ?? null
  return {
    ...createSimulatedChain({ chainId, seriesAt: (time) => fixtureSeries(markets, time), clock }),
    orderEvents: null,
    authority: null,
    faucet: null,
    resolutionSigner: key === null ? null : createResolutionSigner(key),
    signerStats: null,
    rpcUrl: null,
    accounts,
    devnet: null,
  }
}
