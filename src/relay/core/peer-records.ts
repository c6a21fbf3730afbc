import type { MakerActivity } from '@rfqctl/protocol/domain/reliability'
import { FifoMap, LruMap } from 'toad-cache'
import type { Bus } from './ports/live.ts'

export type PeerRecords = ReturnType<typeof createPeerRecords>

/** Records changed since some change of the node; `change` is the number of its newest. */
export type ChangedRecords = { change: number; records: readonly (readonly [makerId: string, record: MakerActivity])[] }

type Peer = { change: number; records: LruMap<MakerActivity> }

/** Includes nodes that are gone: their records remain true. */
const PEERS_KEPT = 100
const MAKERS_KEPT = 5_000

export const NO_PEERS: PeerRecords = { ask: async () => {}, of: () => [], makerIds: () => [] }

/**
 * Records travel only during a poll, and only changed ones: following the other nodes would send every quote to each of
 * them. `changedSince` is this node's answer.
 */
export function createPeerRecords(parts: { bus: Bus; node: string; changedSince: (change: number) => ChangedRecords }) {
  const { bus, node, changedSince } = parts
  const peers = new FifoMap<Peer>(PEERS_KEPT)
  const all = () => [...peers.keys()].map((name) => [name, peers.get(name) as Peer] as const)

  bus.subscribe('records', 'all', (message) => {
    if (message.node === node) return
    if (message.kind === 'told') return keep(message.node, message)
    const known = message.known.find(([name]) => name === node)?.[1] ?? 0
    // The next poll asks again.
    bus.publish('records', 'all', { kind: 'told', node, ...changedSince(known) }).catch(() => {})
  })

  function keep(name: string, { change, records }: ChangedRecords): void {
    const peer = peers.get(name) ?? { change: 0, records: new LruMap<MakerActivity>(MAKERS_KEPT) }
    peer.change = Math.max(peer.change, change)
    for (const [makerId, record] of records) peer.records.set(makerId, record)
    peers.set(name, peer)
  }

  return {
    /** Asks for changes since the last call; does not wait for the answers. */
    ask: (): Promise<void> => {
      const known = all().map(([name, { change }]) => [name, change] as const)
      return bus.publish('records', 'all', { kind: 'wanted', node, known })
    },
    /** One record per other node. */
    of: (makerId: string): readonly MakerActivity[] => all().flatMap(([, { records }]) => records.get(makerId) ?? []),
    makerIds: (): readonly string[] => all().flatMap(([, { records }]) => [...records.keys()]),
  }
}
