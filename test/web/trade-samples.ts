import {
  type Address,
  type CommittedTrade,
  computeSeriesId,
  contracts,
  type ListedSeries,
  type MarketSummary,
  type MarketSurface,
  type PreparedSettlement,
  type PublicTrade,
  type ResolutionBps,
  type SeriesTerms,
  type ShownQuote,
  type StrikeBps,
  type TakerRequest,
  type Trade,
  toRequestedOption,
  type Usd6,
  usd6,
  type WalletTrade,
} from '../../src/client/index.ts'
import { committed } from '../../src/protocol/domain/commit.ts'
import { payoff } from '../../src/protocol/domain/option.ts'
import { valuePosition } from '../../src/protocol/domain/position.ts'
import { type TradeEvent, tradesOf } from '../../src/protocol/domain/trade-history.ts'
import type { Environment } from '../../src/web/trade/ports.ts'
import {
  EMPTY_TICKET,
  initialState,
  type PositionEntry,
  type PriceHistory,
  type TradeState,
} from '../../src/web/trade/state.ts'
import type { Failure, Race, RacePoint, Stage, TradeRecord } from '../../src/web/trade/trade-record.ts'
import { marketKeyOf } from '../../src/web/trade/view-model.ts'

/** 2026-06-01 12:00 UTC, when all sample states are. */
export const NOW = Date.UTC(2026, 5, 1, 12)
export const NOW_S = NOW / 1_000
export const WALLET: Address = '0x1111111111111111111111111111111111111111'
const MAKER: Address = '0x2222222222222222222222222222222222222222'
export const HASH = `0x${'ab'.repeat(32)}` as const

export const ENVIRONMENT: Environment = {
  mode: 'onchain',
  chainId: 31_337,
  settlementAddress: '0x00000000000000000000000000000000000000A1',
  coreAddress: '0x00000000000000000000000000000000000000c0',
  stablecoinAddress: '0x00000000000000000000000000000000000000d0',
  chainTime: NOW_S,
  faucet: { amount: usd6(10_000_000_000n), cooldownMs: 3_600_000 },
  relayerUrl: null,
  partnerFee: null,
  sandbox: true,
  commitProof: 'optional',
  logKeys: [],
  explorerUrl: null,
  privateFields: [],
  twoSided: false,
  formerSettlementAddresses: [],
}

const marketOf = (name: string, digit: string, yesPrice: number | null): MarketSummary => ({
  name,
  conditionId: `0x${digit.repeat(64)}`,
  yesTokenId: `12345678901234567890${digit}`,
  seriesCount: 14,
  strikes: [3_000, 4_000, 4_500, 5_000, 5_500, 6_000, 7_000],
  expiries: [NOW_S + 86_400, NOW_S + 7 * 86_400],
  optionTypes: ['call', 'put'],
  yesPrice,
})

export const MARKETS: readonly MarketSummary[] = [
  marketOf('Will Norvik win the next election?', '1', 0.55),
  // Strangers' text is text: long, and of what looks like markup.
  marketOf(`<b>Will it rain</b> in ${'a town with a very long name '.repeat(4)}?`, '2', 0.31),
  marketOf('Will the launch be on time?', '3', null),
]
export const MARKET = MARKETS[0] as MarketSummary

const STRIKES = [3_000, 4_000, 4_500, 5_000, 5_500, 6_000, 7_000] as StrikeBps[]
/** Open for a week, open for a day, in its window, expired, and settled. */
export const NEXT_WEEK = NOW_S + 7 * 86_400
export const TOMORROW = NOW_S + 86_400
const SOON = NOW_S + 900
export const PAST = NOW_S - 600
export const SETTLED = NOW_S - 86_400

const listed = (terms: SeriesTerms, over: Partial<ListedSeries> = {}): ListedSeries =>
  ({ ...terms, seriesId: computeSeriesId(terms), resolutionBps: null, ...over }) as ListedSeries

