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
import type { FirmQuote } from './create-acceptance.ts'
import { createMarkets, findSeries, listSeries } from './discovery.ts'
import { drip, type FaucetTerms, faucetTerms } from './faucet.ts'
import { makeQuoteFirm } from './firm-quote.ts'
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

/** Every use case refuses with an `RfqError`. */
export type Relay = {
  mode: 'onchain' | 'simulated'
  environment: ChainEnvironment
  commitProof: CommitProof
  /** Unix milliseconds of the relay's clock, the time of trading (decision U7). */
  now: () => number
  /** Unix seconds of the chain, the time of rights; null while the chain cannot be read. */
  chainTime: () => Promise<number | null>

  /** True if makers need no key (decision M5). */
  openMode: boolean
  /** Null without a key. Refuses with `invalid_api_key`, or as `doubt` says for an unknown key. */
  authenticateMaker: (apiKey: string | null, doubt?: KeyDoubt) => MaybePromise<MakerIdentity>
  /** The same from memory alone, else null. */
  knownMaker: (apiKey: string | null) => MakerIdentity | null
  /** Calls back once when the key is revoked or the maker blocked, normally within 1 s and at worst after 30 s. */
  watchMaker: (maker: MakerIdentity, onRefused: (code: 'invalid_api_key' | 'maker_blocked') => void) => Stop
  blocks: Pick<Blocklist, 'decide' | 'list'>

  /** Null without a token. Refuses with `invalid_access_token`. */
  authenticateUser: (accessToken: string | null) => Promise<User>
  /** Oldest first. */
  listApiKeys: (user: User) => Promise<readonly ApiKey[]>
  createApiKey: (input: { user: User; name: string; makerId?: string | null }) => Promise<CreatedApiKey>
  revokeApiKey: (input: { user: User; keyId: string }) => Promise<void>

  openRequest: (input: OpenInput) => Promise<OpenedRequest>
  cancelRequest: (input: { requestId: string; takerSecret: string | null }) => Promise<void>
  readRequest: (input: { requestId: string; takerSecret: string | null }) => Promise<PolledRequest>
  /** Calls back at each change of the top until the request closes; resolves with the current top. */
  watchRequest: (input: {
    requestId: string
    takerSecret: string | null
    onChange: (top: BookTop) => void
  }) => Promise<{ top: BookTop; stop: Stop }>
  /** Resolves when a maker has signed. */
  commit: (input: CommitInput) => Promise<Commitment>
  /** Known to this node. */
  knowsRequest: (requestId: string) => boolean

  /** With its order if the submission asks for it and the request names a wallet. */
  submitQuote: (input: {
    makerId: string
    requestId: string
    submission: QuoteSubmission
  }) => Promise<Quote | FirmQuote>
  makeQuoteFirm: (input: { makerId: string; quoteId: string; signature: string }) => Promise<void>
  withdrawQuote: (input: { makerId: string; quoteId: string }) => Promise<void>
  /** Withdraws all quotes, or those of a series or market, in one step. Returns their number. */
  withdrawQuotes: (input: { makerId: string; seriesId?: SeriesId; conditionId?: string }) => Promise<number>
  confirm: (input: { makerId: string; quoteId: string; signature: string }) => Promise<void>
  decline: (input: { makerId: string; quoteId: string; reason?: string | null }) => Promise<void>
  makerBook: (makerId: string) => Promise<{ quotes: readonly Quote[]; pending: readonly Acceptance[] }>

  makerHistory: (query: HistoryQuery) => Promise<readonly MakerOutcome[]>
  makerStanding: (makerId: string) => Promise<OwnStanding>

  protections: Pick<ProtectionGuard, 'read' | 'put' | 'reset'>

  /** Distinct makers with a live stream, and all makers' sockets, over all nodes. */
  countConnected: () => Promise<{ makersConnected: number; socketsConnected: number }>
  /** Counts the stream on all nodes until it stops; `packages`: it receives packages. */
  joinMakerStream: (makerId: string, stream: { connectionId: string; packages: boolean }) => Promise<Stop>
  /** Starts with the events missed since `lastEventId`, or a snapshot (decision M1). */
  openMakerFeed: (lastEventId: number | null) => Promise<FeedOpening>
  /** Known to this node. */
  countOpen: () => number
  /** All listeners get the same object, so that it can be serialised once. */
  listenMakerFeed: (onEvent: (event: MakerEvent) => void) => Stop
  /** Streams cannot be continued: their readers must connect again. */
  onFeedBreak: (onBreak: () => void) => Stop
  /** Sends a pending acceptance first (decision C5). */
  openMakerChannel: (input: MakerConnection) => Promise<Stop>

  listMarkets: () => Promise<readonly MarketSummary[]>
  listSeries: (filter: SeriesFilter) => Promise<readonly Series[]>
  findSeries: (seriesId: string) => Promise<Series>

  readWindowPrices: ReadWindowPrices

  readPositions: (wallet: Address) => Promise<readonly ValuedPosition[]>

  prepareSettlement: (seriesId: SeriesId) => Promise<PreparedSettlement>
  listReviews: () => Promise<readonly ReviewItem[]>
  readReview: (seriesId: SeriesId) => Promise<ReviewDetails>
  resolveReview: (seriesId: SeriesId, decision: ReviewDecision) => Promise<ResolvedSeries>
  faucetTerms: FaucetTerms | null
  drip: (wallet: Address) => Promise<{ amount: Usd6; txHash: Hex }>

  /**
   * Takes up the state of a former run. Resolves once requests can be served; from then on prices are recorded, too.
   */
  start: () => Promise<void>
  stop: () => void
  /** Resolves when all background work is done, after a second at the latest. */
  ended: () => Promise<void>
}

/** Messages after an answer take milliseconds; longer work waits for something that a shutdown does not wait for. */
const BACKGROUND_ENDS_MS = 1_000

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
    makeQuoteFirm: (input) => makeQuoteFirm(context, input),
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
    // Streams without a key do not share a maker: each counts for itself.
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
