import type { PreparedSettlement } from '@rfqctl/protocol/domain/attestation'
import type { CommitProof } from '@rfqctl/protocol/domain/commit-proof'
import type { OwnStanding } from '@rfqctl/protocol/domain/maker-record'
import type { ValuedPosition } from '@rfqctl/protocol/domain/position'
import type { Quote, QuoteSubmission } from '@rfqctl/protocol/domain/quote'
import type { OpenedRequest } from '@rfqctl/protocol/domain/request'
import type { ResolvedSeries, ReviewDecision, ReviewDetails, ReviewItem } from '@rfqctl/protocol/domain/review'
import type { MarketSummary, Series, SeriesFilter, SeriesId } from '@rfqctl/protocol/domain/series'
import type { Address, Hex, Usd6 } from '@rfqctl/protocol/domain/units'
import { authenticateUser, type CreatedApiKey, createApiKey, revokeApiKey } from './accounts.ts'
import { createAuthentication, type KeyDoubt, type MakerIdentity } from './authenticate-maker.ts'
import { startBackground } from './background.ts'
import { createBackgroundTasks } from './background-tasks.ts'
import { type Blocklist, createBlocklist } from './blocklist.ts'
import { readChainTime } from './chain-time.ts'
import { cancelRequest } from './close-request.ts'
import { type CommitInput, type Commitment, commit } from './commit.ts'
import { confirm, decline } from './confirm.ts'
import type { Context } from './context.ts'
import { createMarkets, findSeries, listSeries } from './discovery.ts'
import { drip, type FaucetTerms, faucetTerms } from './faucet.ts'
import { sealQuote } from './firm-quote.ts'
import type { FrozenQuote } from './freeze-order.ts'
import { createKeyring } from './keyring.ts'
import { createLatestPrices } from './latest-prices.ts'
import { type MakerOutcome, readMakerBook, readMakerHistory, readStanding } from './maker-book.ts'
import {
  createMakerChannels,
  type FeedOpening,
  joinStream,
  type MakerConnection,
  openMakerFeed,
} from './maker-channels.ts'
import { createProtectionGuard, type ProtectionGuard } from './maker-protections.ts'
import { createMakerRecords } from './maker-records.ts'
import { createOpenRequest, type OpenInput } from './open-request.ts'
import { createOrderDigests } from './order-digests.ts'
import { createOrderWatch } from './order-watch.ts'
import { createPatience } from './patience.ts'
import type { BookTop } from './ports/book.ts'
import type { ChainEnvironment } from './ports/chain.ts'
import type { MakerEvent } from './ports/live.ts'
import type { MaybePromise } from './ports/maybe-promise.ts'
import type { Ports, RelaySettings } from './ports/ports.ts'
import type { Stop } from './ports/runtime.ts'
import type { Acceptance, ApiKey, HistoryQuery, User } from './ports/store.ts'
import { readPositions } from './positions.ts'
import { createProvenMakers } from './proven-makers.ts'
import { createQuoteExpiries } from './quote-expiries.ts'
import { type PolledRequest, readRequest, watchRequest } from './read-request.ts'
import { createResolver } from './resolver.ts'
import { listReviews, readReview, resolveReview } from './reviews.ts'
import { prepareSettlement } from './settlement.ts'
import { createSignatureChecks } from './signature-checks.ts'
import { standDown } from './stand-down.ts'
import { start } from './start.ts'
import { submitQuote, withdrawQuote, withdrawQuotes } from './submit-quote.ts'
import { createUnprovenOrders } from './unproven-orders.ts'
import { createWindowPrices, type ReadWindowPrices } from './window-prices.ts'

export type { PreparedSettlement } from '@rfqctl/protocol/domain/attestation'
export type { ValuedPosition } from '@rfqctl/protocol/domain/position'
export type { OpenedRequest } from '@rfqctl/protocol/domain/request'
export type { MarketSummary, SeriesFilter } from '@rfqctl/protocol/domain/series'
export type { CreatedApiKey } from './accounts.ts'
export type { KeyDoubt, MakerIdentity } from './authenticate-maker.ts'
export type { Commitment } from './commit.ts'
export type { MakerOutcome } from './maker-book.ts'
export type { FeedOpening, MakerConnection } from './maker-channels.ts'

