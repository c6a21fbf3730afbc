import type { AcceptanceFacts, RestsOn } from '@rfqctl/protocol/domain/acceptance'
import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import type { LossFeedback, RejectReason } from '@rfqctl/protocol/domain/best-quote'
import type { MakerProtections, ProtectionState, ProtectionTrip } from '@rfqctl/protocol/domain/maker-protections'
import type {
  BreakerRule,
  MakerRecord,
  RecordedOutcome,
  Suspension,
  WinCounts,
} from '@rfqctl/protocol/domain/maker-record'
import type { Order, TypedDataDomain } from '@rfqctl/protocol/domain/order'
import type { OrderEnd } from '@rfqctl/protocol/domain/order-end'
import type { TapePlace } from '@rfqctl/protocol/domain/public-trade'
import type { Quote } from '@rfqctl/protocol/domain/quote'
import type {
  ClosedStatus,
  QuoteRequest,
  RequestedMarket,
  RequestedOption,
  RequestStatus,
  TakerRating,
} from '@rfqctl/protocol/domain/request'
import type { Defunding, OutstandingOrder } from '@rfqctl/protocol/domain/reservation'
import type { Resolution } from '@rfqctl/protocol/domain/resolution'
import type { SeriesId } from '@rfqctl/protocol/domain/series'
import type { PricePoint } from '@rfqctl/protocol/domain/twap'
import type { Address, Contracts, Hex } from '@rfqctl/protocol/domain/units'
import type { BlockMark } from './chain.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** A quote that a taker took, with the order that the maker is to sign. Times are Unix milliseconds. */
export type Acceptance = {
  acceptanceId: string
  requestId: string
  quoteId: string
  makerId: string
  option: RequestedOption
  quote: Quote
  order: Order
  domain: TypedDataDomain
  /** Options that their seller holds and hands over; absent: none, all are written. */
  fromInventory?: Contracts
  /** Whether the fill burns what its taker buys against what it has written. */
  closes?: true
  /** Whether its taker has shown that the wallet is its own (decision C16); absent: no. */
  proven?: true
  createdAt: number
  deadline: number
  /** Trace of the commit, for the node that its maker answers; absent if it is not traced. */
  traceparent?: string
  state: 'pending' | 'confirmed' | 'timed_out' | 'declined'
}

/** A confirmed trade with the maker's signature. Only ever shown to its taker. */
export type Execution = {
  executionId: string
  acceptance: Acceptance
  signature: Hex
  executedAt: number
}

/** Why an acceptance was not written. */
export type Stale = false | 'outdated' | 'changed'

/** Executions at or before `until`, Unix milliseconds, and before a place; null: from the newest. */
export type TapeQuery = { until: number; before: TapePlace | null; limit: number }

/** An execution, the market that its taker asked about, and the end of its order; null: it is open, as far as is known. */
export type TapedExecution = {
  execution: Execution
  market: Pick<RequestedMarket, 'conditionId' | 'yesTokenId'>
  end: OrderEnd | null
}

/** An order that its maker has signed. */
export type SignedOrder = Pick<Acceptance, 'acceptanceId' | 'requestId' | 'quoteId' | 'makerId' | 'order' | 'proven'>

/** One that has not ended, with what its wallet must pay for it, and when it was built and signed, Unix milliseconds. */
export type OpenOrder = SignedOrder &
  Pick<Acceptance, 'option' | 'fromInventory' | 'createdAt'> & { confirmedAt: number }

/** A signed order whose maker took away what it needs. */
export type DefundedOrder = SignedOrder & { defunding: Defunding }

export type EndedOrder = SignedOrder & { end: OrderEnd }

/** The block up to which all ends are kept, null without a chain; and from when on orders are watched, Unix seconds. */
export type OrderCheckpoint = { block: BlockMark | null; since: number }

