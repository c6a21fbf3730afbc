import type { SettlementAttestation } from '../domain/attestation.ts'
import type { AuditEntry } from '../domain/audit.ts'
import type { RankedQuote } from '../domain/best-quote.ts'
import type { Order, TypedDataDomain } from '../domain/order.ts'
import type { Position } from '../domain/position.ts'
import type { Quote } from '../domain/quote.ts'
import type { ClosedStatus, QuoteRequest, RequestedOption, RequestStatus } from '../domain/request.ts'
import type { Funds } from '../domain/reservation.ts'
import type { FinalOutcome, Resolution } from '../domain/resolution.ts'
import type { Series, SeriesId } from '../domain/series.ts'
import type { PricePoint } from '../domain/twap.ts'
import type { Address, Hex, Usd6 } from '../domain/units.ts'

export type { AuditEntry, AuditFact } from '../domain/audit.ts'

/** Ends a subscription, a timer or a presence. */
export type Stop = () => void

/** The relay's own time: Unix milliseconds, and one-shot timers that never fire early. */
export type Clock = {
  now: () => number
  schedule: (at: number, run: () => void) => Stop
}

/** Identifiers and secrets from a CSPRNG, and the digest under which a secret is kept. */
export type Ids = {
  /** UUID v4 (ruling Q1). */
  uuid: () => string
  /** At least 128 random bits as URL-safe text. */
  secret: () => string
  /** A whole number of so many random bits. */
  random: (bits: number) => bigint
  /** SHA-256 in lower-case hex. */
  digest: (secret: string) => string
  /** Whether two digests are one; how long that takes does not say where they differ (reliability B2). */
  isSameDigest: (a: string, b: string) => boolean
}

/**
 * The live market: open requests and their quotes. It may be lost at any moment at the price of a re-quote or a fresh
 * snapshot. Each write is one atomic step, so that Redis can do it as one server-side function.
 */
export type Book = {
  /** Makes a request live and announces it to makers. Repeating it for a live request changes nothing. */
  open: (request: QuoteRequest) => Promise<void>
  /** A request while it is open, and for 15 minutes after it closed (ruling Q8). */
  find: (requestId: string) => Promise<LiveRequest | null>
  /** All open requests with the id under which they were announced, ascending. */
  openRequests: () => Promise<readonly { id: number; request: QuoteRequest }[]>
  /** What takers are shown; null for an unknown request. */
  top: (requestId: string) => Promise<BookTop | null>
  /** Every quote of a request, best first. Quotes past their time may still be in it. */
  ranked: (requestId: string) => Promise<readonly RankedQuote[]>
  findQuote: (quoteId: string) => Promise<Quote | null>
  /** The live quotes of one maker over all open requests. */
  quotesOf: (makerId: string) => Promise<readonly Quote[]>
  /**
   * Puts a maker's quote in place of its former one. The stored quote keeps the maker's quoteId of this request, and
   * the time of its price when the price stays.
   */
  put: (quote: Quote) => Promise<PutQuote>
  /** Takes a quote out; `locked` while it is out for signature. Its maker keeps the quoteId for a later one. */
  remove: (requestId: string, quoteId: string) => Promise<'removed' | 'locked' | 'absent'>
  /** Takes a quote out if its time has come; says whether it did. */
  expire: (requestId: string, quoteId: string) => Promise<boolean>
  /** Holds a quote still while its maker signs and returns it as it stands; null when it is gone or another one is held. */
  lock: (requestId: string, quoteId: string) => Promise<Quote | null>
  /** Lets go of the held quote; `missed` ranks its maker behind all that missed less often (ruling Q6). */
  unlock: (requestId: string, result: 'missed' | 'unasked') => Promise<void>
  /**
   * Ends an open request, lets its quotes go and announces it to makers and watchers: `closed` for exactly one caller.
   * While a quote is held only `committed` can end it (ruling C6).
   */
  close: (requestId: string, status: ClosedStatus) => Promise<CloseRequest>
  /** Hears every change of one request's top. */
  watch: (requestId: string, onChange: (top: BookTop) => void) => Stop
}

