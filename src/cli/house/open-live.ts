import { createLocalLive } from '../../adapters/bus/local/live.ts'
import type { Settings } from '../../config/settings.ts'
import type { Clock } from '../../relay/ports/clock.ts'
import type { Log } from '../../relay/ports/log.ts'
import type { Ports } from '../../relay/ports/ports.ts'
import type { Closers } from './closers.ts'
import type { OpenStore } from './open-store.ts'

/** Everything live, and what nodes leave to each other. */
type Live = Pick<Ports, 'book' | 'feed' | 'presence' | 'bus' | 'attempts' | 'handover'>

/** Opens the live market that the settings ask for: in this process, or in a Redis that nodes share. */
export async function openLive({
  settings: { bus, demotion },
  opened: { store, shared },
  tools,
  closers,
}: {
  settings: Pick<Settings, 'bus' | 'demotion'>
  opened: OpenStore
  tools: { clock: Clock; log: Log }
  closers: Closers
}): Promise<Live> {
  if (bus.kind === 'local' || shared === null) {
    const { epoch, quoters } = store
    return { ...createLocalLive({ ...tools, epoch, demotion, noteQuoter: quoters.note }), handover: null }
  }
  const { openRedisLive } = await import('../../adapters/bus/redis/live.ts')
  const { close, quotedBy, ...live } = await openRedisLive({
    ...bus,
    ...tools,
    raiseEpoch: shared.raiseEpoch,
    demotion,
  })
  closers.add(close)
  return { ...live, handover: { ...shared.handover, quotedBy } }
}
