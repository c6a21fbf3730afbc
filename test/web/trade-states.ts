import { contracts, type ResolutionBps, type StrikeBps, usd6 } from '../../src/client/index.ts'
import type { FoundPrice } from '../../src/web/trade/found-price.ts'
import { EMPTY_TICKET, initialState, type Task, type TaskKey, type TradeState } from '../../src/web/trade/state.ts'
import { marketKeyOf } from '../../src/web/trade/view-model.ts'
import {
  BOTH_RACING,
  bothRequest,
  CALL,
  closeRequest,
  commitment,
  committing,
  ENVIRONMENT,
  expiredCall,
  filled,
  filling,
  HASH,
  HISTORY,
  historyOf,
  MARKET,
  manyMarkets,
  NEXT_WEEK,
  NO_WALLET,
  NOW,
  NOW_S,
  PAST,
  PREPARED,
  positionOf,
  quoteOf,
  RACING,
  READY,
  REFUSED,
  REJECTED,
  raceOf,
  recordOf,
  SEEN,
  SERIES,
  SETTLED,
  SPREAD,
  SPREAD_LEGS,
  seriesAt,
  settledCall,
  signed,
  soldQuote,
  soldRequest,
  soonCall,
  spreadRequest,
  TOMORROW,
  UNREACHABLE,
  WALLET,
  windowOf,
  withPositions,
  withTrade,
} from './trade-samples.ts'

const CONNECTED = {
  kind: 'connected',
  offerId: 'io.example.wallet',
  name: 'Example Wallet',
  walletKind: 'injected',
  address: WALLET,
} as const

/** A task by its name. */
const taskOf = (key: TaskKey, task: Task): TradeState['tasks'] => ({ [key]: task })

/** The pages of a relay whose operator takes a quarter of a percent. */
const PARTNER_FEE = { recipient: '0x2222222222222222222222222222222222222222', bps: 25 } as const
const withPartner = (state: TradeState): TradeState => ({
  ...state,
  environment: { ...ENVIRONMENT, partnerFee: PARTNER_FEE },
})

/** A state that follows a settlement looks at its position; one that has a trade looks at that. */
function looking(state: TradeState): TradeState {
  const { windows, tasks, positions, activeTradeId } = state
  const ofTasks = Object.keys(tasks).map((key) => key.replace(/^(?:settle|claim|close):/, ''))
  const followed = [...ofTasks, ...Object.keys(windows)].findLast((id) =>
    positions?.rows.some(({ series }) => series.seriesId === id),
  )
  if (activeTradeId !== null) return { ...state, place: 'panel' }
  return followed === undefined ? state : { ...state, focus: followed, place: 'panel' }
}

const AT_HISTORY: TradeState = { ...READY, list: 'history', place: 'mine' }

const WITH_PRIVACY = { ...ENVIRONMENT, privateFields: ['makers', 'exceptMakers', 'blind'] }

const TWO_SIDED = { ...ENVIRONMENT, twoSided: true }

const WITH_EXPLORER = { ...ENVIRONMENT, explorerUrl: 'https://polygonscan.com' }

function withMany(count: number): TradeState {
  const { markets, series } = manyMarkets(count)
  const marketKey = marketKeyOf((markets ?? [])[0] ?? MARKET)
  return { ...READY, markets, series, ticket: { ...READY.ticket, marketKey, legs: [] } }
}

const WITH_LOG = { ...ENVIRONMENT, logKeys: ['rfqctl.log/1f+530d903a+key'] }

/** A filled trade whose log is read, with what came of that. */
const withFound = (task: Task): TradeState => ({
  ...withTrade(recordOf(filled)),
  environment: WITH_LOG,
  tasks: { 'found:request-1': task },
})

function foundOf(changes: Partial<FoundPrice>): Task {
  const quote = { size: contracts(5_000n), isFirm: false } as const
  const quotes: FoundPrice['quotes'] = [
    { ...quote, makerId: 'maker-4', price: usd6(99_000n), fate: 'missed' },
    { ...quote, makerId: 'maker-2', price: usd6(99_600n), fate: 'signed', isFirm: true },
    { ...quote, makerId: 'maker-3', price: usd6(101_000n), fate: 'not_asked' },
  ]
  const found = { problems: [], isSignatureChecked: true, size: 4_712, lines: 19, quotes, file: '{}', ...changes }
  return { kind: 'done', at: NOW, outcome: { kind: 'found', found } }
}

