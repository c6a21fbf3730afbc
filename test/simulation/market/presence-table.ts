import { type Audience, isHeardBy } from '../../../src/protocol/domain/audience.ts'
import type { Absence } from '../../../src/protocol/domain/maker-protections.ts'
import { CHANNELS, type Channel, type ConnectedMaker } from '../../../src/relay/core/ports/live.ts'

/** How many connections a node has of a maker, and until when that counts, Unix milliseconds. */
type OfNode = { expiry: number; count: number }

/** A maker that is gone for longer is gone since ever, milliseconds. */
const ABSENCE_MS = 3_600_000

export function createPresenceTable() {
  /** By channel and maker: the connections of each node. */
  const nodes = new Map<string, Map<string, OfNode>>()
  /** By channel and maker: until when it is here, or was. */
  const scores = Object.fromEntries(CHANNELS.map((channel) => [channel, new Map()])) as Record<
    Channel,
    Map<string, number>
  >

  const absentSince = (channel: Channel, makerId: string, now: number): number | null => {
    const score = scores[channel].get(makerId) ?? 0
    return score <= now ? score : null
  }

  return {
    put: (channel: Channel, makerId: string, of: OfNode & { node: string; now: number }): void => {
      const { node, count, expiry, now } = of
      const key = `${channel} ${makerId}`
      const ofMaker = nodes.get(key) ?? new Map<string, OfNode>()
      nodes.set(key, ofMaker)
      if (count > 0) ofMaker.set(node, { expiry, count })
      else ofMaker.delete(node)
      let latest = 0
      for (const [name, one] of ofMaker) {
        if (one.expiry <= now) ofMaker.delete(name)
        latest = Math.max(latest, one.expiry)
      }
      if (latest > now) scores[channel].set(makerId, latest)
      else if ((scores[channel].get(makerId) ?? 0) > now) scores[channel].set(makerId, now)
      for (const [name, score] of scores[channel]) if (score <= now - ABSENCE_MS) scores[channel].delete(name)
    },
    count: (channel: Channel, now: number, audience?: Audience): number =>
      [...scores[channel]].filter(([makerId, score]) => score > now && isHeardBy(audience, makerId)).length,
    isPresent: (channel: Channel, makerId: string, now: number): boolean => absentSince(channel, makerId, now) === null,
    absenceOf: (makerId: string, now: number): Absence => ({
      stream: absentSince('stream', makerId, now),
      socket: absentSince('socket', makerId, now),
    }),
    list: (now: number): ConnectedMaker[] => {
      const makers = new Map<string, ConnectedMaker>()
      for (const channel of ['stream', 'socket'] as const) {
        for (const [makerId, score] of scores[channel]) {
          if (score <= now) continue
          const maker = makers.get(makerId) ?? { makerId, streams: 0, sockets: 0 }
          let count = 0
          for (const one of nodes.get(`${channel} ${makerId}`)?.values() ?? []) if (one.expiry > now) count += one.count
          makers.set(makerId, { ...maker, [channel === 'stream' ? 'streams' : 'sockets']: count })
        }
      }
      return [...makers.values()]
    },
  }
}
