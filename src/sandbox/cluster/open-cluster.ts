import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { type CleanupStack, createCleanupStack } from '@rfqctl/lib/cleanup-stack'
import { CliError } from '@rfqctl/lib/cli-error'
import { makePrivateDir } from '@rfqctl/lib/private-file'
import { assertPortFree } from '@rfqctl/relay/app/assert-port-free'
import { writeSandbox } from '@rfqctl/relay/app/sandbox-file'
import { type RunningApp, type StartStep, startApp } from '@rfqctl/relay/app/start-app'
import type { Settings } from '@rfqctl/relay/config/settings'
import type { Environment } from '@rfqctl/relay/config/sources'
import { findPostgres, findProgram, type Service, startPostgres, startRedis } from '../services/services.ts'
import { type Backend, startRoundRobin } from './round-robin.ts'
import { startNode } from './start-node.ts'

export type ClusterStep = StartStep | 'services' | 'nodes'

/** Several relays behind one address, which stands in for a single relay's; `nodes` are their own. */
export type Cluster = { app: RunningApp; nodes: readonly string[]; dataDir: string }

type Plan = {
  environment: Environment
  cwd: string
  count: number
  named: NamedServers
  settingsOn: (servers: { databaseUrl: string; redisUrl: string }) => Settings
  hasChain: boolean
  stop: AbortSignal
  onStep: (step: ClusterStep) => void
}

/**
 * Starts Postgres and Redis, a first node in this process with the chain that the settings ask for, further nodes in
 * their own processes, and a proxy in front. Closes what it opened if a later part fails.
 */
export async function openCluster(plan: Plan): Promise<Cluster> {
  const cleanup = createCleanupStack()
  try {
    return await build(plan, cleanup)
  } catch (fault) {
    await cleanup.run().catch(() => {})
    throw fault
  }
}

async function build(plan: Plan, cleanup: CleanupStack): Promise<Cluster> {
  const { count, cwd, onStep } = plan
  const services = await openServices(plan, cleanup)
  onStep('services')
  const { databaseUrl, redisUrl, isThrownAway, deathPipes } = services
  const settings = plan.settingsOn({ databaseUrl, redisUrl })
  const place = { host: settings.server.host, port: settings.server.port }
  await assertPortFree(place)
  const first = await startApp({
    settings: { ...settings, server: { ...settings.server, host: '127.0.0.1', port: 0 } },
    stop: plan.stop,
    onStep,
    keepsChain: !isThrownAway,
  })
  cleanup.defer(first.close)
  const { dataDir } = settings
  const environment = { ...environmentOf(plan, first, services), WEB: settings.web.isServed ? 'on' : 'off' }
  const others = await Promise.all(
    Array.from({ length: count - 1 }, async (_, index) => {
      const dir = nodeDir(dataDir, index + 2)
      const args = ['--port', '0', '--data-dir', dir, ...(plan.hasChain ? [] : ['--no-chain'])]
      const node = await startNode({ args, environment, deathPipes, cwd })
      cleanup.defer(node.stop)
      return node.url
    }),
  )
  onStep('nodes')
  const nodes = [first.url, ...others]
  const proxy = await startRoundRobin({ ...place, backends: nodes.map(backendOf) })
  cleanup.defer(proxy.close)
  const url = `http://${place.host}:${proxy.port}`
  const wsUrl = `ws://${place.host}:${proxy.port}`
  const sandbox = { ...first.sandbox, url, wsUrl }
  writeSandbox(dataDir, sandbox)
  return { app: { ...first, url, wsUrl, sandbox, close: cleanup.run }, nodes, dataDir }
}

/** One folder per node; development tokens are the same everywhere. */
function nodeDir(dataDir: string, number: number): string {
  const dir = join(dataDir, `node-${number}`)
  makePrivateDir(dir)
  const identity = join(dataDir, 'identity.json')
  if (existsSync(identity)) copyFileSync(identity, join(dir, 'identity.json'))
  return dir
}

/** Values that the first node made for itself, as settings of the others. */
function environmentOf(
  { environment }: Pick<Plan, 'environment'>,
  { backend: { chain, devnet, accounts, rpcUrl }, sandbox }: RunningApp,
  { databaseUrl, redisUrl }: Services,
): Environment {
  const makers = sandbox.makers.flatMap(({ apiKey, name }) => (apiKey == null ? [] : [{ apiKey, makerId: name }]))
  const own: Environment = {
    MAKER_API_KEYS: JSON.stringify(makers),
    ...(sandbox.operatorToken === null ? {} : { OPERATOR_TOKEN: sandbox.operatorToken }),
    // Configured values take precedence.
    ...environment,
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
  }
  if (devnet === null || accounts === null || rpcUrl === null) return own
  const { chainId, settlementAddress, coreAddress, stablecoinAddress } = chain.environment
  return {
    ...own,
    RPC_URL: rpcUrl,
    CHAIN_ID: String(chainId),
    START_BLOCK: String(devnet.startBlock),
    SETTLEMENT_ADDRESS: settlementAddress,
    CORE_ADDRESS: coreAddress,
    STABLECOIN_ADDRESS: stablecoinAddress,
    RESOLUTION_SIGNER_KEY: accounts.resolutionSigner.privateKey,
    FAUCET_PRIVATE_KEY: accounts.faucet.privateKey,
  }
}

function backendOf(url: string): Backend {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port) }
}

/** Servers run by someone else. */
type NamedServers = { databaseUrl: string | undefined; redisUrl: string | undefined }

type Services = {
  databaseUrl: string
  redisUrl: string
  isThrownAway: boolean
  /** Pipes of the throw-away servers, which must not end before the nodes. */
  deathPipes: readonly Writable[]
}

/** The named Postgres and Redis, else throw-away ones. Says what to install if their programs are missing. */
async function openServices(
  { named, environment }: { named: NamedServers; environment: Environment },
  cleanup: CleanupStack,
): Promise<Services> {
  const path = environment.PATH ?? ''
  const redis = findProgram('redis-server', path)
  const postgres = findPostgres(path)
  const missing = [
    ...(named.redisUrl === undefined && redis === null ? ['redis-server'] : []),
    ...(named.databaseUrl === undefined && postgres === null ? ['postgresql'] : []),
  ]
  if (missing.length > 0) throw notInstalled(missing)

  const deathPipes: Writable[] = []
  async function started(service: Promise<Service>): Promise<string> {
    const { url, deathPipe, stop } = await service
    cleanup.defer(stop)
    deathPipes.push(deathPipe)
    return url
  }

  return {
    databaseUrl: named.databaseUrl ?? (await started(startPostgres(postgres as string))),
    redisUrl: named.redisUrl ?? (await started(startRedis(redis as string))),
    isThrownAway: named.databaseUrl === undefined,
    deathPipes,
  }
}

const notInstalled = (missing: readonly string[]): CliError =>
  new CliError(`several nodes need ${missing.join(' and ')}, which this machine does not have`, {
    code: 'not_installed',
    hint: `apt-get install ${missing.join(' ')}, or name servers with --database-url and --redis-url`,
  })