/** A request as the book holds it, with the quote that is held for signature. */
export type LiveRequest = {
  request: QuoteRequest
  status: RequestStatus
  signing: { makerId: string; quoteId: string } | null
}

/** The best quote of a request; `bookSeq` rises by one with each change of the book (ruling Q9). */
export type BookTop = {
  request: QuoteRequest
  status: RequestStatus
  confirming: boolean
  best: Quote | null
  quoteCount: number
  bookSeq: number
}

/** What became of a quote. */
export type PutQuote = { kind: 'stored'; quote: Quote } | { kind: 'absent' } | { kind: 'closed' } | { kind: 'locked' }

/**
 * How a request was closed. `quotedBy` are all that ever quoted on it, also when the quote is gone: each is owed one
 * terminal message (ruling C10).
 */
export type CloseRequest =
  | { kind: 'closed'; quotedBy: readonly { makerId: string; quoteId: string }[] }
  | { kind: 'locked' }
  | { kind: 'absent' }

/** What makers hear on their stream; ids rise and are never repeated, also across restarts (ruling M1). */
export type MakerEvent =
  | { id: number; kind: 'quote_request'; request: QuoteRequest }
  | { id: number; kind: 'quote_request_expired'; requestId: string }

/** The log behind the maker stream: the last 10,000 events. */
export type MakerFeed = {
  /** The id of the newest event, or the id before the first. */
  position: () => Promise<number>
  /** The events after an id, oldest first; null when that id is not one that the log can continue from. */
  since: (id: number) => Promise<readonly MakerEvent[] | null>
  /** Hears every event; the same object goes to all listeners. */
  listen: (onEvent: (event: MakerEvent) => void) => Stop
}

/** Who is connected, over all nodes. */
export type Presence = {
  /** A maker's live stream or socket, until the returned function is called. */
  join: (channel: 'stream' | 'socket', makerId: string, connectionId: string) => Stop
  /** Distinct makers with a live stream (ruling M3). */
  countStreams: () => Promise<number>
  hasSocket: (makerId: string) => Promise<boolean>
  /** Every maker that is connected, with its connections. */
  list: () => Promise<readonly ConnectedMaker[]>
  /** Hears of each socket that joins. */
  onSocket: (listener: (makerId: string) => void) => Stop
}

/** A maker that is connected, by how many streams and sockets. */
export type ConnectedMaker = { makerId: string; streams: number; sockets: number }

/** Messages for one addressee, wherever it is connected. At most once: what must not be lost is in the store too. */
export type Bus = {
  publish: <Topic extends keyof BusMessages>(topic: Topic, key: string, message: BusMessages[Topic]) => Promise<void>
  subscribe: <Topic extends keyof BusMessages>(
    topic: Topic,
    key: string,
    onMessage: (message: BusMessages[Topic]) => void,
  ) => Stop
}

/** What travels by the bus: `maker` by makerId, `acceptance` by acceptanceId, `key` under `revoked`, which is a keyId. */
export type BusMessages = {
  maker: MakerMessage
  acceptance: 'confirmed' | 'declined' | 'timed_out'
  key: string
}

/** What a maker hears after a trade. @see spec "Maker WebSocket messages" */
export type MakerMessage =
  | { kind: 'accepted'; acceptance: Acceptance }
  | { kind: 'confirmed'; requestId: string; quoteId: string }
  | { kind: 'rejected'; requestId: string; quoteId: string; reason: RejectReason }

/** Why a quote did not win (ruling C10). */
export type RejectReason = 'another_quote_won' | 'request_expired' | 'request_cancelled'

