import type { MakerActivity } from '@rfqctl/protocol/domain/reliability'
import { FifoMap, LruMap } from 'toad-cache'
import type { Bus } from './ports/live.ts'

/** What the other nodes have seen of makers. */
export type PeerRecords = {
  /** Asks what has changed since the last time; the answers come in their own time. */
  ask: () => Promise<void>
  /** What each of the others has told of a maker. */
  of: (makerId: string) => readonly MakerActivity[]
  makerIds: () => readonly string[]
}

/** The records of a node that were changed after some change of it, and the number of its newest change. */
export type ChangedRecords = { change: number; records: readonly (readonly [makerId: string, record: MakerActivity])[] }

/** What was told by one node. */
type Peer = { change: number; records: LruMap<MakerActivity> }

/** So many nodes and makers are remembered, also of nodes that have gone: what they saw has happened. */
const PEERS_KEPT = 100
const MAKERS_KEPT = 5_000

/** A node alone. */
export const NO_PEERS: PeerRecords = { ask: async () => {}, of: () => [], makerIds: () => [] }

/**
 * Records travel only while someone looks at them, and then only those that have changed: following what other nodes do
 * would bring every quote of each to each. `changedSince` is what this node answers with.
 */
export function createPeerRecords({
  bus,
  node,
  changedSince,
}: {
  bus: Bus
  node: string
  changedSince: (change: number) => ChangedRecords
}): PeerRecords {
  const peers = new FifoMap<Peer>(PEERS_KEPT)
  const all = () => [...peers.keys()].map((name) => [name, peers.get(name) as Peer] as const)

  bus.subscribe('records', 'all', (message) => {
    if (message.node === node) return
    if (message.kind === 'told') return keep(message.node, message)
    const known = message.known.find(([name]) => name === node)?.[1] ?? 0
    // Who asks again is answered again.
    bus.publish('records', 'all', { kind: 'told', node, ...changedSince(known) }).catch(() => {})
  })

  function keep(name: string, { change, records }: ChangedRecords): void {
    const peer = peers.get(name) ?? { change: 0, records: new LruMap<MakerActivity>(MAKERS_KEPT) }
    peer.change = Math.max(peer.change, change)
    for (const [makerId, record] of records) peer.records.set(makerId, record)
    peers.set(name, peer)
  }

  return {
    ask: () => {
      const known = all().map(([name, { change }]) => [name, change] as const)
      return bus.publish('records', 'all', { kind: 'wanted', node, known })
    },
    of: (makerId) => all().flatMap(([, { records }]) => records.get(makerId) ?? []),
    makerIds: () => all().flatMap(([, { records }]) => [...records.keys()]),
  }
}