/** The relay: every use case, each refusing with an `RfqError`. */
export type Relay = {
  mode: 'onchain' | 'simulated'
  environment: ChainEnvironment
  /** Whether a commit must show that its wallet is its taker's. */
  commitProof: CommitProof
  /** The relay's clock in Unix milliseconds, the time of trading (decision U7). */
  now: () => number
  /** The time of the chain in Unix seconds, the time of rights; null while the chain cannot be read. */
  chainTime: () => Promise<number | null>

  /** Whether makers need no key (decision M5). */
  openMode: boolean
  /** Who a maker key belongs to; null when none was sent. Refuses with `invalid_api_key`, or as `doubt` says of a key that is not known. */
  authenticateMaker: (apiKey: string | null, doubt?: KeyDoubt) => MaybePromise<MakerIdentity>
  /** The same where it is at hand, else null. */
  knownMaker: (apiKey: string | null) => MakerIdentity | null
  /** Calls back once, with why, when a maker's key is revoked or the maker blocked, within 1 s of it and at worst 30 s. */
  watchMaker: (maker: MakerIdentity, onRefused: (code: 'invalid_api_key' | 'maker_blocked') => void) => Stop
  /** Shuts a maker out, or lets it in again, and says of each maker how that was decided last. */
  blocks: Pick<Blocklist, 'decide' | 'list'>

  /** Who an access token was given to; null when none was sent. Refuses with `invalid_access_token`. */
  authenticateUser: (accessToken: string | null) => Promise<User>
  /** A user's active keys, oldest first. */
  listApiKeys: (user: User) => Promise<readonly ApiKey[]>
  createApiKey: (input: { user: User; name: string; makerId?: string | null }) => Promise<CreatedApiKey>
  revokeApiKey: (input: { user: User; keyId: string }) => Promise<void>

  openRequest: (input: OpenInput) => Promise<OpenedRequest>
  cancelRequest: (input: { requestId: string; takerSecret: string | null }) => Promise<void>
  /** What a taker's poll shows. */
  readRequest: (input: { requestId: string; takerSecret: string | null }) => Promise<PolledRequest>
  /** Hears each change of an open request's top until it closes; resolves with the top at the start. */
  watchRequest: (input: {
    requestId: string
    takerSecret: string | null
    onChange: (top: BookTop) => void
  }) => Promise<{ top: BookTop; stop: Stop }>
  /** Resolves when a maker has signed. */
  commit: (input: CommitInput) => Promise<Commitment>
  /** Whether a request is open, as far as this node has heard. */
  knowsRequest: (requestId: string) => boolean

  /** With its order where the submission asks for it, and the request names the wallet that it is for. */
  submitQuote: (input: {
    makerId: string
    requestId: string
    submission: QuoteSubmission
  }) => Promise<Quote | FrozenQuote>
  /** Makes a quote firm by its maker's signature over its order. */
  sealQuote: (input: { makerId: string; quoteId: string; signature: string }) => Promise<void>
  withdrawQuote: (input: { makerId: string; quoteId: string }) => Promise<void>
  /** Withdraws a maker's quotes in one step, all or those of a series or market, and says how many. */
  withdrawQuotes: (input: { makerId: string; seriesId?: SeriesId; conditionId?: string }) => Promise<number>
  confirm: (input: { makerId: string; quoteId: string; signature: string }) => Promise<void>
  decline: (input: { makerId: string; quoteId: string; reason?: string | null }) => Promise<void>
  /** A maker's live quotes and what waits for its signature. */
  makerBook: (makerId: string) => Promise<{ quotes: readonly Quote[]; pending: readonly Acceptance[] }>

  /** What became of a maker's quotes. */
  makerHistory: (query: HistoryQuery) => Promise<readonly MakerOutcome[]>
  /** What a maker did with what it promised, and what it won. */
  makerStanding: (makerId: string) => Promise<OwnStanding>

  /** What the relay holds for a maker, and whether it has tripped. */
  protections: Pick<ProtectionGuard, 'read' | 'put' | 'reset'>

  /** Distinct makers with a live stream, and the sockets of all makers, over all nodes. */
  countConnected: () => Promise<{ makersConnected: number; socketsConnected: number }>
  /** Counts a maker's live stream on all nodes until it stops; `packages`: it hears of packages. */
  joinMakerStream: (makerId: string, stream: { connectionId: string; packages: boolean }) => Promise<Stop>
  /** Where a maker's stream starts: the events missed since `lastEventId`, or a snapshot (decision M1). */
  openMakerFeed: (lastEventId: number | null) => Promise<FeedOpening>
  /** How many requests are open, as far as this node has heard. */
  countOpen: () => number
  /** Hears every maker event; the same object goes to all listeners, so that it can be serialised once. */
  listenMakerFeed: (onEvent: (event: MakerEvent) => void) => Stop
  /** Hears when streams cannot be continued: their readers must connect again. */
  onFeedBreak: (onBreak: () => void) => Stop
  /** A maker's post-trade messages, a pending acceptance first (decision C5). */
  openMakerChannel: (input: MakerConnection) => Promise<Stop>

  listMarkets: () => Promise<readonly MarketSummary[]>
  listSeries: (filter: SeriesFilter) => Promise<readonly Series[]>
  findSeries: (seriesId: string) => Promise<Series>

  /** The prices that settle a series, or will. */
  readWindowPrices: ReadWindowPrices

  /** What a wallet has in all series. */
  readPositions: (wallet: Address) => Promise<readonly ValuedPosition[]>

  prepareSettlement: (seriesId: SeriesId) => Promise<PreparedSettlement>
  /** What waits for a person. */
  listReviews: () => Promise<readonly ReviewItem[]>
  /** The prices and the resolution of any series. */
  readReview: (seriesId: SeriesId) => Promise<ReviewDetails>
  /** Resolves a series by a person's decision. */
  resolveReview: (seriesId: SeriesId, decision: ReviewDecision) => Promise<ResolvedSeries>
  /** What the faucet gives; null when there is none. */
  faucetTerms: FaucetTerms | null
  drip: (wallet: Address) => Promise<{ amount: Usd6; txHash: Hex }>

  /** Takes up what a former run left. Resolves when requests can be served; from then on prices are recorded, too. */
  start: () => Promise<void>
  /** Ends what the relay does without being asked. */
  stop: () => void
  /** Resolves when what it does behind an answer is done, at the latest after a second. */
  ended: () => Promise<void>
}