/** State that gives someone a right, and must survive a crash once the call has returned. Postgres is its hardest adapter. */
export type Store = {
  /** Another one at each opening, above all before it: the high part of stream ids, so that they never go back (decision M1). */
  epoch: number
  /** Resolves when a change could be made durable now; else fails with `store_unavailable`. */
  ping: () => Promise<void>
  /** Bytes that each change writes again; null where that is of no matter. */
  documentBytes: () => number | null
  /** Number of deferred writes that were given up so far: entries of the audit log, rejections, uses of keys. */
  lostWrites: () => number
  requests: {
    /** False where there is one of this id, which stays as it is: open, or as long as anything of it is kept. */
    insert: (request: QuoteRequest) => Promise<boolean>
    /** Also a committed one, and for 15 minutes one that closed otherwise. */
    find: (requestId: string) => Promise<{ request: QuoteRequest; status: RequestStatus } | null>
    /** True for exactly one caller. Refused (false) while an acceptance of it is pending: its maker may still sign. */
    close: (requestId: string, status: ClosedStatus) => Promise<boolean>
    listOpen: () => Promise<readonly QuoteRequest[]>
  }
  /**
   * The order nonce of a (request, maker wallet): always the same one, else the wallet's next (decision C7). Durable at the latest with
   * the acceptance that carries it; at once when `isShown` to its maker before.
   */
  allotNonce: (requestId: string, wallet: Address, isShown?: boolean) => Promise<number>
  acceptances: {
    /**
     * What `decideAcceptance` decides from, of one moment. Where the debt of the wallet has another version than `seenOwed`, the use
     * of windows may be left out: the decision is `outdated`, whatever it is.
     */
    factsOf: (acceptance: Acceptance, seenOwed?: number | null) => MaybePromise<AcceptanceFacts>
    /**
     * Writes an acceptance as decided, in one step with the check that what the decision rests on still holds. Refused (false)
     * unless the request is open and has no pending or confirmed one (invariant V1), as `outdated` when its wallet may owe more than
     * at the version `owed`, and as `changed` when the protections, their use or the last suspension of its maker are others. Without
     * `restsOn` its maker has neither, and its wallet may owe anything.
     */
    insert: (acceptance: Acceptance, restsOn?: RestsOn) => Promise<true | Stale>
    /** The same for one that its maker signed beforehand, and confirms it in the same step. Refused as `late` from its deadline on, by the store's clock. */
    insertSigned: (
      acceptance: Acceptance,
      execution: Pick<Execution, 'executionId' | 'signature'>,
      restsOn?: RestsOn,
    ) => Promise<Execution | Stale | 'late'>
    /** Takes back a pending one whose maker was not asked after all, and leaves no trace of it; false when it has ended. */
    withdraw: (acceptanceId: string) => Promise<boolean>
    /** The newest acceptance of a quote, in any state. */
    findByQuote: (quoteId: string) => Promise<Acceptance | null>
    /** The pending or confirmed acceptance of a request; there is at most one (invariant V1). */
    findActive: (requestId: string) => Promise<Acceptance | null>
    pending: (filter?: { makerId: string }) => Promise<readonly Acceptance[]>
    /**
     * Orders of a wallet that are pending, or confirmed with `validUntil` at or after `chainTime` (decision C13). One
     * that has ended is among them for another minute, with the block of its end: funds that were read before it must
     * not count without it.
     */
    outstandingOf: (maker: Address, chainTime: number) => MaybePromise<OutstandingOrders>
    /**
     * Settles a pending acceptance, judged by the store's clock: before the deadline only. With it: execution and request.
     * Refused as `outdated` when other makers have confirmed orders of its wallet since it was asked, which no one has counted
     * against it; with the `outstandingVersion` at which they were counted, when the wallet may owe more by now.
     */
    confirm: (
      acceptanceId: string,
      execution: Pick<Execution, 'executionId' | 'signature'>,
      outstandingVersion?: number | null,
    ) => Promise<Execution | 'outdated' | null>
    /** Ends a pending acceptance whose maker declined, or whose deadline has passed by the store's clock; else false. */
    end: (acceptanceId: string, state: 'timed_out' | 'declined') => Promise<boolean>
  }
  /** The ends of signed orders. If several nodes see an end, only one learns that it was the first. */
  orders: {
    /** Orders of maker wallets that have not ended, and that could be filled at `since`, Unix seconds, or later. */
    openOf: (query: { makers: readonly string[]; since: number }) => Promise<readonly SignedOrder[]>
    /** Orders that have not ended and could be filled at `since`, and not at `before` any more, Unix seconds; oldest first. */
    lapsed: (query: { since: number; before: number; limit: number }) => Promise<readonly SignedOrder[]>
    /**
     * Orders of the next `wallets` maker wallets after the wallet `after`, in lower case, that have not ended and can
     * be filled at `since`, Unix seconds, or later: wallet by wallet, each in the order in which they were signed, at
     * most `limit` in all.
     */
    open: (query: { after: string; wallets: number; since: number; limit: number }) => Promise<readonly OpenOrder[]>
    /** Notes of open orders that their makers took away what they need. Returns those of which this call was the first to. */
    defund: (orders: readonly DefundedOrder[]) => Promise<readonly DefundedOrder[]>
    /** Keeps the ends of orders; the first end of each is final. Returns those that this call has ended. */
    end: (ends: readonly EndedOrder[]) => Promise<readonly EndedOrder[]>
    /** Null while it is open, as far as is known. */
    endOf: (requestId: string) => Promise<OrderEnd | null>
    /**
     * Outcomes of the newest orders of a taker that ended in the last `sinceMs`, `RATED_ORDERS` at most: those that it
     * filled, and those that expired of commits which it has proved to be its own.
     */
    ratingOf: (query: { taker: Address; sinceMs: number }) => MaybePromise<TakerRating>
    /** Position from which the chain's events are read; null before the first time. */
    checkpoint: () => Promise<OrderCheckpoint | null>
    /** Keeps a checkpoint unless there is a later one; of several `since` the first is kept. */
    keep: (checkpoint: OrderCheckpoint) => Promise<void>
  }
  executions: {
    findByRequest: (requestId: string) => Promise<Execution | null>
    /** The makers of a list that have confirmed an order at or after a moment, Unix milliseconds. */
    confirmedBy: (makerIds: readonly string[], since: number) => MaybePromise<ReadonlySet<string>>
    /**
     * Whether an order of a wallet, of whatever maker, was confirmed at or after a moment, Unix milliseconds, or is known since then to
     * be filled.
     */
    mayHavePaid: (wallet: Address, since: number) => MaybePromise<boolean>
    /** The newest executions with the ends of their orders, newest first; an embedded store has the newest 10,000. */
    newest: (query: TapeQuery) => Promise<readonly TapedExecution[]>
  }
  /**
   * The quoters of each request, where the live market is a single process's own and lost with it: a maker keeps its
   * quoteId and its misses, and learns once how the request ended.
   */
  quoters: {
    /**
     * Notes a maker on a request, again with each miss. In its own time, at the latest with the next change that is durable:
     * a crash may lose those of the last second.
     */
    record: (requestId: string, quoter: Quoter) => void
    /** Quoters by requestId, until `history.reject` has recorded the outcome of the request. */
    list: () => Promise<ReadonlyMap<string, readonly Quoter[]>>
  }
  /** The outcomes of a maker's quotes, for one that was away. */
  history: {
    /**
     * Records the rejected quotes of an ended request, after all its quoters have been informed. Keeps rejections for a
     * day, a busy embedded store only the newest half million. In its own time, like `quoters.record`: what a crash
     * takes back is a request whose quoters are still listed.
     */
    reject: (requestId: string, rejections: readonly Rejection[]) => void
    /**
     * Outcomes of a maker, oldest first, at most `limit`: those after the outcome of the quote `after`, and from `since`
     * (Unix milliseconds) on. Null when `after` is not of the maker's outcomes.
     */
    list: (query: HistoryQuery) => Promise<readonly Outcome[] | null>
    /** Number of a maker's outcomes of the last day, and of trades among them; a shared store counts the newest 10,000. */
    countWins: (makerId: string) => Promise<WinCounts>
  }
  resolutions: {
    find: (seriesId: SeriesId) => Promise<PinnedResolution | null>
    /** Stores the first resolution of a series forever and returns the one in force (invariant V5). */
    pin: (resolution: PinnedResolution) => Promise<PinnedResolution>
    /** Records that a person must look; the first record is kept. */
    escalate: (escalation: Escalation) => Promise<void>
    /** The record of a series that a person must look at, also when it has been resolved since. */
    findEscalation: (seriesId: SeriesId) => Promise<Escalation | null>
    /** Escalations that are not resolved, oldest first. */
    listEscalated: () => Promise<readonly Escalation[]>
  }
  prices: {
    /** Records a price; the first record of a moment is kept. */
    record: (yesTokenId: string, point: PricePoint) => Promise<void>
    between: (yesTokenId: string, from: number, to: number) => Promise<readonly PricePoint[]>
  }
  faucetClaims: {
    /**
     * Takes the wallet's turn, or says when the next one is (Unix milliseconds): its own, or, where all wallets together
     * have taken `perHour`, anyone's.
     */
    claim: (wallet: Address, limits: FaucetLimits) => Promise<FaucetTurn>
    /** Gives a turn back when the transfer failed. */
    release: (wallet: Address) => Promise<void>
  }
  users: {
    /** The user of an identity. At its first sight the given one is stored; its makerId changes at most once, by `settleMakerId`. */
    findOrCreate: (fresh: User) => Promise<User>
    /**
     * Settles the makerId of an identity's user, which comes before its first key: from then on it never changes. A `chosen` one takes
     * the place of the one that is drawn. Refused as `settled` when another one is, and as `taken` when it is another user's, both in
     * one step with the change.
     */
    settleMakerId: (user: Pick<User, 'idpDid'> & { chosen: string | null }) => Promise<User | 'settled' | 'taken'>
  }
  apiKeys: {
    /** Refused (false) when its user has `mostActive` already. */
    insert: (key: ApiKey, mostActive: number) => Promise<boolean>
    /** The active key of a digest; null when it is unknown or revoked. */
    findByDigest: (digest: string) => Promise<ApiKey | null>
    /** A user's active keys, oldest first. */
    listActive: (userId: string) => Promise<readonly ApiKey[]>
    /** Ends a user's own active key at once, for exactly one caller; null for any other key. Nothing is kept of it. */
    revoke: (key: { keyId: string; userId: string }) => Promise<ApiKey | null>
    /** Notes that a key is used now, to the minute and in its own time. */
    recordUse: (key: Pick<ApiKey, 'keyId' | 'digest'>) => void
  }
  /** Makers that operators have blocked. */
  blocks: {
    /** Notes a decision; the newest of a maker is in force. */
    decide: (decision: BlockDecision) => Promise<void>
    /** The decision in force of each maker that was ever blocked, oldest first. */
    list: () => Promise<readonly BlockDecision[]>
  }
  /** The protections of makers. */
  protections: {
    /** Puts protections in place of a maker's former ones. A trip stays, and so does what was counted where windows stay. */
    put: (makerId: string, protections: MakerProtections) => Promise<ProtectionState>
    /** Ends a trip and begins to count again; null where the maker has put no protections. */
    reset: (makerId: string) => Promise<ProtectionState | null>
    find: (makerId: string) => Promise<ProtectionState | null>
    /** Trips the protections of a maker, unless they or their use are others than the decision rests on: then false. */
    trip: (makerId: string, trip: ProtectionTrip, restsOn: Pick<RestsOn, 'protections' | 'used'>) => Promise<boolean>
    /** Protections of every maker that has set any. */
    list: () => Promise<readonly ProtectionState[]>
  }
  /** The outcomes of makers, and their suspensions. */
  makerRecords: {
    /**
     * Counts an outcome once, and misses or insolvencies of one incident as one, at the store's time, and returns the suspension that it has begun; else null. In its own time: a crash
     * may take back outcomes of the last second, but no suspension that was returned.
     */
    note: (makerId: string, outcome: Omit<RecordedOutcome, 'at'>, rule: BreakerRule) => Promise<Suspension | null>
    /** The newest 100 outcomes of a day; of one that has done nothing there are none. */
    find: (makerId: string) => Promise<MakerRecord>
    /** Makers that are suspended now. */
    suspended: () => Promise<readonly SuspendedMaker[]>
    /** Ends a suspension, which does not count any more; false without one. */
    reinstate: (makerId: string) => Promise<boolean>
  }
  audit: AuditLog
  close: () => Promise<void>
}

