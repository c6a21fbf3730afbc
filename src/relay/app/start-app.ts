import { readFileSync } from 'node:fs'
import { type CleanupStack, createCleanupStack } from '@rfqctl/lib/cleanup-stack'
import { CliError } from '@rfqctl/lib/cli-error'
import { makePrivateDir } from '@rfqctl/lib/private-file'
import { isRunning } from '@rfqctl/lib/process'
import { assertRunning } from '@rfqctl/lib/stop'
import { readVersion } from '@rfqctl/lib/version'
import { createSystemClock } from '../adapters/clock.ts'
import { createIds } from '../adapters/ids.ts'
import { createLog } from '../adapters/log.ts'
import { readFixtureMarkets } from '../adapters/markets/fixture-markets.ts'
import { createOutageLog, type OutageLog } from '../adapters/outage-log.ts'
import { createFixturePrices } from '../adapters/prices/fixture.ts'
import type { Settings } from '../config/settings.ts'
import type { Clock, Ids, LogFields } from '../core/ports/runtime.ts'
import { createServer } from '../server/server.ts'
import { assertPortFree, explainListen } from './assert-port-free.ts'
import { type ChainBackend, openChainBackend } from './open-chain.ts'
import { openIdentity } from './open-identity.ts'
import { openPages } from './open-pages.ts'
import { openRelay } from './open-relay.ts'
import { openClock, openStore } from './open-store.ts'
import { keepSandbox, readSandbox, type Sandbox } from './sandbox-file.ts'
import { planSandbox } from './sandbox-plan.ts'
import { removeSignInPage } from './sign-in-page.ts'

export type RunningApp = Awaited<ReturnType<typeof startApp>>

export type StartStep = 'chain' | 'contracts' | 'series' | 'relay'

/** `stop` cancels the start; `onStep` is called after each part. */
type Plan = {
  settings: Settings
  stop: AbortSignal
  onStep?: (step: StartStep) => void
  /** Whether an embedded chain is kept for the next start; by default where the store is kept. */
  keepsChain?: boolean
  /** Whether the caller reports the start itself, so that the log need not. */
  isTold?: boolean
}

/**
 * Opens store, chain, relay and server, in this order, and closes them again when a later part fails or `stop` is
 * aborted.
 */
export async function startApp(plan: Plan) {
  const cleanup = createCleanupStack()
  const { log, outages } = createOutageLog(createLog({ level: plan.settings.logLevel }), createSystemClock())
  try {
    const tools = { clock: await openClock(plan.settings, log, cleanup), ids: createIds(), log, outages }
    /** Drains and closes everything, the last opened first. */
    const close = (): Promise<void> => {
      log.info('stopping')
      return cleanup.run()
    }
    return { ...(await build(plan, tools, cleanup)), close }
  } catch (fault) {
    await cleanup.run().catch((second: unknown) => log.error('closing_failed', { fault: second }))
    throw fault
  }
}

function placesOf({ chain, resolutionSigner }: ChainBackend): LogFields {
  if (chain.mode === 'simulated') return {}
  const { chainId, settlementAddress, coreAddress, stablecoinAddress } = chain.environment
  const signer = resolutionSigner === null ? {} : { resolutionSigner: resolutionSigner.address }
  return { chainId, settlementAddress, coreAddress, stablecoinAddress, ...signer }
}

/** Explains a port that the relay of this data directory holds; null for any other. */
function runningHere(former: Sandbox | null, port: number): CliError | null {
  if (former === null || former.pid === process.pid || !isRunning(former.pid)) return null
  if (Number(new URL(former.url).port) !== port) return null
  return new CliError('a relay is already running in this data directory', {
    code: 'in_use',
    why: [`process ${former.pid} serves on ${former.url}`],
    hint: 'use it: rfqctl dashboard; or start another one: --port 0 --data-dir FOLDER',
  })
}

async function build(
  { settings, stop, isTold, onStep = () => {}, keepsChain = settings.store.kind !== 'memory' }: Plan,
  tools: { clock: Clock; ids: Ids } & OutageLog,
  cleanup: CleanupStack,
) {
  const { clock, ids, log } = tools
  const { host, port, ...limits } = settings.server
  await assertPortFree({ host, port }).catch((fault: unknown) => {
    throw runningHere(readSandbox(settings.dataDir), port) ?? fault
  })
  makePrivateDir(settings.dataDir)
  const opened = await openStore(settings, { clock, log })
  cleanup.defer(opened.store.close)
  removeSignInPage(settings.dataDir)
  cleanup.defer(() => removeSignInPage(settings.dataDir))
  assertRunning(stop)

  const markets = readFixtureMarkets()
  /** The running app gives them to simulated makers. */
  const fixtures = createFixturePrices(markets)
  const chainTools = { clock, log, shared: opened.shared, cleanup, stop }
  const backend = await openChainBackend({ settings, markets, keepsChain, onStep, ...chainTools })
  assertRunning(stop)

  const former = readSandbox(settings.dataDir)
  const { accounts } = backend
  const { staticKeys, ...wallets } = planSandbox({ settings, accounts, former, newSecret: ids.secret })
  const { operatorToken } = wallets
  const { identity, identityUrl } = await openIdentity({ settings, secret: operatorToken, tools, cleanup })
  const parts = { settings, staticKeys, identity, backend, fixtures, opened, tools, cleanup }
  const { relay, operations } = await openRelay(parts)
  const { settlementApiKey } = settings.keys
  const maxConnections = limits.maxConnections ?? connectionsThatFit()
  const { relayerUrl, partnerFee, explorerUrl } = settings.web
  const { formerSettlementAddresses } = settings
  const told = { relayerUrl, partnerFee, explorerUrl, formerSettlementAddresses }
  const own = { software: readVersion(), settlementApiKey, operatorToken, ...told }
  const serverSettings = { ...limits, maxConnections, ...own }
  const pages = openPages(settings, backend, log)
  const server = createServer({ relay, operations, clock, log, settings: serverSettings, ...pages })
  cleanup.defer(server.close)
  assertRunning(stop)
  const { url, wsUrl } = await server.listen({ host, port }).catch((fault: unknown) => {
    throw explainListen({ host, port }, fault)
  })
  const kinds = { store: settings.store.kind, bus: settings.bus.kind }
  if (isTold !== true) log.info('started', { version: readVersion(), host, port, ...kinds, ...placesOf(backend) })
  onStep('relay')

  const { rpcUrl, chain } = backend
  const places = { url, wsUrl, rpcUrl, identityUrl }
  const sandbox = { version: 1 as const, pid: process.pid, ...places, ...chain.environment, ...wallets }
  cleanup.defer(keepSandbox({ settings, sandbox, former, log }))
  const hasPages = pages.web !== null
  return { url, wsUrl, hasPages, backend, sandbox, prices: fixtures }
}

/** Descriptors reserved for files, the store, Redis and the chain. */
const RESERVE = 256

/** Leaves `RESERVE` descriptors, or half of all where they are few; null where the system does not report them. */
function connectionsThatFit(): number | null {
  const max = descriptorLimit()
  return max === null ? null : Math.max(Math.floor(max / 2), max - RESERVE)
}

/** Soft limit on Linux; null elsewhere. */
function descriptorLimit(): number | null {
  try {
    const [, max] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return max === undefined ? null : Number(max)
  } catch {
    return null
  }
}
