import type {
  Address,
  Hex,
  Leg,
  ListedSeries,
  MarketSummary,
  MarketSurface,
  PositionCost,
  PositionValue,
  PreparedSettlement,
  PricePoint,
  PublicTrade,
  SeriesId,
  Side,
  Usd6,
  WalletTrade,
  WindowPrices,
} from '@rfqctl/client/index'
import { CONNECTING, type Link } from '../link.ts'
import type { PageAddress } from './address.ts'
import type { FoundPrice } from './found-price.ts'
import type { Environment, WalletOffer } from './ports.ts'
import { NO_PRIVACY, type Privacy } from './privacy.ts'
import type { Failure, PayBy, Race, TradeRecord } from './trade-record.ts'

/** All that the trade page shows. Times without another unit are Unix milliseconds of the page's own clock. */
export type TradeState = {
  now: number
  /** Lead of the relay's clock over the page's, milliseconds: requests and quotes expire by it. */
  relayOffsetMs: number
  /** Lead of the chain's clock over the page's, milliseconds: orders and options expire by it. Null until read. */
  chainOffsetMs: number | null
  link: Link<Failure>
  environment: Environment | null
  /** Null until read; empty if the relay has none. */
  markets: readonly MarketSummary[] | null
  /** Packages included; null until read. */
  series: readonly ListedSeries[] | null
  /** Marks of the open series of the market that is looked at; of those that have one. */
  marks: Marks
  /** The volatilities behind the marks; null until read. */
  surface: MarketSurface | null
  /** Null until read. */
  tape: Tape | null
  /** YES prices of the market that was looked at last; null until read. */
  prices: PriceHistory | null
  wallet: WalletState
  ticket: Ticket
  /** Shared by the pages of an origin. */
  privacy: Privacy
  /** Shared by the pages of an origin, newest first. */
  trades: readonly TradeRecord[]
  races: Readonly<Record<string, Race>>
  /** Null while a new request is prepared. */
  activeTradeId: string | null
  /** Series of the position that is looked at; null for the ticket or a trade. */
  focus: SeriesId | null
  place: Place
  list: List
  arrival: Arrival
  /** The connected wallet's; null until read, and without a wallet. */
  positions: Positions | null
  /** The connected wallet's; null until it is read, which is once it is shown. */
  history: WalletHistory | null
  windows: Readonly<Record<SeriesId, Window>>
  tasks: Readonly<Partial<Record<TaskKey, Task>>>
  notices: NoticeChoice
  /** Whether the browser keeps nothing: a reload would lose open requests. */
  isForgetful: boolean
}

/** A narrow screen shows one place at a time, a wide one all of them. */
export type Place = 'markets' | 'panel' | 'mine'

/** Whether the browser shows notices of the page; `refused` after its owner's or its own no, `absent` where it has none. */
export type NoticeChoice = 'off' | 'on' | 'refused' | 'absent'

/** Lists of what is the wallet's or the browser's own: one at a time is shown. */
export type List = 'positions' | 'trades' | 'history'

export type Arrival =
  /** The page shows a choice, whose address is its own. */
  | { kind: 'chosen' }
  /**
   * `opened`: the address of the page or a market stays while the page chooses the option. `awaited`: what it names is
   * not read yet. `unknown`: the relay or the browser does not have it.
   */
  | { kind: 'opened' | 'awaited' | 'unknown'; address: PageAddress }

export type WalletState = {
  offers: readonly WalletOffer[]
  standing: WalletStanding
  funds: Funds | null
  /** The last refusal of the wallet or its owner. */
  failure: Failure | null
}

export type WalletStanding =
  | { kind: 'none' }
  | { kind: 'connecting'; offerId: string }
  | {
      kind: 'connected'
      offerId: string
      name: string
      /** `sandbox`: an account whose key this page made. */
      walletKind: WalletOffer['kind']
      address: Address
      /** Null if it follows the relay's. */
      chainId: number | null
    }

/** Micro-dollars, and wei of the chain's coin, which pays for gas. */
export type Funds = { stablecoin: Usd6; coin: bigint; readAt: number }