const STATES: Readonly<Record<string, TradeState>> = {
  connecting: initialState(NOW),
  'connecting, refused so far': {
    ...initialState(NOW),
    link: { kind: 'connecting', reason: UNREACHABLE, retryAt: NOW + 3_000, attempts: 1 },
  },
  'no market': { ...NO_WALLET, markets: [], series: [], ticket: EMPTY_TICKET },
  'no series': { ...READY, series: [], ticket: { ...EMPTY_TICKET, marketKey: marketKeyOf(MARKET) } },
  lost: {
    ...withTrade(recordOf({ kind: 'quoting' }), RACING),
    link: { kind: 'lost', since: NOW - 8_000, retryAt: NOW + 4_000, reason: UNREACHABLE },
  },
  'no wallet': NO_WALLET,
  'wallet connecting': {
    ...NO_WALLET,
    wallet: { ...NO_WALLET.wallet, standing: { kind: 'connecting', offerId: 'io.example.wallet' } },
  },
  'wallet refused': { ...NO_WALLET, wallet: { ...NO_WALLET.wallet, failure: REJECTED } },
  'no wallet offered': { ...NO_WALLET, wallet: { ...NO_WALLET.wallet, offers: [] } },
  'wrong chain': {
    ...withTrade(recordOf({ kind: 'quoting' }), RACING),
    wallet: {
      ...READY.wallet,
      standing: { ...CONNECTED, chainId: 1 },
    },
  },
  'empty wallet': { ...READY, wallet: { ...READY.wallet, funds: { stablecoin: usd6(0n), coin: 0n, readAt: NOW } } },
  'faucet running': {
    ...READY,
    wallet: { ...READY.wallet, funds: { stablecoin: usd6(0n), coin: 0n, readAt: NOW } },
    tasks: { faucet: { kind: 'running', since: NOW - 500, step: 'relay', hash: null } },
  },
  'faucet done': {
    ...READY,
    tasks: {
      faucet: { kind: 'done', at: NOW, outcome: { kind: 'funded', amount: usd6(10_000_000_000n), hash: HASH } },
    },
  },
  'faucet refused': {
    ...READY,
    tasks: {
      faucet: {
        kind: 'failed',
        at: NOW,
        failure: {
          code: 'faucet_cooldown',
          message: 'This wallet got test dollars already.',
          hint: 'Ask again after Retry-After seconds.',
          retryable: true,
        },
      },
    },
  },
  'nothing chosen': { ...READY, ticket: { ...READY.ticket, legs: [] } },
  ready: READY,
  'amount unreadable': { ...READY, ticket: { ...READY.ticket, budgetText: 'a lot' } },
  'package chosen': { ...READY, ticket: { ...READY.ticket, legs: SPREAD_LEGS } },
  'new package chosen': {
    ...READY,
    ticket: {
      ...READY.ticket,
      legs: [
        { optionType: 'call', strikeBps: 6_000 as StrikeBps, quantity: 1 },
        { optionType: 'put', strikeBps: 4_500 as StrikeBps, quantity: 1 },
      ],
    },
  },
  'package with one leg': {
    ...READY,
    ticket: { ...READY.ticket, legs: [{ optionType: 'call', strikeBps: 6_000 as StrikeBps, quantity: -1 }] },
  },
  'both sides on the ticket': {
    ...READY,
    environment: TWO_SIDED,
    ticket: { ...READY.ticket, side: 'both', sizeText: '50' },
  },
  'both sides, of a relay that is older': { ...READY, ticket: { ...READY.ticket, side: 'both' } },
  'writing options': { ...READY, ticket: { ...READY.ticket, side: 'sell', sizeText: '400' } },
  asking: { ...READY, tasks: { ask: { kind: 'running', since: NOW - 200, step: 'relay', hash: null } } },
  refused: { ...READY, tasks: { ask: { kind: 'failed', at: NOW, failure: REFUSED } } },
  'no quotes yet': withTrade(recordOf({ kind: 'quoting' }), raceOf([])),
  'no quotes, and makers had their time': withTrade(
    recordOf({ kind: 'quoting' }, { openedAt: NOW - 20_000 }),
    raceOf([]),
  ),
  'quotes racing': withTrade(recordOf({ kind: 'quoting' }), RACING),
  'quotes racing, stream lost': withTrade(recordOf({ kind: 'quoting' }), {
    ...RACING,
    stream: { kind: 'lost', retryAt: NOW + 2_000, failure: UNREACHABLE },
  }),
  'best quote is small': withTrade(recordOf({ kind: 'quoting' }), {
    ...RACING,
    best: quoteOf(99_600n, { fillContracts: contracts(300n), size: contracts(300n) }),
    bestForSize: quoteOf(104_000n, { makerId: 'maker-2' }),
  }),
  'bids racing': withTrade(recordOf({ kind: 'quoting' }, { request: soldRequest }), {
    ...raceOf([31_000n, 37_000n, 39_500n, 41_000n]),
    best: soldQuote,
  }),
  'both sides, no quotes yet': withTrade(recordOf({ kind: 'quoting' }, { request: bothRequest }), raceOf([])),
  'both sides racing': withTrade(recordOf({ kind: 'quoting' }, { request: bothRequest }), BOTH_RACING),
  'both sides racing, no bid': withTrade(recordOf({ kind: 'quoting' }, { request: bothRequest }), {
    ...BOTH_RACING,
    bestBid: null,
  }),
  'both sides racing, sale chosen': withTrade(
    recordOf({ kind: 'quoting' }, { request: bothRequest, side: 'sell' }),
    BOTH_RACING,
  ),
  'both sides racing, purchase chosen': withTrade(
    recordOf({ kind: 'quoting' }, { request: bothRequest, side: 'buy' }),
    BOTH_RACING,
  ),
  'quotes racing, with a partner': withPartner(withTrade(recordOf({ kind: 'quoting' }), RACING)),
  'bids racing, with a partner': withPartner(
    withTrade(recordOf({ kind: 'quoting' }, { request: soldRequest }), {
      ...raceOf([31_000n, 41_000n]),
      best: soldQuote,
    }),
  ),
  'package racing': withTrade(recordOf({ kind: 'quoting' }, { request: spreadRequest }), raceOf([88_000n, 81_500n])),
  'funds are short': {
    ...withTrade(recordOf({ kind: 'quoting' }), RACING),
    wallet: { ...READY.wallet, funds: { stablecoin: usd6(20_000_000n), coin: 10n ** 18n, readAt: NOW } },
  },
  'no wallet, quotes racing': withTrade(recordOf({ kind: 'quoting' }), RACING, NO_WALLET),
  cancelling: {
    ...withTrade(recordOf({ kind: 'quoting' }), RACING),
    tasks: { 'cancel:request-1': { kind: 'running', since: NOW, step: 'relay', hash: null } },
  },
  'commit refused': withTrade(
    recordOf(
      { kind: 'quoting' },
      {
        failure: {
          code: 'no_acceptable_quote',
          message: 'No quote is within the limits of the commit.',
          hint: 'Allow a worse price or fewer options.',
          retryable: true,
        },
      },
    ),
    RACING,
  ),
  'signing that the wallet is ours': {
    ...withTrade(recordOf({ kind: 'quoting' }), RACING),
    tasks: { 'prove:request-1': { kind: 'running', since: NOW, step: 'wallet', hash: null } },
  },
  'waiting for the maker': withTrade(recordOf(committing()), RACING),
  fallback: withTrade(recordOf(committing({ askedMakerId: 'maker-3', askedAt: NOW - 400 })), RACING),
  committed: withTrade(recordOf({ kind: 'committed', ...signed })),
  'committed, with a partner': withPartner(withTrade(recordOf({ kind: 'committed', ...signed }))),
  'committed after a fallback': withTrade(recordOf({ kind: 'committed', commitment, fellBackFrom: 'maker-4' })),
  'committed, fill refused': withTrade(recordOf({ kind: 'committed', ...signed }, { failure: REJECTED })),
  'asking the wallet': withTrade(recordOf(filling('wallet'))),
  'transaction pending': withTrade(recordOf(filling('sent'))),
  filled: withTrade(recordOf(filled)),
  'filled with a partner': withTrade(recordOf({ ...filled, partnerFee: PARTNER_FEE })),
  'filled by a relayer': withTrade(recordOf({ ...filled, fee: usd6(50_000n) })),
  'filled, with a log': { ...withTrade(recordOf(filled)), environment: WITH_LOG },
  'filled, its price being checked': withFound({ kind: 'running', since: NOW, step: 'relay', hash: null }),
  'filled, its price checked': withFound(foundOf({})),
  'filled, its price checked but for the signature': withFound(foundOf({ isSignatureChecked: false })),
  'filled, its record false': withFound(foundOf({ problems: ['Line 3 is not in the log of the checkpoint.'] })),
  simulated: {
    ...withTrade(
      recordOf({
        kind: 'simulated',
        commitment: { ...commitment, mode: 'simulated', onchain: null },
        fellBackFrom: null,
      }),
    ),
    environment: { ...ENVIRONMENT, mode: 'simulated', sandbox: false, faucet: null, chainTime: null },
    wallet: { ...READY.wallet, funds: null },
    positions: null,
  },
  'request expired': withTrade(recordOf({ kind: 'ended', how: 'expired' })),
  'request cancelled': withTrade(recordOf({ kind: 'ended', how: 'cancelled' })),
  'request gone': withTrade(recordOf({ kind: 'ended', how: 'gone' })),
  'order expired': withTrade(recordOf({ kind: 'ended', how: 'order_expired' })),
  'order cancelled': withTrade(recordOf({ kind: 'ended', how: 'order_cancelled' })),
  'positions unread': { ...READY, positions: null },
  'no position': READY,
  'positions open': withPositions([
    positionOf(CALL, { long: 2_510n, cost: usd6(249_996_000n) }),
    positionOf(seriesAt(TOMORROW, 5_000, 'put'), { short: 400n, cost: usd6(183_600_000n) }),
    positionOf(SPREAD, { long: 100n, cost: 'moved' }),
    positionOf(seriesAt(NEXT_WEEK, 4_000), { long: 50n, short: 20n, cost: 'earlier' }),
  ]),
  'options with marks': {
    ...READY,
    marks: new Map(SERIES.map(({ seriesId }, i) => [seriesId, usd6(20_000n + BigInt(i) * 3_100n)])),
  },
  'positions at their marks': withPositions(
    [
      positionOf(CALL, { long: 2_510n, cost: usd6(249_996_000n), mark: usd6(87_300n) }),
      positionOf(seriesAt(TOMORROW, 5_000, 'put'), { short: 400n, cost: usd6(183_600_000n), mark: usd6(31_100n) }),
    ],
    { place: 'mine' },
  ),
  'position at its mark': withPositions(
    [positionOf(CALL, { long: 2_510n, cost: usd6(249_996_000n), mark: usd6(87_300n) })],
    { focus: CALL.seriesId, place: 'panel' },
  ),
  'quotes racing, with a mark': {
    ...withTrade(recordOf({ kind: 'quoting' }), RACING),
    marks: new Map([[CALL.seriesId, usd6(120_000n)]]),
  },
  'a market that is known': SEEN,
  'a market with an hour of prices and no trade': {
    ...SEEN,
    prices: historyOf(MARKET, 1),
    surface: { conditionId: MARKET.conditionId, at: NOW, series: [] },
    marks: new Map(),
    tape: { since: NOW - 7_200_000, trades: [] },
  },
  'five hundred markets': withMany(500),
  'position being closed': {
    ...withTrade(
      recordOf({ kind: 'quoting' }, { request: closeRequest, purpose: 'close' }),
      { ...raceOf([88_000n, 90_000n]), best: quoteOf(90_000n, { side: 'sell', fillContracts: contracts(2_510n) }) },
      withPositions([positionOf(CALL, { long: 2_510n, cost: usd6(249_996_000n) })]),
    ),
  },
  'position in its window': withPositions([positionOf(soonCall, { long: 100n, cost: usd6(6_000_000n) })], {
    windows: windowOf(soonCall, NOW_S, null),
  }),
  'position expired': withPositions([positionOf(expiredCall, { long: 100n, cost: usd6(6_000_000n) })], {
    windows: windowOf(expiredCall, PAST, null),
  }),
  settling: withPositions([positionOf(expiredCall, { long: 100n, cost: usd6(6_000_000n) })], {
    windows: windowOf(expiredCall, PAST, null),
    tasks: taskOf(`settle:${expiredCall.seriesId}`, { kind: 'running', since: NOW - 900, step: 'sent', hash: HASH }),
  }),
  'settlement refused': withPositions([positionOf(expiredCall, { long: 100n, cost: usd6(6_000_000n) })], {
    tasks: taskOf(`settle:${expiredCall.seriesId}`, {
      kind: 'failed',
      at: NOW,
      failure: {
        code: 'manual_review',
        message: 'There are too few prices to settle by: a person decides.',
        hint: 'Wait for the operator.',
        retryable: false,
      },
    }),
  }),
  'price can still be taken back': withPositions(
    [
      positionOf(
        { ...expiredCall, resolutionBps: 55 as ResolutionBps, finalAt: NOW_S + 300 },
        { long: 100n, cost: usd6(6_000_000n) },
      ),
    ],
    {
      tasks: taskOf(`settle:${expiredCall.seriesId}`, {
        kind: 'done',
        at: NOW,
        outcome: { kind: 'settled', prepared: PREPARED, hash: HASH },
      }),
      windows: windowOf(expiredCall, PAST, 55 as ResolutionBps),
    },
  ),
  'position settled': withPositions(
    [
      positionOf(settledCall, { long: 100n, cost: usd6(6_000_000n) }),
      positionOf(seriesAt(SETTLED, 7_000), { long: 100n, cost: usd6(1_000_000n) }),
      positionOf(seriesAt(SETTLED, 4_000, 'put'), { short: 50n, cost: usd6(18_000_000n) }),
    ],
    { windows: windowOf(settledCall, SETTLED, 62 as ResolutionBps) },
  ),
  'claim done': withPositions([], {
    tasks: taskOf(`claim:${settledCall.seriesId}`, {
      kind: 'done',
      at: NOW,
      outcome: { kind: 'claimed', paid: usd6(12_000_000n), hashes: [HASH] },
    }),
  }),
  'address of an unlisted option': {
    ...READY,
    arrival: { kind: 'unknown', address: { kind: 'series', seriesId: '1' } },
  },
  'address of an unknown trade': {
    ...READY,
    arrival: { kind: 'unknown', address: { kind: 'trade', requestId: 'request-1' } },
  },
  history: { ...AT_HISTORY, history: { trades: HISTORY, isComplete: true, csv: '', failure: null } },
  'history being read': AT_HISTORY,
  'history without a trade': { ...AT_HISTORY, history: { trades: [], isComplete: true, csv: '', failure: null } },
  'history of a node that forgets': {
    ...AT_HISTORY,
    history: { trades: HISTORY.slice(0, 1), isComplete: false, csv: '', failure: null },
  },
  'history unreadable': { ...AT_HISTORY, history: { trades: [], isComplete: false, csv: '', failure: UNREACHABLE } },
  'history with an explorer': {
    ...AT_HISTORY,
    environment: WITH_EXPLORER,
    history: { trades: HISTORY, isComplete: true, csv: '', failure: null },
  },
  'history on another chain': {
    ...AT_HISTORY,
    wallet: { ...READY.wallet, standing: { ...CONNECTED, chainId: 1 } },
  },
  'filled, with an explorer': { ...withTrade(recordOf(filled)), environment: WITH_EXPLORER },
  'notices offered': { ...READY, place: 'mine', notices: 'off' },
  'notices on': { ...READY, place: 'mine', notices: 'on' },
  'notices refused': { ...READY, place: 'mine', notices: 'refused' },
  'requests that keep something from makers': {
    ...READY,
    environment: WITH_PRIVACY,
    privacy: { exceptMakers: ['maker-3', `maker ${'with a long name '.repeat(3)}`], isBlind: true },
  },
  'a relay that cannot leave makers out': { ...READY, privacy: { exceptMakers: ['maker-3'], isBlind: false } },
  'a relay that cannot keep a wallet from makers': { ...READY, privacy: { exceptMakers: [], isBlind: true } },
  'firm quotes, and a wallet kept from makers': {
    ...READY,
    environment: WITH_PRIVACY,
    ticket: { ...READY.ticket, firmOnly: true },
    privacy: { exceptMakers: [], isBlind: true },
  },
  'quotes racing, with makers to leave out': {
    ...withTrade(recordOf({ kind: 'quoting' }), RACING),
    environment: WITH_PRIVACY,
    privacy: { exceptMakers: ['maker-3'], isBlind: false },
  },
  'filled, with makers to leave out': { ...withTrade(recordOf(filled)), environment: WITH_PRIVACY },
  'moving the chain': { ...READY, tasks: { warp: { kind: 'running', since: NOW, step: 'relay', hash: null } } },
  'browser keeps nothing': { ...READY, isForgetful: true },
}

/** A state for everything that the trade page draws on purpose, by what it shows. */
export const TRADE_STATES: Readonly<Record<string, TradeState>> = Object.fromEntries(
  Object.entries(STATES).map(([name, state]) => [name, looking(state)]),
)
