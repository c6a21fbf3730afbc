import type { TapePage } from '@rfqctl/protocol/domain/public-trade'
import type { ReviewDecision } from '@rfqctl/protocol/domain/review'
import type { SeriesId } from '@rfqctl/protocol/domain/series'
import type { Address } from '@rfqctl/protocol/domain/units'
import { authenticateUser, createApiKey, revokeApiKey } from './accounts.ts'
import { createAuthentication, type MakerIdentity } from './authenticate-maker.ts'
import { startBackground } from './background.ts'
import { createBackgroundTasks } from './background-tasks.ts'
import { type Blocklist, createBlocklist } from './blocklist.ts'
import { readChainTime } from './chain-time.ts'
import { cancelRequest } from './close-request.ts'
import { commit } from './commit.ts'
import { confirm, decline } from './confirm.ts'
import type { Context } from './context.ts'
import { createMarkets, findSeries, listSeries } from './discovery.ts'
import { drip, faucetTerms } from './faucet.ts'
import { makeQuoteFirm } from './firm-quote.ts'
import { createKeyedQueue } from './keyed-queue.ts'
import { createKeyring } from './keyring.ts'
import { createLatestPrices } from './latest-prices.ts'
import { createLevels } from './levels.ts'
import { readMakerBook, readMakerHistory, readStanding } from './maker-book.ts'
import { createMakerChannels, joinStream, openMakerFeed } from './maker-channels.ts'
import { createProtectionGuard, type ProtectionGuard } from './maker-protections.ts'
import { createMakerRecords } from './maker-records.ts'
import { createOpenRequest } from './open-request.ts'
import { createOrderDigests } from './order-digests.ts'
import { createOrderWatch } from './order-watch.ts'
import { createPatience } from './patience.ts'
import type { RequestKind } from './ports/live.ts'
import type { Ports, RelaySettings } from './ports/ports.ts'
import type { Stop } from './ports/runtime.ts'
import type { HistoryQuery, User } from './ports/store.ts'
import type { TransparencyLog } from './ports/transparency.ts'
import { readPositions } from './positions.ts'
import { createPriceHistory, readListedHistory } from './price-history.ts'
import { WALLET_TURNS } from './promise-order.ts'
import { createProvenMakers } from './proven-makers.ts'
import { readQuality } from './quality.ts'
import { createQuoteExpiries } from './quote-expiries.ts'
import { awaitQuotes, readRequest, watchOpened, watchRequest } from './read-request.ts'
import { createResolver } from './resolver.ts'
import { listReviews, readReview, resolveReview } from './reviews.ts'
import { prepareSettlement } from './settlement.ts'
import { createSignatureChecks } from './signature-checks.ts'
import { standDown } from './stand-down.ts'
import { createStandingCommits } from './standing-commits.ts'
import { start } from './start.ts'
import { submitQuote } from './submit-quote.ts'
import { createSurfaces } from './surfaces.ts'
import { listTrades } from './trades.ts'
import { readTranscript, TRANSCRIPT_TURNS } from './transcript.ts'
import { createUnprovenOrders } from './unproven-orders.ts'
import { createWindowPrices } from './window-prices.ts'
import { withdrawQuote, withdrawQuotes } from './withdraw-quotes.ts'

export type { MakerIdentity } from './authenticate-maker.ts'
export type { Commitment } from './commitment.ts'
export type { MakerOutcome } from './maker-book.ts'
export type { FeedOpening } from './maker-channels.ts'
export type { TranscriptReader } from './transcript.ts'

export type Relay = ReturnType<typeof createRelay>

/** Messages after an answer take milliseconds; longer work waits for something that a shutdown does not wait for. */
const BACKGROUND_ENDS_MS = 1_000