/** A suspended maker, with the reason. */
export type SuspendedMaker = { makerId: string; suspension: Suspension }

/** The limits of the faucet: one payment to a wallet per `cooldownMs`, and `perHour` payments in all. */
export type FaucetLimits = { cooldownMs: number; perHour: number }

/** A turn at the faucet that was taken, or when there is one again. */
export type FaucetTurn = { kind: 'claimed' } | { kind: 'cooldown' | 'exhausted'; until: number }

/** A maker that has quoted on a request: the quoteId that it keeps there, and how often it has missed. */
export type Quoter = { makerId: string; quoteId: string; misses: number }

/** The debt of a wallet; `version` changes whenever the debt may have grown. */
export type OutstandingOrders = { version: number; orders: readonly OutstandingOrder[] }

/** A quote that did not win, the reason, and its standing beside the winner if makers get feedback. */
export type Rejection = {
  makerId: string
  requestId: string
  quoteId: string
  reason: RejectReason
  feedback?: LossFeedback
}

/** The end of a quote, and its time in Unix milliseconds. */
export type Outcome = { at: number; requestId: string; quoteId: string } & (
  | { status: 'confirmed'; execution: Execution; end: OrderEnd | null; defunding: Defunding | null }
  | { status: 'rejected'; reason: RejectReason; feedback?: LossFeedback }
)