/** What follows an answer is told in milliseconds; more is a wait for something that a shutdown does not wait for. */
const BACKGROUND_ENDS_MS = 1_000

/** The relay over its ports. */
export function createRelay(ports: Ports, settings: RelaySettings): Relay {
  const background = createBackgroundTasks(ports)
  const parts = { ...ports, background }
  const context: Context = {
    ...parts,
    settings,
    digests: createOrderDigests(),
    checks: createSignatureChecks(ports),
    proven: createProvenMakers({ ...ports, settings }),
    unproven: createUnprovenOrders({ ...ports, settings }),
    patience: createPatience(ports),
    records: createMakerRecords({ ...parts, settings }),
    expiries: createQuoteExpiries(parts),
    protections: createProtectionGuard(parts),
    blocks: createBlocklist(parts, {
      standDown: (makerId) => standDown(context, makerId, 'The operator has blocked the maker.'),
      forgive: (makerId) => Promise.all([ports.book.forgive(makerId), context.records.reinstate(makerId)]),
    }),
  }
  const { chain, clock, feed, presence } = ports
  const keyring = createKeyring(context)
  const authentication = createAuthentication(context, keyring)
  const resolver = createResolver(context)
  const spot = createLatestPrices(context)
  const markets = createMarkets(context, spot)
  const channels = createMakerChannels(context)
  const orderWatch = createOrderWatch(context)
  let stopBackground: Stop = () => {}
  return {
    mode: chain.mode,
    environment: chain.environment,
    commitProof: settings.commitProof,
    now: clock.now,
    chainTime: () => readChainTime(context),

    openMode: settings.openMode,
    authenticateMaker: authentication.authenticate,
    knownMaker: authentication.known,
    watchMaker: ({ makerId, key }, onRefused) => {
      const stopBlock = context.blocks.watch(makerId, () => onRefused('maker_blocked'))
      const stopKey = key === null ? () => {} : keyring.watch(key, () => onRefused('invalid_api_key'))
      return () => {
        stopBlock()
        stopKey()
      }
    },
    blocks: context.blocks,

    authenticateUser: (accessToken) => authenticateUser(context, accessToken),
    listApiKeys: ({ userId }) => context.store.apiKeys.listActive(userId),
    createApiKey: (input) => createApiKey(context, input),
    revokeApiKey: (input) => revokeApiKey(context, keyring, input),

    openRequest: createOpenRequest(context, spot),
    cancelRequest: (input) => cancelRequest(context, input),
    readRequest: (input) => readRequest(context, orderWatch, input),
    watchRequest: (input) => watchRequest(context, input),
    commit: (input) => commit(context, input),
    knowsRequest: (requestId) => context.book.known(requestId) !== null,

    submitQuote: (input) => submitQuote(context, input),
    sealQuote: (input) => sealQuote(context, input),
    withdrawQuote: (input) => withdrawQuote(context, input),
    withdrawQuotes: (input) => withdrawQuotes(context, input),
    confirm: (input) => confirm(context, input),
    decline: (input) => decline(context, input),
    makerBook: (makerId) => readMakerBook(context, makerId),
    makerHistory: (query) => readMakerHistory(context, orderWatch, query),
    makerStanding: (makerId) => readStanding(context, makerId),

    protections: context.protections,

    countConnected: async () => {
      const makers = await presence.list()
      return {
        makersConnected: makers.filter(({ streams }) => streams > 0).length,
        socketsConnected: makers.reduce((sum, { sockets }) => sum + sockets, 0),
      }
    },
    // Keyless streams are not one maker: each counts for itself.
    joinMakerStream: (makerId, stream) =>
      joinStream(context, makerId === 'anonymous' ? `anonymous ${stream.connectionId}` : makerId, stream),
    openMakerFeed: (lastEventId) => openMakerFeed(context, lastEventId),
    countOpen: context.book.countKnown,
    listenMakerFeed: feed.listen,
    onFeedBreak: feed.onBreak,
    openMakerChannel: channels.open,

    listMarkets: markets.list,
    listSeries: (filter) => listSeries(context, filter),
    findSeries: (seriesId) => findSeries(context, seriesId),

    readWindowPrices: createWindowPrices(context),

    readPositions: (wallet) => readPositions(context, spot.read, wallet),

    prepareSettlement: (seriesId) => prepareSettlement(context, resolver, seriesId),
    listReviews: () => listReviews(context),
    readReview: (seriesId) => readReview(context, seriesId),
    resolveReview: (seriesId, decision) => resolveReview(context, seriesId, decision),
    faucetTerms: faucetTerms(context),
    drip: (wallet) => drip(context, wallet),

    start: async () => {
      await orderWatch.resume()
      await start(context)
      stopBackground = startBackground(context, { resolver, markets, keyring, channels, orderWatch })
    },
    stop: () => {
      stopBackground()
      keyring.stop()
      context.blocks.stop()
      context.protections.stop()
      context.records.stop()
    },
    ended: () => context.background.ended(BACKGROUND_ENDS_MS),
  }
}
