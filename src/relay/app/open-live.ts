import type { CleanupStack } from '@rfqctl/lib/cleanup-stack'
import { createLocalLive } from '../adapters/live/memory/live.ts'
import { quotesThatFit } from '../adapters/memory.ts'
import type { Settings } from '../config/settings.ts'
import type { LiveMarket } from '../core/ports/ports.ts'
import type { Clock, Log } from '../core/ports/runtime.ts'
import type { OpenStore } from './open-store.ts'

export async function openLive(parts: {
  settings: Pick<Settings, 'bus' | 'demotion' | 'maxQuotes' | 'store'>
  opened: OpenStore
  tools: { clock: Clock; log: Log }
  cleanup: CleanupStack
}): Promise<LiveMarket> {
  const { settings, opened, tools, cleanup } = parts
  const { bus, demotion, maxQuotes, store: kept } = settings
  const { store, shared } = opened
  const limits = { maxQuotes: maxQuotes ?? quotesThatFit() }
  if (bus.kind === 'local' || shared === null) {
    const { epoch, quoters } = store
    // A memory store ends with the process, so it need not record quoters.
    const recordQuoter = kept.kind === 'memory' ? () => {} : quoters.record
    return { ...createLocalLive({ ...tools, epoch, demotion, recordQuoter, ...limits }), takeover: null }
  }
  const { openRedisLive } = await import('../adapters/live/redis/live.ts')
  const { close, renew, quotedBy, ...live } = await openRedisLive({
    ...bus,
    ...tools,
    raiseEpoch: shared.raiseEpoch,
    lowestEpoch: shared.lowestEpoch,
    begunEpoch: await shared.begunEpoch(),
    noteBegunEpoch: shared.noteBegunEpoch,
    signatureKey: await shared.signatureKey(),
    demotion,
    ...limits,
  })
  cleanup.defer(close)
  cleanup.defer(shared.onWentBack(renew))
  return { ...live, takeover: { ...shared.takeover, quotedBy } }
}
