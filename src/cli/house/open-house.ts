import { createAuditRecorder } from '../../adapters/audit.ts'
import { createLocalLive } from '../../adapters/bus/local/live.ts'
import { createSystemClock } from '../../adapters/clock.ts'
import { createIds } from '../../adapters/ids.ts'
import { createLog } from '../../adapters/log.ts'
import { readFixtureMarkets } from '../../adapters/markets/fixture-markets.ts'
import { createMetrics } from '../../adapters/metrics/metrics.ts'
import { createFixturePrices, type FixturePrices } from '../../adapters/prices/fixture.ts'
import { createSignatures } from '../../adapters/signatures.ts'
import type { Settings } from '../../config/settings.ts'
import { createOperations } from '../../relay/operations.ts'
import type { Ids } from '../../relay/ports.ts'
import { createRelay } from '../../relay/relay.ts'
import { createServer } from '../../server/server.ts'
import { makePrivateDir } from '../private-file.ts'
import { readSandbox, type Sandbox } from '../sandbox.ts'
import { assertRunning } from '../stop.ts'
import { assertPortFree, explainListen } from './assert-port-free.ts'
import { type Ground, openGround } from './chain.ts'
import { createClosers } from './closers.ts'
import { keepSandbox } from './keep-sandbox.ts'
import { openSources } from './open-sources.ts'
import { openStore } from './open-store.ts'
import { refuseUnbuilt } from './refuse-unbuilt.ts'
import { planSandbox } from './sandbox-plan.ts'

/** A running relay with everything under it. */
export type House = {
  url: string
  wsUrl: string
  ground: Ground
  sandbox: Sandbox
  /** Prices for simulated makers. */
  prices: FixturePrices
  /** Drains and closes everything, the last opened first. */
  close: () => Promise<void>
}

/** A part of the start that is done. */
export type HouseStep = 'chain' | 'contracts' | 'series' | 'relay'

/**
 * Builds the house from settings: store, chain, live market, relay, server, in this order. What was opened is closed again
 * when a later part fails, or when `stop` is aborted meanwhile.
 */
export async function openHouse({
  settings,
  stop,
  onStep = () => {},
}: {
  settings: Settings
  stop: AbortSignal
  onStep?: (step: HouseStep) => void
}): Promise<House> {
  refuseUnbuilt(settings)
  const closers = createClosers()
  const clock = createSystemClock()
  const log = createLog({ level: settings.logLevel })
  const ids = createIds()
  try {
    await assertPortFree(settings.server)
    makePrivateDir(settings.dataDir)
    const store = await openStore(settings, { clock, log })
    closers.add(store.close)
    assertRunning(stop)
    const markets = readFixtureMarkets()
    const fixtures = createFixturePrices(markets)
    const ground = await openGround({ settings, markets, clock, closers, onStep })
    assertRunning(stop)
    const former = readSandbox(settings.dataDir)
    const plan = planSandbox({ settings, accounts: ground.accounts, former, newSecret: ids.secret })
    const audit = createAuditRecorder({ epoch: store.epoch, trail: store.audit, log })
    closers.add(audit.flush)
    const live = createLocalLive({ clock, log, epoch: store.epoch })
    const sources = openSources(settings.prices, { fixtures, log })
    const ports = { clock, ids, store, log, ...ground, ...live, ...sources }
    const relay = createRelay(
      { ...ports, audit, signatures: createSignatures() },
      { ...settings.relay, openMode: settings.isOpen, staticKeys: digested(plan.staticKeys, ids) },
    )
    await relay.start()
    closers.add(relay.stop)
    const metrics = createMetrics()
    closers.add(metrics.stop)
    closers.add(audit.feed.listen(metrics.count))
    const operations = createOperations({ ...ports, ...metrics, auditFeed: audit.feed }, settings.chain)
    const { host, port, ...serverSettings } = settings.server
    const { settlementApiKey } = settings.keys
    const { operatorToken } = plan
    const server = createServer({
      relay,
      operations,
      clock,
      log,
      settings: { ...serverSettings, settlementApiKey, operatorToken },
    })
    closers.add(server.close)
    assertRunning(stop)
    const { url, wsUrl } = await server.listen({ host, port }).catch((fault: unknown) => {
      throw explainListen({ host, port }, fault)
    })
    onStep('relay')
    const { staticKeys: _, ...wallets } = plan
    const { rpcUrl, chain } = ground
    const sandbox: Sandbox = { version: 1, pid: process.pid, url, wsUrl, rpcUrl, ...chain.environment, ...wallets }
    closers.add(keepSandbox({ settings, sandbox, former, log }))
    return { url, wsUrl, ground, sandbox, prices: fixtures, close: closers.closeAll }
  } catch (fault) {
    await closers.closeAll().catch((second: unknown) => log.error('closing_failed', { fault: second }))
    throw fault
  }
}

const digested = (keys: readonly { apiKey: string; makerId: string }[], { digest }: Ids) =>
  keys.map(({ apiKey, makerId }) => ({ digest: digest(apiKey), makerId }))