export const seriesOf = (market: MarketSummary, expiry: number, over: Partial<ListedSeries> = {}): ListedSeries[] =>
  STRIKES.flatMap((strikeBps) =>
    (['call', 'put'] as const).map((optionType) => {
      const { conditionId, yesTokenId } = market
      return listed({ conditionId, yesTokenId, expiry, optionType, strikeBps }, over)
    }),
  )

export const SPREAD_LEGS = [
  { optionType: 'call' as const, strikeBps: 4_500 as StrikeBps, quantity: 1 },
  { optionType: 'call' as const, strikeBps: 6_000 as StrikeBps, quantity: -1 },
]
export const SPREAD = listed({
  conditionId: MARKET.conditionId,
  yesTokenId: MARKET.yesTokenId,
  expiry: TOMORROW,
  legs: SPREAD_LEGS,
})

export const SERIES: readonly ListedSeries[] = [
  ...MARKETS.flatMap((market) => [TOMORROW, NEXT_WEEK].flatMap((expiry) => seriesOf(market, expiry))),
  ...seriesOf(MARKET, SOON),
  ...seriesOf(MARKET, PAST),
  ...seriesOf(MARKET, SETTLED, { resolutionBps: 62 as ResolutionBps, finalAt: SETTLED + 600 }),
  SPREAD,
]

export const seriesAt = (expiry: number, strikeBps: number, optionType: 'call' | 'put' = 'call'): ListedSeries =>
  SERIES.find(
    (each) =>
      each.conditionId === MARKET.conditionId &&
      each.expiry === expiry &&
      'strikeBps' in each &&
      each.strikeBps === strikeBps &&
      each.optionType === optionType,
  ) as ListedSeries

/** A wallet that has what it needs, and one option chosen. */
export const READY: TradeState = {
  ...initialState(NOW),
  chainOffsetMs: 0,
  link: { kind: 'live' },
  environment: ENVIRONMENT,
  markets: MARKETS,
  series: SERIES,
  marks: new Map(),
  wallet: {
    offers: [
      { id: 'sandbox', name: 'Sandbox account', icon: null, kind: 'sandbox' },
      { id: 'io.example.wallet', name: 'Example Wallet', icon: null, kind: 'injected' },
    ],
    standing: {
      kind: 'connected',
      offerId: 'sandbox',
      name: 'Sandbox account',
      walletKind: 'sandbox',
      address: WALLET,
      chainId: null,
    },
    funds: { stablecoin: usd6(10_000_000_000n), coin: 10n ** 18n, readAt: NOW },
    failure: null,
  },
  ticket: {
    ...EMPTY_TICKET,
    marketKey: marketKeyOf(MARKET),
    expiry: TOMORROW,
    legs: [{ optionType: 'call', strikeBps: 5_000 as StrikeBps, quantity: 1 }],
  },
  positions: { rows: [], readAt: NOW, failure: null },
}

export const NO_WALLET: TradeState = {
  ...READY,
  wallet: { ...READY.wallet, standing: { kind: 'none' }, funds: null },
  positions: null,
}

export const UNREACHABLE: Failure = {
  code: 'unreachable',
  message: 'The relay at http://127.0.0.1:8787/v1/markets cannot be reached: connect ECONNREFUSED.',
  hint: null,
  retryable: true,
}
export const REFUSED: Failure = {
  code: 'too_many_requests',
  message: 'Too many requests come from this address.',
  hint: 'Try again after Retry-After seconds.',
  retryable: true,
}
export const REJECTED: Failure = {
  code: 'wallet_rejected',
  message: 'The owner of the wallet rejected the request.',
  hint: 'Try again, and approve the request in the wallet.',
  retryable: false,
}