/** Input for a request. Texts are as typed: `view-model.ts` reads them. */
export type Ticket = {
  /** As made by `marketKeyOf`; null until there is one. */
  marketKey: string | null
  /** Unix seconds. */
  expiry: number | null
  /** None, one for a single option, or two to four for a package. */
  legs: readonly Leg[]
  /** `both`: the side is chosen when the prices are there. */
  side: Side | 'both'
  /** Most that a purchase may cost, dollars. */
  budgetText: string
  sizeText: string
  firmOnly: boolean
  inventory: boolean
  /** Worst accepted price per option, dollars; null: the one shown (decision C1). */
  limitText: string | null
  /** Fewest options accepted; null: half of those shown. */
  minText: string | null
  payBy: PayBy
  /** Most that a relayer may charge, dollars. */
  maxFeeText: string
}

export type Marks = ReadonlyMap<SeriesId, Usd6>

/** Signed trades of all markets in the last day, newest first. None is missing since `since`, Unix milliseconds. */
export type Tape = { trades: readonly PublicTrade[]; since: number }

/** YES prices of the last day. */
export type PriceHistory = { marketKey: string; points: readonly PricePoint[] }

export type Positions = { rows: readonly PositionEntry[]; readAt: number; failure: Failure | null }

export type PositionEntry = PositionValue & {
  series: ListedSeries
  long: bigint
  short: bigint
  /** The YES price behind its value, dollars; null if unknown. */
  price: number | null
  /** The mark of one option; null where its market has no surface. */
  mark: Usd6 | null
  cost: PositionCost | null
}

/** `csv` has all trades, for a spreadsheet; a failure leaves what was read before. */
export type WalletHistory = {
  trades: readonly WalletTrade[]
  isComplete: boolean
  csv: string
  failure: Failure | null
}

export type Window = { prices: WindowPrices | null; readAt: number | null; failure: Failure | null }

/** One task of each key runs at a time. */
export type TaskKey =
  | 'ask'
  | 'faucet'
  | 'warp'
  | 'switch'
  | `close:${SeriesId}`
  | `settle:${SeriesId}`
  | `claim:${SeriesId}`
  | `cancel:${string}`
  | `prove:${string}`
  | `found:${string}`

/** `step` is the current wait; `hash` is the newest transaction. */
export type Task =
  | { kind: 'running'; since: number; step: TaskStep; hash: Hex | null }
  | { kind: 'done'; at: number; outcome: Outcome }
  | { kind: 'failed'; at: number; failure: Failure }

export type TaskStep = 'relay' | 'wallet' | 'sent'

export type Outcome =
  | { kind: 'asked'; requestId: string }
  | { kind: 'funded'; amount: Usd6; hash: Hex }
  /** `chainTime` is Unix seconds. */
  | { kind: 'warped'; chainTime: number }
  | { kind: 'switched' }
  | { kind: 'closed'; amount: bigint; paid: Usd6; hash: Hex }
  | { kind: 'settled'; prepared: PreparedSettlement; hash: Hex }
  | { kind: 'claimed'; paid: Usd6; hashes: readonly Hex[] }
  | { kind: 'cancelled' }
  | { kind: 'found'; found: FoundPrice }

export const MAX_TASKS = 50
export const MAX_WINDOWS = 8

export const EMPTY_TICKET: Ticket = {
  marketKey: null,
  expiry: null,
  legs: [],
  side: 'buy',
  budgetText: '250',
  sizeText: '100',
  firmOnly: false,
  inventory: true,
  limitText: null,
  minText: null,
  payBy: 'approve',
  maxFeeText: '1',
}

export const initialState = (now: number): TradeState => ({
  now,
  relayOffsetMs: 0,
  chainOffsetMs: null,
  link: CONNECTING,
  environment: null,
  markets: null,
  series: null,
  marks: new Map(),
  surface: null,
  tape: null,
  prices: null,
  wallet: { offers: [], standing: { kind: 'none' }, funds: null, failure: null },
  ticket: EMPTY_TICKET,
  privacy: NO_PRIVACY,
  trades: [],
  races: {},
  activeTradeId: null,
  focus: null,
  place: 'markets',
  list: 'positions',
  arrival: { kind: 'opened', address: { kind: 'home' } },
  positions: null,
  history: null,
  windows: {},
  tasks: {},
  notices: 'absent',
  isForgetful: false,
})
