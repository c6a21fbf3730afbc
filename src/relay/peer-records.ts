import type { MakerRecord } from '../domain/reliability.ts'
import type { Bus } from './ports/live.ts'

/** What the other nodes have seen of makers. */
export type PeerRecords = {
  /** Asks what has changed since the last time; the answers come in their own time. */
  ask: () => Promise<void>
  /** What each of the others has told of a maker. */
  of: (makerId: string) => readonly MakerRecord[]
  makerIds: () => readonly string[]
}

/** The records of a node that were changed after some change of it, and the number of its newest change. */
export type ChangedRecords = { change: number; records: readonly (readonly [makerId: string, record: MakerRecord])[] }

/** What was told by one node. */
type Peer = { change: number; records: Map<string, MakerRecord> }

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
  const peers = new Map<string, Peer>()

  bus.subscribe('records', 'all', (message) => {
    if (message.node === node) return
    if (message.kind === 'told') return hear(message.node, message)
    const known = message.known.find(([name]) => name === node)?.[1] ?? 0
    // Who asks again is answered again.
    bus.publish('records', 'all', { kind: 'told', node, ...changedSince(known) }).catch(() => {})
  })

  function hear(name: string, { change, records }: ChangedRecords): void {
    const peer = peers.get(name) ?? { change: 0, records: new Map() }
    peer.change = Math.max(peer.change, change)
    for (const [makerId, record] of records) {
      // Those that were told longest ago come first.
      peer.records.delete(makerId)
      peer.records.set(makerId, record)
    }
    dropFirst(peer.records, MAKERS_KEPT)
    peers.set(name, peer)
    dropFirst(peers, PEERS_KEPT)
  }

  return {
    ask: () => {
      const known = [...peers].map(([name, { change }]) => [name, change] as const)
      return bus.publish('records', 'all', { kind: 'wanted', node, known })
    },
    of: (makerId) => [...peers.values()].flatMap(({ records }) => records.get(makerId) ?? []),
    makerIds: () => [...peers.values()].flatMap(({ records }) => [...records.keys()]),
  }
}

function dropFirst(map: Map<string, unknown>, limit: number): void {
  for (const key of map.keys()) {
    if (map.size <= limit) return
    map.delete(key)
  }
}
