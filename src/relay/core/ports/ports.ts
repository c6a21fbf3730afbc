import type { FeedbackLevel } from '@rfqctl/protocol/domain/best-quote'
import type { CommitProof } from '@rfqctl/protocol/domain/commit-proof'
import type { BreakerRule } from '@rfqctl/protocol/domain/maker-record'
import type { Usd6 } from '@rfqctl/protocol/domain/units'
import type { Book } from './book.ts'
import type { Authority, Chain, Faucet, OrderEvents, ResolutionSigner, SeriesIndex, Signatures } from './chain.ts'
import type { Bus, CommitLeases, MakerFeed, Presence, Takeover } from './live.ts'
import type { Clock, Ids, Log, Memory } from './runtime.ts'
import type { Identity, MarketSource, PriceSource } from './sources.ts'
import type { Audit, Store } from './store.ts'
import type { Tracer } from './tracer.ts'
import type { TransparencyLog } from './transparency.ts'

/** Time, chance and the log. */
export type Runtime = { clock: Clock; ids: Ids; log: Log; memory: Memory }

/** The state that may be lost at the price of a re-quote. */
export type LiveMarket = {
  book: Book
  feed: MakerFeed
  presence: Presence
  bus: Bus
  leases: CommitLeases
  /** Null for a single process, whose live market dies with it. */
  takeover: Takeover | null
}

/** The ports that read the chain, sign for it and send to it. Null: not configured. */
export type ChainPorts = {
  chain: Chain
  seriesIndex: SeriesIndex
  /** Null without a chain. */
  orderEvents: OrderEvents | null
  /** Null without a chain. */
  authority: Authority | null
  signatures: Signatures
  resolutionSigner: ResolutionSigner | null
  faucet: Faucet | null
}

/** Sources of market data from others. */
export type Sources = { prices: PriceSource; markets: MarketSource }

/** Everything the relay touches, in groups. A use case destructures those that it needs. */
export type Ports = Runtime &
  LiveMarket &
  ChainPorts &
  Sources & {
    store: Store
    audit: Audit
    /** Null: not switched on. */
    transparency: TransparencyLog | null
    tracer: Tracer
    /** Null: not configured. */
    identity: Identity | null
  }

/** The relay's settings, in the units that their names say. */
export type RelaySettings = {
  /** Configured maker keys by the digest of the key (decision M6). */
  staticKeys: readonly { digest: string; makerId: string }[]
  /** Anyone may quote, without a key (decision M5). */
  openMode: boolean
  quoteRequestTtlMs: number
  /** Limits of requests that are open at the same time, in all and per client address; null: no bound. */
  openLimits: { total: number | null; perAddress: number | null }
  makerConfirmationMs: number
  orderValidityMs: number
  maxCandidates: number
  /** Signed orders between one taker and one maker wallet that are not filled; 0: any number. */
  maxUnfilledOrders: number
  /** Orders of one maker wallet that one client is given for takers without a proof, in the time that an order can be filled; 0: any number. */
  maxUnprovenOrders: number
  makerOfflineGraceMs: number
  /** Time that a maker is proven after its last confirmation, milliseconds. */
  makerRecordMs: number
  /** Rule by which makers are suspended. */
  breaker: BreakerRule
  /** Time without a socket, milliseconds, after which an ask that does not reach a maker counts as missed. */
  makerAbsentMs: number
  /** Time that an unproven maker has to sign, and number of them that a commit asks, while a proven one waits. */
  unprovenConfirmationMs: number
  unprovenCandidates: number
  /** Age of the chain's head from which nothing is committed; 0: never (fault E5). */
  headStaleMs: number
  faucetAmount: Usd6
  faucetCooldownMs: number
  /** Limit for all wallets together. */
  faucetMaxPerHour: number
  /** Limit of active keys. */
  maxApiKeysPerUser: number
  settleLagMs: number
  twapMinPoints: number
  twapMaxGapS: number | null
  /** Between two recorded prices of a token. */
  recordIntervalMs: number
  /** Between two reads of the series index. */
  seriesRefreshMs: number
  /** Between two looks for orders that have ended. */
  orderWatchMs: number
  /** Whether a commit must show that its wallet is its taker's. */
  commitProof: CommitProof
  /** Level of the feedback that makers of losing quotes get. */
  feedback: FeedbackLevel
  /** From the end of a request until they hear of it, milliseconds. */
  feedbackDelayMs: number
  /** Window of a taker's orders that count in its rating, milliseconds; null: makers get no ratings. */
  takerRatingMs: number | null
  /** Age from which a signed trade is public, milliseconds. */
  tapeDelayMs: number
}
