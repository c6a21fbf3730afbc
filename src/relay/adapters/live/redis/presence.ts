import { createListeners } from '@rfqctl/lib/listeners'
import { isHeardBy } from '@rfqctl/protocol/domain/audience'
import { CHANNELS, type Channel, type ConnectedMaker, type Presence } from '../../../core/ports/live.ts'
import type { Stop } from '../../../core/ports/runtime.ts'
import { answerOf } from './connection.ts'
import type { RedisParts } from './subscriptions.ts'

/** A silent node counts as present for this long, in milliseconds: a dead one is forgotten within 35 s (fault I10). */
const PRESENT_MS = 35_000

/** Interval of a node's announcements, in milliseconds. */
export const TOUCH_MS = 15_000

/** Presence over all nodes: each one announces its connections of each maker, again and again. */
export type RedisPresence = Presence & {
  /** Announces everything again: before it expires, and after Redis was emptied. */
  touch: () => Promise<void>
}

export function createRedisPresence(parts: RedisParts): RedisPresence {
  const { connection, prefix, run, subscriptions, node, clock, log } = parts
  const connections = Object.fromEntries(CHANNELS.map((channel) => [channel, new Map()])) as Record<
    Channel,
    Map<string, Set<string>>
  >
  const socketListeners = createListeners<[makerId: string]>()
  const joined = `${prefix}joined`

  subscriptions.listen('joined', (text) => {
    const { from, makerId } = JSON.parse(text) as { from: string; makerId: string }
    if (from !== node) socketListeners.call(makerId)
  })

  const announce = (channel: Channel, makerId: string) => {
    const count = connections[channel].get(makerId)?.size ?? 0
    return run('present', channel, makerId, node, count, clock.now(), clock.now() + PRESENT_MS)
  }

  /** Repeated with the next touch: until then a maker that cancels on disconnect is refused its quotes. */
  const told = (work: Promise<unknown>): Promise<unknown> =>
    work.catch((fault: unknown) => log.warn('presence_not_told', { fault }))

  const command = <Reply>(...args: string[]) => answerOf(connection.sendCommand<Reply>(args))
  /** 0: unknown, for a maker that has not been present for long. */
  const absentSince = (score: string | null) => (isPresent(score) ? null : Number(score ?? 0))
  const isPresent = (score: string | null) => score !== null && Number(score) > clock.now()

  return {
    join: (channel, makerId, connectionId) => {
      const makers = connections[channel]
      const ofMaker = makers.get(makerId) ?? new Set()
      makers.set(makerId, ofMaker.add(connectionId))
      const announced = told(announce(channel, makerId))
      if (channel === 'socket') {
        socketListeners.call(makerId)
        void told(command('PUBLISH', joined, JSON.stringify({ from: node, makerId })))
      }
      return announced.then(() => leave(channel, makerId, connectionId))
    },
    countStreams: async (channel = 'stream', audience) => {
      const range = [`${prefix}makers:${channel}`, `(${clock.now()}`, '+inf']
      if (audience === undefined) return command<number>('ZCOUNT', ...range)
      const makers = await command<string[]>('ZRANGEBYSCORE', ...range)
      return makers.filter((makerId) => isHeardBy(audience, makerId)).length
    },
    hasSocket: async (makerId) => isPresent(await command('ZSCORE', `${prefix}makers:socket`, makerId)),
    list: async () => {
      const found = await run<string[]>('who_is_present', clock.now())
      const makers = new Map<string, ConnectedMaker>()
      for (let i = 0; i < found.length; i += 3) {
        const [channel, makerId, count] = found.slice(i, i + 3) as [Channel, string, string]
        const maker = makers.get(makerId) ?? { makerId, streams: 0, sockets: 0 }
        makers.set(makerId, { ...maker, [channel === 'stream' ? 'streams' : 'sockets']: Number(count) })
      }
      return [...makers.values()]
    },
    onSocket: socketListeners.add,
    absences: async (makerIds) => {
      const [streams, sockets] = await Promise.all([
        command<(string | null)[]>('ZMSCORE', `${prefix}makers:stream`, ...makerIds),
        command<(string | null)[]>('ZMSCORE', `${prefix}makers:socket`, ...makerIds),
      ])
      return streams.map((stream, i) => ({ stream: absentSince(stream), socket: absentSince(sockets[i] ?? null) }))
    },
    touch: async () => {
      for (const channel of CHANNELS) {
        await Promise.all([...connections[channel].keys()].map((makerId) => announce(channel, makerId)))
      }
    },
  }

  function leave(channel: Channel, makerId: string, connectionId: string): Stop {
    return () => {
      const ofMaker = connections[channel].get(makerId)
      if (ofMaker === undefined || !ofMaker.delete(connectionId)) return
      if (ofMaker.size === 0) connections[channel].delete(makerId)
      void told(announce(channel, makerId))
    }
  }
}