/** A quote that a taker took, with the order frozen for the maker to sign. Times are Unix milliseconds. */
export type Acceptance = {
  acceptanceId: string
  requestId: string
  quoteId: string
  makerId: string
  option: RequestedOption
  quote: Quote
  order: Order
  domain: TypedDataDomain
  createdAt: number
  deadline: number
  state: 'pending' | 'confirmed' | 'timed_out' | 'declined'
}

/** A confirmed trade with the maker's signature. Only ever shown to its taker. */
export type Execution = {
  executionId: string
  acceptance: Acceptance
  signature: Hex
  executedAt: number
}

/** What gives someone a right, and must survive a crash once the call has returned. Postgres is its hardest adapter. */
export type Store = {
  /** How often this store was opened, from 1: the high part of stream ids, so that they never go back (ruling M1). */
  epoch: number
  /** Resolves when a change could be made durable now; else fails with `store_unavailable`. */
  ping: () => Promise<void>
  /** Bytes that each change writes anew; null where that is of no matter. */
  documentBytes: () => number | null
  requests: {
    insert: (request: QuoteRequest) => Promise<void>
    /** Also a committed one, and for 15 minutes one that closed otherwise (ruling Q8). */
    find: (requestId: string) => Promise<{ request: QuoteRequest; status: RequestStatus } | null>
    /** True for exactly one caller. Refused (false) while an acceptance of it is pending: its maker may still sign. */
    close: (requestId: string, status: ClosedStatus) => Promise<boolean>
    listOpen: () => Promise<readonly QuoteRequest[]>
  }
  /** The order nonce of a (request, maker wallet): always the same one, else the wallet's next (ruling C7). */
  allotNonce: (requestId: string, wallet: Address) => Promise<number>
  acceptances: {
    /** Refused (false) unless the request is open and has no pending or confirmed one (invariant V1). */
    insert: (acceptance: Acceptance) => Promise<boolean>
    /** The newest acceptance of a quote, in any state. */
    findByQuote: (quoteId: string) => Promise<Acceptance | null>
    /** The pending or confirmed acceptance of a request; there is at most one (invariant V1). */
    findActive: (requestId: string) => Promise<Acceptance | null>
    pending: (filter?: { makerId: string }) => Promise<readonly Acceptance[]>
    /** Those of a wallet that are pending, or confirmed with `validUntil` at or after `chainTime` (ruling C13). */
    owedBy: (maker: Address, chainTime: number) => Promise<readonly Acceptance[]>
    /** Settles a pending acceptance, judged by the store's clock: before the deadline only. With it: execution and request. */
    confirm: (
      acceptanceId: string,
      execution: Pick<Execution, 'executionId' | 'signature'>,
    ) => Promise<Execution | null>
    /** Ends a pending acceptance whose maker declined, or whose deadline has passed by the store's clock; else false. */
    end: (acceptanceId: string, state: 'timed_out' | 'declined') => Promise<boolean>
  }
  executions: {
    findByRequest: (requestId: string) => Promise<Execution | null>
  }
  /** What became of a maker's quotes, for one that was away (ruling C10). */
  history: {
    /** Keeps rejections for a day. In its own time: a crash may lose those of the last second. */
    reject: (rejections: readonly Rejection[]) => void
    /**
     * Outcomes of a maker, oldest first, at most `limit`: those after the outcome of the quote `after`, and from `since`
     * (Unix milliseconds) on. Null when `after` is not of the maker's outcomes.
     */
    list: (query: HistoryQuery) => Promise<readonly Outcome[] | null>
  }
  resolutions: {
    find: (seriesId: SeriesId) => Promise<PinnedResolution | null>
    /** Stores the first resolution of a series for ever and returns the one that stands (invariant V5). */
    pin: (resolution: PinnedResolution) => Promise<PinnedResolution>
    /** Notes that a person must look; the first note stands. */
    escalate: (escalation: Escalation) => Promise<void>
    /** The note of a series that a person must look at, also when it has been resolved since. */
    findEscalation: (seriesId: SeriesId) => Promise<Escalation | null>
    /** What is escalated and not resolved, oldest first. */
    listEscalated: () => Promise<readonly Escalation[]>
  }
  prices: {
    /** Of several records of one moment the first stands. */
    record: (yesTokenId: string, point: PricePoint) => Promise<void>
    between: (yesTokenId: string, from: number, to: number) => Promise<readonly PricePoint[]>
  }
  faucetClaims: {
    /** Takes the wallet's turn, or says when the next one is (Unix milliseconds). */
    claim: (wallet: Address, cooldownMs: number) => Promise<{ kind: 'claimed' } | { kind: 'cooldown'; until: number }>
    /** Gives a turn back when the transfer failed (ruling S6). */
    release: (wallet: Address) => Promise<void>
  }
  users: {
    /** The user of an identity. At its first sight the given one is stored, and its makerId never changes (ruling A1). */
    findOrCreate: (fresh: User) => Promise<User>
  }
  apiKeys: {
    insert: (key: ApiKey) => Promise<void>
    /** The active key of a digest; null when it is unknown or revoked. */
    findByDigest: (digest: string) => Promise<ApiKey | null>
    /** A user's active keys, oldest first. */
    listActive: (userId: string) => Promise<readonly ApiKey[]>
    /** Ends a user's own active key at once, for exactly one caller; null for any other key. */
    revoke: (key: { keyId: string; userId: string }) => Promise<ApiKey | null>
    /** Notes that a key is used now, to the minute and in its own time. */
    noteUse: (key: Pick<ApiKey, 'keyId' | 'digest'>) => void
  }
  audit: AuditTrail
  close: () => Promise<void>
}