/** Which outcomes of a maker; null: no bound. */
export type HistoryQuery = {
  makerId: string
  after: string | null
  since: number | null
  status: Outcome['status'] | null
  limit: number
}

/** A signed-in person; `idpDid` is the subject of the identity provider's token. */
export type User = { userId: string; idpDid: string; makerId: string; createdAt: number }

/** A maker's key. The secret is kept only as its SHA-256 and a prefix to recognise it. Times are Unix milliseconds. */
export type ApiKey = {
  keyId: string
  userId: string
  makerId: string
  name: string
  prefix: string
  digest: string
  createdAt: number
  lastUsedAt: number | null
  revokedAt: number | null
}

/** The one resolution of a series. `resolvedAt` is Unix milliseconds; `decision` is null unless a person made it. */
export type PinnedResolution = Resolution & {
  seriesId: SeriesId
  resolvedAt: number
  decision: { by: string; reason: string } | null
}

/** An operator's decision to block or unblock a maker, with its author, time (Unix milliseconds) and reason. */
export type BlockDecision = { makerId: string; isBlocked: boolean; at: number; by: string; reason: string }

/** A series that waits for a person. */
export type Escalation = { seriesId: SeriesId; reason: string; windowStart: number; windowEnd: number; at: number }

/**
 * The record of each request's life, for operators. It never holds a call up: an adapter keeps what it is given in order
 * and writes it away in its own time.
 */
export type Audit = { record: (entry: AuditEntry) => void }

/** The record with its reader. */
export type AuditLog = Audit & {
  /** Entries of a request, oldest first: a week back, in a busy relay less. */
  find: (requestId: string) => Promise<readonly AuditEntry[]>
}
