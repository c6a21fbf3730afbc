import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import type { VerifierKey } from '@rfqctl/protocol/domain/checkpoint'
import type { Tile } from '@rfqctl/protocol/domain/log-tiles'
import type { MonthOfMaker } from '@rfqctl/protocol/domain/quality'
import type { ShownRecord } from '@rfqctl/protocol/domain/transcript'

/** A line of a request's transcript: a leaf of the log, its proof of inclusion, and what opens its commitment. */
export type TranscriptLine = {
  index: number
  /** Hashes from the leaf up, in the tree of the checkpoint. */
  path: readonly Uint8Array[]
  commitment: Uint8Array
  salt: Uint8Array
  /** The record that the commitment is of. */
  record: ShownRecord
}

/** Lines of one request, in their order, with the checkpoint that has them all. */
export type TranscriptLines = { checkpoint: string; keys: readonly VerifierKey[]; lines: readonly TranscriptLine[] }

/** Quality of makers in a month by the leaves from `from` up to `to`, without it; the most active first. */
export type QualityOfMonth = { from: number; to: number; makers: readonly MonthOfMaker[] }

/** The append-only Merkle log of the lives of requests, which others can verify. */
export type TransparencyLog = {
  /** The keys that sign checkpoints now; the newest is first. */
  keys: readonly VerifierKey[]
  /** After the end of a request, until the log has what every node heard of it, in milliseconds. */
  completeMs: number
  /** The newest signed checkpoint; null before the first. */
  checkpoint: () => Promise<string | null>
  /** Null where the tree of the newest checkpoint has no such tile. */
  readTile: (tile: Tile) => Promise<Uint8Array | null>
  /** Null where the log has nothing of the request. */
  linesOf: (requestId: string) => Promise<TranscriptLines | null>
  /** By all that the log keeps, or, in a long one, as much as could be read in time. */
  quality: (month: string) => Promise<QualityOfMonth>
  /** The name under which others see a maker. */
  pseudonymOf: (makerId: string) => string
}

/** Takes entries without a wait; they become leaves in their order, about a second later. */
export type LogIntake = { add: (entry: AuditEntry) => void }
