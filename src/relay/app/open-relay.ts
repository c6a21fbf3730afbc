import type { CleanupStack } from '@rfqctl/lib/cleanup-stack'
import { readVersion } from '@rfqctl/lib/version'
import type { AuthorityEvent } from '@rfqctl/protocol/domain/authority'
import { createAuditRecorder } from '../adapters/audit.ts'
import { createHttpMarkets } from '../adapters/markets/http.ts'
import { createMemory } from '../adapters/memory.ts'
import { createMetrics } from '../adapters/metrics/metrics.ts'
import type { OutageLog } from '../adapters/outage-log.ts'
import type { FixturePrices } from '../adapters/prices/fixture.ts'
import { createHttpPrices } from '../adapters/prices/http.ts'
import { createSignatures } from '../adapters/signing.ts'
import type { StaticMakerKey } from '../config/maker-keys.ts'
import type { Settings } from '../config/settings.ts'
import { createOperations, type Operations } from '../core/operations.ts'
import type { Authority, ResolutionSigner } from '../core/ports/chain.ts'
import type { Ports, Runtime, Sources } from '../core/ports/ports.ts'
import type { Log } from '../core/ports/runtime.ts'
import type { Identity } from '../core/ports/sources.ts'
import type { Audit } from '../core/ports/store.ts'
import { NO_TRACER } from '../core/ports/tracer.ts'
import type { LogIntake } from '../core/ports/transparency.ts'
import { createRelay, type Relay } from '../core/relay.ts'
import type { ChainBackend } from './open-chain.ts'
import { openLive } from './open-live.ts'
import type { OpenStore } from './open-store.ts'
import { openTransparencyLog } from './open-transparency-log.ts'

/** Starts the relay, which does not listen yet. */
export async function openRelay(parts: {
  settings: Settings
  staticKeys: readonly StaticMakerKey[]
  identity: Identity | null
  backend: ChainBackend
  fixtures: FixturePrices
  opened: OpenStore
  tools: Pick<Runtime, 'clock' | 'ids'> & OutageLog
  cleanup: CleanupStack
}): Promise<{ relay: Relay; operations: Operations }> {
  const { settings, staticKeys, identity, backend, fixtures, opened, tools, cleanup } = parts
  const { chain, seriesIndex, orderEvents, authority, faucet, resolutionSigner } = backend
  const { clock, ids, log, outages } = tools
  const { store } = opened
  const transparency = settings.hasTransparencyLog
    ? await openTransparencyLog({ opened, tools: { clock, log }, cleanup })
    : null
  const auditLog = transparency === null ? store.audit : recordingBoth(store.audit, transparency)
  const audit = createAuditRecorder({ epoch: store.epoch, auditLog, log, ...settings.audit })
  cleanup.defer(audit.flush)
  const metrics = createMetrics({
    version: readVersion(),
    outages,
    lostWrites: () => store.lostWrites() + (transparency?.lost() ?? 0),
    wentBack: opened.wentBack,
    pool: opened.poolUse,
    signers: backend.signerStats,
  })
  cleanup.defer(metrics.stop)
  cleanup.defer(audit.feed.listen(metrics.count))
  const memory = createMemory()
  cleanup.defer(memory.stop)
  const ports: Ports = {
    clock,
    ids,
    log,
    memory,
    store,
    audit,
    transparency,
    tracer: await openTracer(settings, log, cleanup),
    chain,
    seriesIndex,
    orderEvents,
    authority: authority === null ? null : countingUses(authority, metrics.authorityUsed),
    faucet,
    resolutionSigner: resolutionSigner === null ? null : counting(resolutionSigner, metrics.attested),
    identity,
    signatures: createSignatures(),
    ...(await openLive({ settings, opened, tools: { clock, log }, cleanup })),
    ...openSources(settings.prices, { fixtures, log }),
  }
  const digests = staticKeys.map(({ apiKey, makerId }) => ({ digest: ids.digest(apiKey), makerId }))
  const relay = createRelay(ports, { ...settings.relay, openMode: settings.isOpen, staticKeys: digests })
  cleanup.defer(relay.ended)
  cleanup.defer(relay.stop)
  await relay.start()
  const { meter, exposition } = metrics
  const feeds = { auditFeed: opened.shared?.auditFeed ?? audit.feed, ownAuditFeed: audit.feed }
  const operations = createOperations({ ...ports, ...feeds, meter, exposition }, relay, settings.relay)
  return { relay, operations }
}

const recordingBoth = (audit: Audit, transparency: LogIntake): Audit => ({
  record: (entry) => {
    audit.record(entry)
    transparency.add(entry)
  },
})

/** Loads OpenTelemetry only when a collector is set. */
async function openTracer({ tracing }: Pick<Settings, 'tracing'>, log: Log, cleanup: CleanupStack) {
  if (tracing === null) return NO_TRACER
  const { createTracer } = await import('../adapters/telemetry/tracer.ts')
  const { tracer, close } = createTracer({ ...tracing, version: readVersion(), log })
  cleanup.defer(close)
  return tracer
}

const counting = (signer: ResolutionSigner, attested: () => void): ResolutionSigner => ({
  ...signer,
  sign: async (request) => {
    const signature = await signer.sign(request)
    attested()
    return signature
  },
})

const countingUses = (authority: Authority, used: (kind: AuthorityEvent['kind']) => void): Authority => ({
  ...authority,
  read: async () => {
    const read = await authority.read()
    for (const { kind } of read.news) used(kind)
    return read
  },
})

const openSources = (
  { historyUrl, marketsUrl }: Settings['prices'],
  { fixtures, log }: { fixtures: FixturePrices; log: Log },
): Sources => ({
  prices: historyUrl === null ? fixtures : createHttpPrices({ url: historyUrl, log }),
  markets: marketsUrl === null ? fixtures : createHttpMarkets({ url: marketsUrl }),
})
