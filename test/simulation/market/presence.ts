import { createListeners } from '../../../src/lib/listeners.ts'
import { CHANNELS, type Channel, type Presence } from '../../../src/relay/core/ports/live.ts'
import type { Stop } from '../../../src/relay/core/ports/runtime.ts'
import type { MarketParts } from './parts.ts'

/** As in the Redis adapter, milliseconds. */
const PRESENT_MS = 35_000
export const TOUCH_MS = 15_000

/** Presence over all nodes: each one announces its connections of each maker, again and again. */
export function createMarketPresence({
  node,
  log,
  run,
  read,
  listen,
  publish,
}: MarketParts & {
  publish: (channel: string, message: unknown) => Promise<void>
}): Presence & { touch: () => Promise<void> } {
  const connections = Object.fromEntries(CHANNELS.map((channel) => [channel, new Map()])) as Record<
    Channel,
    Map<string, Set<string>>
  >
  const socketListeners = createListeners<[makerId: string]>()
  listen('joined', (message) => {
    const { from, makerId } = message as { from: string; makerId: string }
    if (from !== node) socketListeners.call(makerId)
  })

  const announce = (channel: Channel, makerId: string): Promise<void> => {
    const count = connections[channel].get(makerId)?.size ?? 0
    return run('present', (server, caller) =>
      server.call('present', caller, [channel, makerId, { node, count, expiry: caller.now + PRESENT_MS }]),
    )
  }

  const attempt = (work: Promise<unknown>): Promise<unknown> =>
    work.catch((fault: unknown) => log.warn('presence_not_told', { fault }))

  function leave(channel: Channel, makerId: string, connectionId: string): Stop {
    return () => {
      const ofMaker = connections[channel].get(makerId)
      if (ofMaker === undefined || !ofMaker.delete(connectionId)) return
      if (ofMaker.size === 0) connections[channel].delete(makerId)
      void attempt(announce(channel, makerId))
    }
  }

  return {
    join: (channel, makerId, connectionId) => {
      const ofMaker = connections[channel].get(makerId) ?? new Set()
      connections[channel].set(makerId, ofMaker.add(connectionId))
      const announced = attempt(announce(channel, makerId))
      if (channel === 'socket') {
        socketListeners.call(makerId)
        void attempt(publish('joined', { from: node, makerId }))
      }
      return announced.then(() => leave(channel, makerId, connectionId))
    },
    countStreams: (channel = 'stream', audience) =>
      read('countStreams', (reads, now) => reads.countStreams(now, channel, audience)),
    hasSocket: (makerId) => read('hasSocket', (reads, now) => reads.hasSocket(now, makerId)),
    list: () => read('list', (reads, now) => reads.list(now)),
    onSocket: socketListeners.add,
    absences: (makerIds) => read('absences', (reads, now) => reads.absences(now, makerIds)),
    touch: async () => {
      for (const channel of CHANNELS)
        await Promise.all([...connections[channel].keys()].map((makerId) => announce(channel, makerId)))
    },
  }
}
