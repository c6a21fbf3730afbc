import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import type { Growth, Tile, TreeEdge } from '@rfqctl/protocol/domain/log-tiles'

/** A leaf of the log. `text` is the record that `commitment` is of; `number` counts the leaves of its request, from 0. */
export type Leaf = { requestId: string; number: number; text: string; commitment: Uint8Array }

/** The last leaf of a request. `hasConfirmed`: one of its leaves is a maker's signature. */
export type Head = { number: number; commitment: Uint8Array; hasConfirmed: boolean }

/** The state of a log, and the entries that come to it. */
export type Turn = { edge: TreeEdge; heads: ReadonlyMap<string, Head>; entries: readonly AuditEntry[] }

/** The result of a turn: written whole, and the checkpoint last. */
export type Numbered = { edge: TreeEdge; leaves: readonly Leaf[]; growths: readonly Growth[]; checkpoint: string }

/** A leaf as it is read again. */
export type StoredLeaf = { index: number; text: string }

/** Keeps a log. A read shows what the newest checkpoint has. */
export type LogStorage = {
  /** An entry waits for its turn; one that a crash takes is a second old at most. */
  add: (entry: AuditEntry) => void
  /** Numbers what waits, by the order in which it is durable, unless nothing does, or another node is at it. */
  advance: (number: (turn: Turn) => Promise<Numbered>) => Promise<void>
  /** Whether the log of this node alone has leaves of the request, so that its entries need not be held back. */
  knows: (requestId: string) => boolean
  /** Requests of a list that the log has leaves of, and those that are over; null where no other node could have either. */
  statesOf: ((requestIds: readonly string[]) => Promise<{ logged: readonly string[]; over: readonly string[] }>) | null
  checkpoint: () => Promise<string | null>
  /** The bytes of a tile of hashes, or of a bundle of entries. The caller knows that there is one. */
  readTile: (tile: Tile) => Promise<Uint8Array>
  /** The leaves of a request in their order, as long as they are kept. */
  leavesOf: (requestId: string) => Promise<readonly StoredLeaf[]>
  /** The next leaves from an index on, in order, of those that are kept. */
  leavesFrom: (index: number, limit: number) => Promise<readonly StoredLeaf[]>
  /** Entries that were given up, because the storage failed for long. */
  lost: () => number
  close: () => Promise<void>
}