export const quoteOf = (price: bigint, over: Partial<ShownQuote> = {}): ShownQuote => ({
  makerId: 'maker-1',
  quoteId: `quote-${price}`,
  maker: null,
  side: 'buy',
  price: usd6(price),
  size: contracts(5_000n),
  fillContracts: contracts(250_000_000n / price),
  expiresInMs: null,
  ...over,
})

const BUY: Trade = { side: 'buy', budget: usd6(250_000_000n) }
const SELL: Trade = { side: 'sell', size: contracts(400n) }

export function requestOf(series: ListedSeries, trade: Trade, requestId = 'request-1'): TradeRecord['request'] {
  const { conditionId, yesTokenId, seriesId } = series
  return {
    requestId,
    expiresAt: NOW + 240_000,
    makersConnected: 4,
    takerSecret: 'secret',
    seriesId,
    seriesListed: true,
    terms: {
      wallet: null,
      market: { conditionId, yesTokenId, question: MARKET.name, yesPrice: 0.55 },
      option: toRequestedOption(series),
      trade,
      inventory: true,
    },
  }
}

export function commitmentOf(request: TakerRequest, quote: ShownQuote, premium?: Usd6): CommittedTrade {
  const { requestId, seriesId, terms } = request
  const own = committed(terms, terms.trade.side === 'both' ? quote : {})
  const order = {
    maker: MAKER,
    seriesId,
    optionAmount: quote.fillContracts,
    premiumAmount: premium ?? usd6(quote.price * quote.fillContracts),
    makerSelling: own.trade.side === 'buy',
    taker: WALLET,
    validUntil: NOW_S + 95,
    nonce: 4_294_967_297,
  }
  const { settlementAddress, coreAddress, chainId } = ENVIRONMENT
  return {
    message: 'Signed.',
    mode: 'onchain',
    quote: { ...quote, maker: MAKER, expiresInMs: 0 },
    execution: {
      executionId: 'execution-1',
      requestId,
      quoteId: quote.quoteId,
      makerId: quote.makerId,
      executedAt: NOW,
    },
    onchain: {
      settlementAddress,
      coreAddress,
      chainId,
      order,
      makerSignature: '0x',
      domain: { name: 'ServiceRFQSettlement', version: '1', chainId, verifyingContract: settlementAddress },
      takerApproval: { spender: settlementAddress, amount: order.premiumAmount, reason: 'premium' },
    },
    terms: own,
    protections: { limitPrice: quote.price, minContracts: contracts(quote.fillContracts / 2n) },
  }
}

export const CALL = seriesAt(TOMORROW, 5_000)
const BEST = quoteOf(99_600n)

export const recordOf = (stage: Stage, over: Partial<TradeRecord> = {}): TradeRecord => ({
  request: requestOf(CALL, BUY),
  purpose: 'open',
  question: MARKET.name,
  openedAt: NOW - 4_000,
  stage,
  failure: null,
  revision: 1,
  ...over,
})

const pointsOf = (prices: readonly bigint[]): RacePoint[] =>
  prices.map((price, index) => ({
    at: NOW - 4_000 + index * 350,
    quoteId: `quote-${price}`,
    makerId: `maker-${(index % 4) + 1}`,
    price: usd6(price),
    fillContracts: 250_000_000n / price,
    isFirm: index % 3 === 2,
  }))

export const raceOf = (prices: readonly bigint[], over: Partial<Race> = {}): Race => {
  const last = prices.at(-1)
  return {
    points: pointsOf(prices),
    best: last === undefined ? null : quoteOf(last),
    bestForSize: null,
    bestBid: null,
    bids: [],
    quoteCount: Math.min(4, prices.length),
    bookSeq: prices.length,
    stream: { kind: 'open' },
    ...over,
  }
}

export const RACING = raceOf([118_000n, 112_500n, 110_000n, 104_900n, 104_000n, 101_200n, 99_600n])

/** A state that is about one trade. */
export const withTrade = (record: TradeRecord, race: Race | null = null, state = READY): TradeState => ({
  ...state,
  trades: [record],
  activeTradeId: record.request.requestId,
  races: race === null ? {} : { [record.request.requestId]: race },
})

