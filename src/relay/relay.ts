import type { SettlementAttestation } from '../domain/attestation.ts'
import type { CommitTerms } from '../domain/commit.ts'
import type { OptionType } from '../domain/option.ts'
import type { TakerApproval, TypedDataDomain } from '../domain/order.ts'
import type { Quote, QuoteSubmission } from '../domain/quote.ts'
import type { QuoteRequest, RequestTerms } from '../domain/request.ts'
import type { ResolutionMeta } from '../domain/resolution.ts'
import type { Series, SeriesId } from '../domain/series.ts'
import type { Address, Hex, Usd6 } from '../domain/units.ts'
import type { Acceptance, BookTop, ChainEnvironment, Execution, MakerEvent, MakerMessage, Stop } from './ports.ts'

/** The one door of the house: every use case, each refusing with an `RfqError`. */
export type Relay = {
  mode: 'onchain' | 'simulated'
  environment: ChainEnvironment
  /** The relay's clock in Unix milliseconds, the time of trading (ruling U7). */
  now: () => number

  /** Who a maker key belongs to; null when none was sent. Refuses with `invalid_api_key`. */
  authenticateMaker: (apiKey: string | null) => Promise<MakerIdentity>

  openRequest: (input: RequestTerms & { locked: boolean }) => Promise<OpenedRequest>
  cancelRequest: (input: { requestId: string; takerSecret: string | null }) => Promise<void>
  /** What a taker's poll shows. */
  readRequest: (input: { requestId: string; takerSecret: string | null }) => Promise<BookTop>
  /** Hears each change of an open request's top until it closes; resolves with the top at the start. */
  watchRequest: (input: {
    requestId: string
    takerSecret: string | null
    onChange: (top: BookTop) => void
  }) => Promise<{ top: BookTop; stop: Stop }>
  /** Resolves when a maker has signed. */
  commit: (input: { requestId: string; terms: CommitTerms; takerSecret: string | null }) => Promise<Commitment>

  submitQuote: (input: { makerId: string; requestId: string; submission: QuoteSubmission }) => Promise<Quote>
  withdrawQuote: (input: { makerId: string; quoteId: string }) => Promise<void>
  confirm: (input: { makerId: string; quoteId: string; signature: string }) => Promise<void>
  decline: (input: { makerId: string; quoteId: string }) => Promise<void>
  /** A maker's live quotes and what waits for its signature. */
  makerBook: (makerId: string) => Promise<{ quotes: readonly Quote[]; pending: readonly Acceptance[] }>

  /** Counts a maker's live stream until it stops. */
  joinMakerStream: (makerId: string, connectionId: string) => Stop
  /** Where a maker's stream starts: the events missed since `lastEventId`, or a snapshot (ruling M1). */
  openMakerFeed: (lastEventId: number | null) => Promise<FeedOpening>
  /** Hears every maker event; the same object goes to all listeners, so that it can be serialised once. */
  listenMakerFeed: (onEvent: (event: MakerEvent) => void) => Stop
  /** A maker's post-trade messages, a pending acceptance first (ruling C5). */
  openMakerChannel: (input: {
    makerId: string
    connectionId: string
    onMessage: (message: MakerMessage) => void
  }) => Promise<Stop>

  listMarkets: () => Promise<readonly MarketSummary[]>
  listSeries: (filter: SeriesFilter) => Promise<readonly Series[]>
  findSeries: (seriesId: string) => Promise<Series>

  prepareSettlement: (seriesId: SeriesId) => Promise<PreparedSettlement>
  drip: (wallet: Address) => Promise<{ amount: Usd6; txHash: Hex }>

  /** Takes up what a former run left: open requests, pending acceptances. Resolves when requests can be served. */
  start: () => Promise<void>
  /** Lets go of all timers. */
  stop: () => void
}

/** A maker by its key; `keyId` is null where no stored key is behind it. */
export type MakerIdentity = { makerId: string; keyId: string | null }

/** A fresh request with the secret that only its taker gets (ruling Q1). */
export type OpenedRequest = {
  request: QuoteRequest
  takerSecret: string
  makersConnected: number
  seriesListed: boolean
}

/** A signed trade, with what its taker needs to fill it. */
export type Commitment = {
  mode: 'onchain' | 'simulated'
  execution: Execution
  approval: TakerApproval
}

/** The start of a maker's stream. `position` is the id that live events follow. */
export type FeedOpening =
  | { kind: 'replay'; events: readonly MakerEvent[]; position: number }
  | { kind: 'snapshot'; requests: readonly { id: number; request: QuoteRequest }[]; position: number }

/** @see spec "GET /v1/series" */
export type SeriesFilter = { conditionId?: Hex; optionType?: OptionType; settled?: boolean }

/** @see spec "Market summary" */
export type MarketSummary = {
  name: string
  conditionId: Hex
  yesTokenId: string
  seriesCount: number
  strikes: readonly number[]
  expiries: readonly number[]
  optionTypes: readonly OptionType[]
}

/** A signed resolution, ready to be relayed on chain. */
export type PreparedSettlement = {
  attestation: SettlementAttestation
  signature: Hex
  meta: ResolutionMeta
  domain: TypedDataDomain
}
