import { createListeners } from '@rfqctl/lib/listeners'
import { isHeardBy } from '@rfqctl/protocol/domain/audience'
import type { Absence } from '@rfqctl/protocol/domain/maker-protections'
import type { DemotionRule } from '@rfqctl/protocol/domain/reliability'
import {
  CHANNELS,
  type Channel,
  type CommitLeases,
  type CommitOutcome,
  type Presence,
} from '../../../core/ports/live.ts'
import type { LiveMarket } from '../../../core/ports/ports.ts'
import type { Clock, Log } from '../../../core/ports/runtime.ts'
import type { Store } from '../../../core/ports/store.ts'
import { createTtlMap } from '../../ttl-map.ts'
import { createLocalBook } from './book.ts'
import { createLocalBus } from './bus.ts'
import { createLocalFeed } from './feed.ts'

export function createLocalLive(parts: {
  clock: Clock
  log: Log
  epoch: number
  demotion: DemotionRule
  recordQuoter: Store['quoters']['record']
  /** Over all requests; absent: any number. */
  maxQuotes?: number
}): Omit<LiveMarket, 'takeover'> {
  const { clock, log, epoch, demotion, recordQuoter, ...limits } = parts
  const feed = createLocalFeed({ epoch })
  const presence = createLocalPresence({ clock })
  return {
    book: createLocalBook({ clock, feed, demotion, recordQuoter, absenceOf: presence.absenceOf, ...limits }),
    feed,
    presence,
    bus: createLocalBus({ log }),
    leases: createLocalCommitLeases({ clock }),
  }
}

export type LocalPresence = Presence & { absenceOf: (makerId: string) => Absence }

export function createLocalPresence({ clock }: { clock: Pick<Clock, 'now'> }): LocalPresence {
  const startedAt = clock.now()
  /** When the last connection of a maker ended, by channel. */
  const left = byChannel(() => createLeft(clock))
  const connections = byChannel(() => new Map<string, Set<string>>())
  const socketListeners = createListeners<[makerId: string]>()

  const since = (channel: 'stream' | 'socket', makerId: string) =>
    connections[channel].has(makerId) ? null : (left[channel].get(makerId) ?? startedAt)
  const absenceOf = (makerId: string): Absence => ({
    stream: since('stream', makerId),
    socket: since('socket', makerId),
  })

  return {
    join: (channel, makerId, connectionId) => {
      const makers = connections[channel]
      const ofMaker = makers.get(makerId) ?? new Set()
      makers.set(makerId, ofMaker.add(connectionId))
      if (channel === 'socket') socketListeners.call(makerId)
      return () => {
        ofMaker.delete(connectionId)
        if (ofMaker.size > 0 || makers.get(makerId) !== ofMaker) return
        makers.delete(makerId)
        left[channel].put(makerId, clock.now(), clock.now())
      }
    },
    countStreams: async (channel = 'stream', audience) =>
      audience === undefined
        ? connections[channel].size
        : [...connections[channel].keys()].filter((makerId) => isHeardBy(audience, makerId)).length,
    hasSocket: async (makerId) => connections.socket.has(makerId),
    list: async () =>
      [...new Set([...connections.stream.keys(), ...connections.socket.keys()])].map((makerId) => ({
        makerId,
        streams: connections.stream.get(makerId)?.size ?? 0,
        sockets: connections.socket.get(makerId)?.size ?? 0,
      })),
    onSocket: socketListeners.add,
    absences: (makerIds) => makerIds.map(absenceOf),
    absenceOf,
  }
}

const byChannel = <Value>(create: () => Value) =>
  Object.fromEntries(CHANNELS.map((channel) => [channel, create()])) as Record<Channel, Value>

/** Bounds on recorded absences, in milliseconds and makers; other absent makers count as gone since the start. */
const ABSENCE_MS = 3_600_000
const ABSENCES_KEPT = 10_000

const createLeft = ({ now }: Pick<Clock, 'now'>) =>
  createTtlMap<number>({ now, keptMs: ABSENCE_MS, limit: ABSENCES_KEPT })

/** Bounds on the recorded outcomes of commits, in milliseconds and in number. */
const OUTCOME_MS = 5_000
const OUTCOMES_KEPT = 10_000

type Running = { leaseId: string; terms: string; listeners: Set<() => void> }

function createLocalCommitLeases({ clock }: { clock: Pick<Clock, 'now'> }): CommitLeases {
  const byRequest = new Map<string, Running>()
  const byId = new Map<string, Running>()
  const outcomes = createTtlMap<CommitOutcome>({ now: clock.now, keptMs: OUTCOME_MS, limit: OUTCOMES_KEPT })
  let count = 0

  return {
    begin: async (requestId, terms, waitingFor) => {
      const running = byRequest.get(requestId)
      if (running !== undefined) return { kind: 'running', leaseId: running.leaseId, terms: running.terms }
      const outcome = waitingFor === null ? null : outcomes.get(waitingFor)
      if (outcome !== null) return { kind: 'ended', outcome }
      count += 1
      const own: Running = { leaseId: String(count), terms, listeners: new Set() }
      byRequest.set(requestId, own)
      byId.set(own.leaseId, own)
      return {
        kind: 'begun',
        isOwner: async () => byRequest.get(requestId) === own,
        end: async (ending) => {
          if (!byId.delete(own.leaseId)) return
          byRequest.delete(requestId)
          outcomes.put(own.leaseId, clock.now(), ending)
          for (const listener of own.listeners) listener()
        },
      }
    },
    isRunning: async (requestId) => byRequest.has(requestId),
    onEnd: (leaseId, listener) => {
      const listeners = byId.get(leaseId)?.listeners
      listeners?.add(listener)
      return () => void listeners?.delete(listener)
    },
  }
}