/** A quote that did not win, and why. */
export type Rejection = { makerId: string; requestId: string; quoteId: string; reason: RejectReason }

/** What became of a quote and when, Unix milliseconds. */
export type Outcome = { at: number; requestId: string; quoteId: string } & (
  | { status: 'confirmed'; execution: Execution }
  | { status: 'rejected'; reason: RejectReason }
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

/** A maker's key. Of the secret there is the SHA-256 and a prefix to know it by. Times are Unix milliseconds. */
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

/** A series that waits for a person. */
export type Escalation = { seriesId: SeriesId; reason: string; windowStart: number; windowEnd: number; at: number }

/** The addresses of a deployment. In simulated mode all are the zero address (ruling C12). */
export type ChainEnvironment = {
  chainId: number
  settlementAddress: Address
  coreAddress: Address
  stablecoinAddress: Address
}

/** How old an answer may be: a few seconds at most, with concurrent reads as one, or read now. */
export type Freshness = 'cached' | 'latest'

/** A block; `time` in Unix seconds. */
export type ChainHead = { block: number; time: number }

/** The chain as the relay reads it. Any read may fail with `chain_unavailable`. */
export type Chain = {
  mode: 'onchain' | 'simulated'
  environment: ChainEnvironment
  /** Unix seconds, the time of rights (ruling U7). */
  time: (freshness: Freshness) => Promise<number>
  /** The last block and its time in Unix seconds, read now; null without a chain. */
  head: () => Promise<ChainHead | null>
  /** A series read now, never from the index; null when it is not registered. */
  series: (seriesId: SeriesId) => Promise<Series | null>
  /** What a wallet holds and has approved to a spender. */
  funds: (wallet: Address, spender: 'settlement' | 'core', freshness: Freshness) => Promise<Funds>
  /** Which of the maker's order nonces are used or cancelled on chain. */
  usedNonces: (maker: Address, nonces: readonly number[]) => Promise<ReadonlySet<number>>
  /** What a wallet has in some series, a few seconds old at most; those of which it has nothing are left out. */
  positions: (wallet: Address, seriesIds: readonly SeriesId[]) => Promise<readonly Position[]>
}

/** All registered series, as of the last refresh. */
export type SeriesIndex = {
  list: () => Promise<readonly Series[]>
  find: (seriesId: SeriesId) => Promise<Series | null>
  /** Reads what was registered or settled since. */
  refresh: () => Promise<void>
}

/** The test stablecoin's dispenser. */
export type Faucet = {
  /** Sends micro-dollars to a wallet and returns the transaction hash once it is accepted. */
  send: (wallet: Address, amount: Usd6) => Promise<Hex>
}

/** Signs resolutions; the key never leaves it. */
export type ResolutionSigner = {
  address: Address
  sign: (attestation: SettlementAttestation, domain: TypedDataDomain) => Promise<Hex>
}

/** Tells who an access token was given to. */
export type Identity = {
  /**
   * The subject of a token. Refuses with `invalid_access_token`, and with `identity_unavailable` when the provider cannot
   * be asked.
   */
  verify: (accessToken: string) => Promise<{ idpDid: string }>
}

/** Recovers who signed a digest; a signature of the normalised 65-byte form. Null when it recovers to nobody. */
export type Signatures = { recover: (digest: Hex, signature: Hex) => Promise<Address | null> }

/** Price histories. Fails with `price_source_unavailable`; an empty list is a good answer. */
export type PriceSource = {
  /** Points of the YES token with from <= t <= to, Unix seconds. */
  history: (yesTokenId: string, from: number, to: number) => Promise<readonly PricePoint[]>
}

/** What is known of a market beside the chain. Fails with `price_source_unavailable`. */
export type MarketSource = {
  question: (conditionId: Hex) => Promise<string | null>
  /** The final outcome, or null while the market is open, disputed or not binary. */
  outcome: (conditionId: Hex, yesTokenId: string) => Promise<FinalOutcome | null>
}

/** Structured, allow-listed log lines: no key, token, signature, taker secret or query string (ruling E3). */
export type Log = {
  info: (event: string, fields?: LogFields) => void
  warn: (event: string, fields?: LogFields) => void
  error: (event: string, fields?: LogFields) => void
}

/** The only fields that a log line may carry. */
export type LogFields = {
  requestId?: string
  quoteId?: string
  makerId?: string
  seriesId?: string
  acceptanceId?: string
  code?: string
  count?: number
  durationMs?: number
  route?: string
  status?: number
  url?: string
  path?: string
  reason?: string
  fault?: unknown
}

/**
 * The record of each request's life, for operators. It never holds a call up: an adapter keeps what it is given in order
 * and writes it away in its own time.
 */
export type Audit = { record: (entry: AuditEntry) => void }

/** The record with its reader. */
export type AuditTrail = Audit & {
  /** What is known of a request, oldest first: a week back, in a busy relay less. */
  find: (requestId: string) => Promise<readonly AuditEntry[]>
}

/** Everything the relay touches. Null: not configured. */
export type Ports = {
  clock: Clock
  ids: Ids
  store: Store
  book: Book
  feed: MakerFeed
  presence: Presence
  bus: Bus
  chain: Chain
  seriesIndex: SeriesIndex
  signatures: Signatures
  resolutionSigner: ResolutionSigner | null
  faucet: Faucet | null
  identity: Identity | null
  prices: PriceSource
  markets: MarketSource
  audit: Audit
  log: Log
}

/** The relay's settings, in the units that their names say. */
export type RelaySettings = {
  /** Configured maker keys by the digest of the key (ruling M6). */
  staticKeys: readonly { digest: string; makerId: string }[]
  /** Anyone may quote, without a key (ruling M5). */
  openMode: boolean
  quoteRequestTtlMs: number
  makerConfirmationMs: number
  orderValidityMs: number
  maxCandidates: number
  makerOfflineGraceMs: number
  /** From which age of the chain's head on nothing is committed; 0: never (reliability E5). */
  headStaleMs: number
  faucetAmount: Usd6
  faucetCooldownMs: number
  settleLagMs: number
  twapMinPoints: number
  twapMaxGapS: number | null
  /** Between two recorded prices of a token. */
  recordIntervalMs: number
  /** Between two reads of the series index. */
  seriesRefreshMs: number
}
