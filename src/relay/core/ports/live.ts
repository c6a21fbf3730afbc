import type { Audience } from '@rfqctl/protocol/domain/audience'
import type { LossFeedback, RejectReason } from '@rfqctl/protocol/domain/best-quote'
import type { ErrorCode, RfqError } from '@rfqctl/protocol/domain/errors'
import type { Absence, ProtectionTrip } from '@rfqctl/protocol/domain/maker-protections'
import type { RecordedOutcome } from '@rfqctl/protocol/domain/maker-record'
import type { Order } from '@rfqctl/protocol/domain/order'
import type { OrderEnd } from '@rfqctl/protocol/domain/order-end'
import type { MakerActivity } from '@rfqctl/protocol/domain/reliability'
import type { ClosedStatus, QuoteRequest } from '@rfqctl/protocol/domain/request'
import type { Defunding } from '@rfqctl/protocol/domain/reservation'
import type { Level } from '@rfqctl/protocol/domain/surface'
import type { MaybePromise } from './maybe-promise.ts'
import type { Stop } from './runtime.ts'
import type { Acceptance, Rejection } from './store.ts'

/** The connection of a maker, by kind; the last three are streams again that hear of more than every maker does. */
export const CHANNELS = ['stream', 'socket', 'packages', 'twoSided', 'twoSidedPackages'] as const
export type Channel = (typeof CHANNELS)[number]

/** Kind of a request beyond a single option on one side: makers that do not ask for such requests hear nothing of them. */
export type RequestKind = { packages: boolean; twoSided: boolean }

/** The connected makers, over all nodes. */
export type Presence = {
  /**
   * Adds a maker's live stream or socket, or its stream again for what it receives besides, until the returned
   * function is called. Resolves when all nodes can know, or when they could not be informed in time.
   */
  join: (channel: Channel, makerId: string, connectionId: string) => MaybePromise<Stop>
  /**
   * Distinct makers with a live stream; under another channel only those whose stream receives such requests, and of an audience
   * those in it.
   */
  countStreams: (channel?: Exclude<Channel, 'socket'>, audience?: Audience) => Promise<number>
  hasSocket: (makerId: string) => Promise<boolean>
  /** Every maker that is connected, with its connections. */
  list: () => Promise<readonly ConnectedMaker[]>
  /** Calls the listener for each socket that joins. */
  onSocket: (listener: (makerId: string) => void) => Stop
  /** Since when each of these makers has no stream, and no socket; at the start of a single process no one has. */
  absences: (makerIds: readonly string[]) => MaybePromise<readonly Absence[]>
}

/** A maker that is connected, by how many streams and sockets. */
export type ConnectedMaker = { makerId: string; streams: number; sockets: number }

/**
 * An event of the maker stream; ids rise and are never repeated, also across restarts (decision M1). The end of a request
 * says for whom it was: `ofPackage` and `twoSided` for makers that receive such requests, `audience` for some makers.
 */
export type MakerEvent =
  | { id: number; kind: 'quote_request'; request: QuoteRequest }
  | {
      id: number
      kind: 'quote_request_expired'
      requestId: string
      ofPackage?: true
      twoSided?: true
      audience?: Audience
    }

/** The log behind the maker stream: the last 10,000 events. */
export type MakerFeed = {
  /** The id of the newest event, or the id before the first. */
  position: () => Promise<number>
  /** The events after an id, oldest first; null when that id is not one that the log can continue from. */
  since: (id: number) => Promise<readonly MakerEvent[] | null>
  /** Passes on every event; the same object goes to all listeners. */
  listen: (onEvent: (event: MakerEvent) => void) => Stop
  /** Reports that events were missed, or may have been: listeners must start again. */
  onBreak: (onBreak: () => void) => Stop
}

/** Messages for one addressee, wherever it is connected. At most once: what must not be lost is in the store too. */
export type Bus = {
  publish: <Topic extends keyof BusMessages>(topic: Topic, key: string, message: BusMessages[Topic]) => Promise<void>
  /** Publishes to each maker that its quote lost, all at once: at hand where no other node is to hear of it. */
  reject: (rejections: readonly Rejection[]) => MaybePromise<void>
  subscribe: <Topic extends keyof BusMessages>(
    topic: Topic,
    key: string,
    onMessage: (message: BusMessages[Topic]) => void,
  ) => Stop
}

/**
 * The messages on the bus: `maker` by makerId, `acceptance` by acceptanceId, `key` under `revoked`, which is a keyId,
 * and `records`, `block`, `protections`, `suspensions` and `levels` under `all`.
 */