/** Every use case refuses with an `RfqError`. */
export function createRelay(ports: Ports, settings: RelaySettings) {
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
    standingCommits: createStandingCommits(parts, (input) => commit(context, input)),
    protections: createProtectionGuard(parts),
    walletTurns: createKeyedQueue(WALLET_TURNS),
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
  const levels = createLevels(context)
  const history = createPriceHistory(context)
  const readSurface = createSurfaces(context, { spot, history, levels, orderWatch })
  const transcriptTurns = createKeyedQueue(TRANSCRIPT_TURNS)
  let stopBackground: Stop = () => {}
  const bind =
    <Input, Result>(work: (context: Context, input: Input) => Result) =>
    (input: Input): Result =>
      work(context, input)
  return {
    mode: chain.mode,
    environment: chain.environment,
    commitProof: settings.commitProof,
    /** Unix milliseconds of the relay's clock, the time of trading (decision U7). */
    now: clock.now,
    /** Unix seconds of the chain, the time of rights; null while the chain cannot be read. */
    chainTime: () => readChainTime(context),

    /** True if makers need no key (decision M5). */
    openMode: settings.openMode,
    authenticateMaker: authentication.authenticate,
    knownMaker: authentication.known,
    /** Calls back once when the key is revoked or the maker blocked, normally within 1 s and at worst after 30 s. */
    watchMaker: (
      { makerId, key }: MakerIdentity,
      onRefused: (code: 'invalid_api_key' | 'maker_blocked') => void,
    ): Stop => {
      const stopBlock = context.blocks.watch(makerId, () => onRefused('maker_blocked'))
      const stopKey = key === null ? () => {} : keyring.watch(key, () => onRefused('invalid_api_key'))
      return () => {
        stopBlock()
        stopKey()
      }
    },
    blocks: context.blocks as Pick<Blocklist, 'decide' | 'list'>,

    authenticateUser: bind(authenticateUser),
    /** Oldest first. */
    listApiKeys: ({ userId }: User) => context.store.apiKeys.listActive(userId),
    createApiKey: bind(createApiKey),
    revokeApiKey: (input: { user: User; keyId: string }) => revokeApiKey(context, keyring, input),

    openRequest: createOpenRequest(context, spot),
    cancelRequest: bind(cancelRequest),
    readRequest: (input: { requestId: string; takerSecret: string | null }) => readRequest(context, orderWatch, input),
    watchRequest: bind(watchRequest),
    watchOpened: bind(watchOpened),
    awaitQuotes: (input: Parameters<typeof awaitQuotes>[2]) => awaitQuotes(context, orderWatch, input),
    commit: bind(commit),
    readTranscript: (input: Parameters<typeof readTranscript>[2]) => readTranscript(context, transcriptTurns, input),
    readQuality: bind(readQuality),
    /** The log that transcripts are proved by; null: not switched on. */
    transparency: ports.transparency as Pick<TransparencyLog, 'keys' | 'checkpoint' | 'readTile'> | null,
    /** Known to this node. */
    knowsRequest: (requestId: string) => context.book.known(requestId) !== null,

    readSurface,
    readPriceHistory: (yesTokenId: string) => readListedHistory(context, history, yesTokenId),
    listTrades: (query: TapePage) => listTrades(context, orderWatch, query),

    setLevels: levels.set,
    submitQuote: bind(submitQuote),
    makeQuoteFirm: bind(makeQuoteFirm),
    withdrawQuote: bind(withdrawQuote),
    withdrawQuotes: bind(withdrawQuotes),
    confirm: bind(confirm),
    decline: bind(decline),
    makerBook: bind(readMakerBook),
    makerHistory: (query: HistoryQuery) => readMakerHistory(context, orderWatch, query),
    makerStanding: bind(readStanding),

    protections: context.protections as Pick<ProtectionGuard, 'read' | 'put' | 'reset'>,

    /** Distinct makers with a live stream, and all makers' sockets, over all nodes. */
    countConnected: async () => {
      const makers = await presence.list()
      return {
        makersConnected: makers.filter(({ streams }) => streams > 0).length,
        socketsConnected: makers.reduce((sum, { sockets }) => sum + sockets, 0),
      }
    },
    // Streams without a key do not share a maker: each counts for itself.
    joinMakerStream: (makerId: string, stream: { connectionId: string; hears: RequestKind }) =>
      joinStream(context, makerId === 'anonymous' ? `anonymous ${stream.connectionId}` : makerId, stream),
    openMakerFeed: bind(openMakerFeed),
    /** Known to this node. */
    countOpen: context.book.countKnown,
    listenMakerFeed: feed.listen,
    /** Streams cannot be continued: their readers must connect again. */
    onFeedBreak: feed.onBreak,
    openMakerChannel: channels.open,

    listMarkets: markets.list,
    listSeries: bind(listSeries),
    findSeries: bind(findSeries),
    readWindowPrices: createWindowPrices(context),
    readPositions: (wallet: Address) => readPositions(context, { readSpot: spot.read, readSurface }, wallet),

    prepareSettlement: (seriesId: SeriesId) => prepareSettlement(context, resolver, seriesId),
    listReviews: () => listReviews(context),
    readReview: bind(readReview),
    resolveReview: (seriesId: SeriesId, decision: ReviewDecision) => resolveReview(context, seriesId, decision),
    faucetTerms: faucetTerms(context),
    drip: bind(drip),

    /** Takes up the state of a former run. Resolves once requests can be served; from then on prices are recorded, too. */
    start: async () => {
      await orderWatch.resume()
      await start(context)
      stopBackground = startBackground(context, { resolver, markets, keyring, channels, orderWatch })
    },
    stop: () => {
      stopBackground()
      keyring.stop()
      context.blocks.stop()
      levels.stop()
      context.protections.stop()
      context.records.stop()
    },
    /** Resolves when all background work is done, after a second at the latest. */
    ended: () => context.background.ended(BACKGROUND_ENDS_MS),
  }
}