export const committing = (over: Partial<Extract<Stage, { kind: 'committing' }>> = {}): Stage => ({
  kind: 'committing',
  wallet: WALLET,
  shown: BEST,
  protections: { limitPrice: BEST.price, minContracts: contracts(1_255n), expectedQuoteId: null },
  askedAt: NOW - 1_500,
  askedMakerId: BEST.makerId,
  ...over,
})

export const commitment = commitmentOf(requestOf(CALL, BUY), BEST)
export const signed = { commitment, fellBackFrom: null }
export const filling = (step: Extract<Stage, { kind: 'filling' }>['step']): Stage => ({
  kind: 'filling',
  ...signed,
  payBy: 'approve',
  step,
  hashes: step === 'sent' ? [HASH] : [],
  orderHash: null,
})
export const filled: Extract<Stage, { kind: 'filled' }> = {
  kind: 'filled',
  ...signed,
  hash: HASH,
  blockNumber: 42,
  fee: null,
}

export const soldRequest = requestOf(seriesAt(TOMORROW, 5_000, 'put'), SELL)
export const soldQuote = quoteOf(41_000n, { side: 'sell', fillContracts: contracts(400n) })
/** A request that leaves its side to the commit, and its quotes. */
export const bothRequest = requestOf(CALL, { side: 'both', size: contracts(50n) })
export const BOTH_RACING = raceOf([104_000n, 101_200n, 99_600n], {
  best: quoteOf(99_600n, { fillContracts: contracts(50n) }),
  bestBid: quoteOf(93_000n, { makerId: 'maker-2', side: 'sell', fillContracts: contracts(50n) }),
  bids: pointsOf([89_500n, 93_000n]),
})

export const spreadRequest = requestOf(SPREAD, BUY)
export const closeRequest = requestOf(CALL, { side: 'sell', size: contracts(2_510n), reduceOnly: true })

/** A position at the price of its series, or at $0.55. */
export function positionOf(
  series: ListedSeries,
  {
    long = 0n,
    short = 0n,
    cost = null as PositionEntry['cost'],
    mark = null as PositionEntry['mark'],
  }: Partial<{ long: bigint; short: bigint; cost: PositionEntry['cost']; mark: PositionEntry['mark'] }>,
): PositionEntry {
  const { resolutionBps } = series
  const has = { long: contracts(long), short: contracts(short) }
  const settled = resolutionBps !== null
  return {
    series,
    ...has,
    price: 0.55,
    mark,
    cost,
    ...valuePosition(series, { ...has, resolutionBps, settled, spot: usd6(550_000n) }),
  }
}

export const withPositions = (rows: readonly PositionEntry[], over: Partial<TradeState> = {}): TradeState => ({
  ...READY,
  positions: { rows, readAt: NOW, failure: null },
  ...over,
})

export const expiredCall = seriesAt(PAST, 5_000)
export const settledCall = seriesAt(SETTLED, 5_000)
export const soonCall = seriesAt(SOON, 5_000)

/** A price a minute, up and down, from the start of a window to some second of it. */
const windowPoints = (windowStart: number, end: number) =>
  Array.from({ length: Math.floor((end - windowStart) / 60) + 1 }, (_, minute) => ({
    t: windowStart + minute * 60,
    p: Math.round((0.55 + 0.06 * Math.sin(minute / 4)) * 10_000) / 10_000,
  }))

export const windowOf = (series: ListedSeries, end: number, resolutionBps: ResolutionBps | null) => ({
  [series.seriesId]: {
    prices: {
      seriesId: series.seriesId,
      windowStart: series.expiry - 1_800,
      windowEnd: series.expiry,
      points: windowPoints(series.expiry - 1_800, end),
      twap: 0.5531,
      resolutionBps,
      method: resolutionBps === null ? null : ('twap' as const),
    },
    readAt: NOW,
    failure: null,
  },
})