export type BusMessages = {
  maker: MakerMessage
  acceptance: 'confirmed' | 'declined' | 'timed_out'
  key: string
  records: RecordsMessage
  block: BlockMessage
  protections: ProtectionsMessage
  suspensions: SuspensionsMessage
  levels: LevelsMessage
}

/**
 * Messages between nodes about makers: one wants the changes since the last one that it knows of each other node, and
 * one has them. Changes of a node are counted from 1.
 */
export type RecordsMessage = { node: string } & (
  | { kind: 'wanted'; known: readonly (readonly [node: string, change: number])[] }
  | { kind: 'told'; change: number; records: readonly (readonly [makerId: string, record: MakerActivity])[] }
)

/** A maker was blocked, or unblocked. */
export type BlockMessage = { kind: 'blocked' | 'unblocked'; makerId: string }

/** The indicative levels of a maker, which replace its former ones. */
export type LevelsMessage = { kind: 'set'; makerId: string; levels: readonly Level[] }

/** The protections of a maker have changed: receivers read them. */
export type ProtectionsMessage = { kind: 'changed'; makerId: string }

/**
 * A maker is suspended, or not any more: receivers read the store. Or the answer of a maker to a quote came in time,
 * and the relay answers for its outcome.
 */
export type SuspensionsMessage = { kind: 'changed'; makerId: string } | { kind: 'answered'; quoteId: string }

/** A message to a maker after a trade, of its protections, or of its record; `until` and `at` are Unix milliseconds. */
export type MakerMessage =
  | { kind: 'accepted'; acceptance: Acceptance }
  /** `order`: the one by which a firm quote was taken, new to its maker. */
  | { kind: 'confirmed'; requestId: string; quoteId: string; order?: Order }
  | { kind: 'rejected'; requestId: string; quoteId: string; reason: RejectReason; feedback?: LossFeedback }
  | { kind: 'protection_tripped'; version: number; trip: ProtectionTrip }
  | { kind: 'order_ended'; requestId: string; quoteId: string; end: OrderEnd }
  | { kind: 'missed'; requestId: string; quoteId: string }
  | { kind: 'suspended'; until: number; because: readonly RecordedOutcome[] }
  | { kind: 'reinstated'; at: number }
  | { kind: 'order_defunded'; requestId: string; quoteId: string; defunding: Defunding }

/**
 * Commits that run, over all nodes: one of a request at a time. A lease may be lost at any moment, at the price of a
 * commit that runs twice: the store alone decides who trades (invariant V1).
 */
export type CommitLeases = {
  /**
   * Begins a commit unless one runs. `terms` identify the commits that may be joined; `waitingFor` is the lease whose
   * end the caller has waited for: it gets that commit's outcome.
   */
  begin: (requestId: string, terms: string, waitingFor: string | null) => Promise<CommitLease>
  /** Whether some node runs a commit of a request. */
  isRunning: (requestId: string) => Promise<boolean>
  /** Reports that a commit has ended; at most once, and never when its node is gone. */
  onEnd: (leaseId: string, listener: () => void) => Stop
}

/** A commit that the caller has begun, or one that someone else runs or has ended. */
export type CommitLease =
  | {
      kind: 'begun'
      /** Whether no other node has taken the commit over, for instance because this one stalled. */
      isOwner: () => Promise<boolean>
      end: (outcome: CommitOutcome) => Promise<void>
    }
  | { kind: 'running'; leaseId: string; terms: string }
  | { kind: 'ended'; outcome: CommitOutcome }

/** The end of a commit; the order of one that succeeded is in the store. `data` is as JSON has it. */
export type CommitOutcome =
  | { kind: 'committed' }
  | { kind: 'refused'; code: ErrorCode; detail: string; data: RfqError['data'] }

/** The work that nodes of one store take over from a node that dies or stalls, judged by the store's clock. */
export type Takeover = {
  /** Times out, for one caller each, the pending acceptances whose deadline passed a while ago: their own node would have. */
  endOverdue: () => Promise<readonly Acceptance[]>
  /** Requests that were closed a while ago, and `delayMs` before it, and whose end not everyone knows yet. */
  unannounced: (delayMs: number) => Promise<readonly { requestId: string; status: ClosedStatus }[]>
  /** All that ever quoted on a request that was closed, while it is remembered; none once the live market was lost. */
  quotedBy: (requestId: string) => Promise<readonly { makerId: string; quoteId: string }[]>
  /** Records, in its own time and not before the rejections that were recorded earlier, that the end of a request was announced. */
  announced: (requestId: string) => void
}
