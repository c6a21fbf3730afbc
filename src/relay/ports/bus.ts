import type { MakerRecord } from '../../domain/reliability.ts'
import type { Stop } from './clock.ts'
import type { Acceptance } from './store.ts'

/** Messages for one addressee, wherever it is connected. At most once: what must not be lost is in the store too. */
export type Bus = {
  publish: <Topic extends keyof BusMessages>(topic: Topic, key: string, message: BusMessages[Topic]) => Promise<void>
  subscribe: <Topic extends keyof BusMessages>(
    topic: Topic,
    key: string,
    onMessage: (message: BusMessages[Topic]) => void,
  ) => Stop
}

/**
 * What travels by the bus: `maker` by makerId, `acceptance` by acceptanceId, `key` under `revoked`, which is a keyId, and
 * `records` and `block` under `all`.
 */
export type BusMessages = {
  maker: MakerMessage
  acceptance: 'confirmed' | 'declined' | 'timed_out'
  key: string
  records: RecordsMessage
  block: BlockMessage
}

/**
 * What nodes tell each other of makers: that one wants to hear what has changed since the change that it knows of each
 * other node, and what has. Changes of a node are counted from 1.
 */
export type RecordsMessage = { node: string } & (
  | { kind: 'wanted'; known: readonly (readonly [node: string, change: number])[] }
  | { kind: 'told'; change: number; records: readonly (readonly [makerId: string, record: MakerRecord])[] }
)

/** A maker was shut out, or let in again. */
export type BlockMessage = { kind: 'blocked' | 'unblocked'; makerId: string }

/** What a maker hears after a trade. */
export type MakerMessage =
  | { kind: 'accepted'; acceptance: Acceptance }
  | { kind: 'confirmed'; requestId: string; quoteId: string }
  | { kind: 'rejected'; requestId: string; quoteId: string; reason: RejectReason }

/** Why a quote did not win. */
export type RejectReason = 'another_quote_won' | 'request_expired' | 'request_cancelled'