export const PREPARED: PreparedSettlement = {
  attestation: { seriesId: expiredCall.seriesId, resolutionBps: 55 as ResolutionBps, validUntil: NOW_S + 600 },
  signature: '0x',
  meta: {
    method: 'twap',
    twap: 0.5531,
    pointCount: 31,
    yesPrice: 0.56,
    windowStart: PAST - 1_800,
    windowEnd: PAST,
    maxGapS: 60,
  },
  domain: {
    name: 'ServiceOptionsCore',
    version: '1',
    chainId: ENVIRONMENT.chainId,
    verifyingContract: ENVIRONMENT.coreAddress,
  },
}

const hashOf = (digit: string) => `0x${digit.repeat(64)}` as const

/** An event of a wallet's history; amounts of money that are left out are none. */
const eventOf = (
  kind: TradeEvent['kind'],
  series: ListedSeries,
  {
    time,
    digit,
    ...over
  }: Partial<Record<'amount' | 'long' | 'short' | 'premium' | 'fee' | 'paid' | 'received', bigint>> & {
    time: number
    digit: string
  },
): TradeEvent => ({
  kind,
  seriesId: series.seriesId,
  transactionHash: hashOf(digit),
  blockNumber: BigInt(time - SETTLED + 100_000),
  time,
  amount: contracts(over.amount ?? 100n),
  long: over.long ?? 0n,
  short: over.short ?? 0n,
  premium: usd6(over.premium ?? 0n),
  fee: usd6(over.fee ?? 0n),
  paid: usd6(over.paid ?? 0n),
  received: usd6(over.received ?? 0n),
})

/** Options that were bought and claimed, bought and sold, bought for nothing, and written. */
function tradesOfWallet(): WalletTrade[] {
  const lost = seriesAt(SETTLED, 7_000)
  const put = seriesAt(TOMORROW, 5_000, 'put')
  const series = [settledCall, lost, CALL, put]
  const bought = { time: SETTLED - 7_200, long: 100n, premium: 6_000_000n, fee: 15_000n, paid: 6_015_000n }
  const trades = tradesOf({
    events: [
      eventOf('bought', settledCall, { ...bought, digit: '1' }),
      eventOf('bought', lost, { ...bought, premium: 1_000_000n, paid: 1_015_000n, time: SETTLED - 3_600, digit: '2' }),
      eventOf('payout', settledCall, { time: SETTLED + 1_200, digit: '3', long: -100n, received: 12_000_000n }),
      eventOf('bought', CALL, { time: NOW_S - 7_200, digit: '4', long: 100n, premium: 9_960_000n, paid: 9_960_000n }),
      eventOf('wrote', put, {
        time: NOW_S - 5_400,
        digit: '5',
        amount: 400n,
        short: 400n,
        paid: 200_000_000n,
        received: 16_400_000n,
      }),
      eventOf('sold', CALL, {
        time: NOW_S - 3_600,
        digit: '6',
        long: -100n,
        premium: 9_000_000n,
        received: 9_000_000n,
      }),
    ],
    before: new Map(),
    series: new Map(series.map((each) => [each.seriesId, tradedOf(each)])),
    now: NOW_S,
  })
  return trades.map((trade) => {
    const found = series.find(({ seriesId }) => seriesId === trade.seriesId) as ListedSeries
    return { ...trade, ...tradedOf(found), market: MARKET.name }
  })
}

const tradedOf = (series: ListedSeries) => ({
  option: series,
  expiry: series.expiry,
  payoff: series.resolutionBps === null ? null : payoff(series, series.resolutionBps),
})

export const HISTORY: readonly WalletTrade[] = tradesOfWallet()
/** A price a minute over the last hours, which ends at the present one. */
export const historyOf = (market: MarketSummary, hours: number): PriceHistory => ({
  marketKey: marketKeyOf(market),
  points: Array.from({ length: hours * 60 }, (_, i) => {
    const minute = i - hours * 60 + 1
    const p = (market.yesPrice ?? 0.5) + 0.05 * Math.sin(minute / 90) - 0.00002 * minute
    return { t: NOW_S + minute * 60, p: Math.round(p * 10_000) / 10_000 }
  }),
})

/** A smile at each expiry; its lowest strike was seen by no one. */
export function surfaceOf(market: MarketSummary, expiries: readonly number[]): MarketSurface {
  const ofMarket = SERIES.filter((each) => each.conditionId === market.conditionId && expiries.includes(each.expiry))
  return {
    conditionId: market.conditionId,
    at: NOW,
    series: ofMarket.map((each) => {
      const strike = 'strikeBps' in each ? each.strikeBps / 10_000 : null
      const volatility =
        strike === null ? null : 1.1 + (strike - 0.5) ** 2 * 4 - (0.2 * (each.expiry - NOW_S)) / (7 * 86_400)
      const observed = { volatility: volatility ?? 0, makers: 2, trades: 0, at: NOW }
      return {
        ...each,
        yesPrice: market.yesPrice,
        mark: usd6(40_000n),
        intrinsic: usd6(0n),
        volatility,
        observed: strike === null || strike < 0.35 ? null : observed,
        indicative: null,
      }
    }),
  }
}

export const tradeOf = (number: number, over: Partial<PublicTrade> = {}): PublicTrade => ({
  ...seriesAt(number % 3 === 0 ? NEXT_WEEK : TOMORROW, STRIKES[number % 7] as number, number % 2 ? 'put' : 'call'),
  tradeId: `trade-${number}`,
  at: NOW - 70_000 - number * 240_000,
  side: number % 4 === 1 ? 'sell' : 'buy',
  size: contracts(BigInt(100 + ((number * 397) % 4_000))),
  price: usd6(BigInt(20_000 + ((number * 7_919) % 90) * 1_000)),
  state: number === 0 ? 'open' : number === 5 ? 'expired' : 'filled',
  ...over,
})

/** A market of which everything is known. */
export const SEEN: TradeState = {
  ...READY,
  prices: historyOf(MARKET, 24),
  surface: surfaceOf(MARKET, [TOMORROW, NEXT_WEEK]),
  marks: new Map(SERIES.map(({ seriesId }, i) => [seriesId, usd6(20_000n + BigInt(i) * 1_300n)])),
  tape: { since: NOW - 86_400_000, trades: Array.from({ length: 30 }, (_, number) => tradeOf(number)) },
}

const TOPICS = ['the bridge open', 'rain fall in June', 'the league end', 'the vote pass', 'the launch succeed']

/** Markets as a large relay has them, each with calls and puts at two expiries. */
export function manyMarkets(count: number): Pick<TradeState, 'markets' | 'series'> {
  const markets = Array.from({ length: count }, (_, i) => ({
    ...marketOf(`Will ${TOPICS[i % TOPICS.length]} in district ${i + 1}?`, '7', (1 + (i % 98)) / 100),
    conditionId: `0x${(i + 16).toString(16).padStart(64, '0')}` as const,
    yesTokenId: `${9_000_000 + i}`,
  }))
  const series = markets.flatMap(({ conditionId, yesTokenId }, i) =>
    [1, 2].flatMap((day) =>
      STRIKES.flatMap((strikeBps) =>
        (['call', 'put'] as const).map((optionType, j): ListedSeries => {
          const terms = {
            conditionId,
            yesTokenId,
            optionType,
            strikeBps,
            expiry: NOW_S + day * 86_400 + (i % 24) * 3_600,
          }
          return { ...terms, seriesId: `${i}${day}${strikeBps}${j}`, resolutionBps: null }
        }),
      ),
    ),
  )
  return { markets, series }
}
