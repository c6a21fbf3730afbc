import type {
  Address,
  Hex,
  Leg,
  ListedSeries,
  MarketSummary,
  PositionCost,
  PositionValue,
  PreparedSettlement,
  SeriesId,
  Side,
  Usd6,
  WindowPrices,
} from '@rfqctl/client/index'
import type { Environment, WalletOffer } from './ports.ts'
import type { Failure, PayBy, Race, TradeRecord } from './trade-record.ts'

/** Everything that the trade page shows. Times without another word are Unix milliseconds of the page's own clock. */
export type TradeState = {
  /** The time now; countdowns follow it. */
  now: number
  /** How far the relay's clock is ahead of the page's, milliseconds: requests and quotes expire by it. */
  relayOffsetMs: number
  /** How far the chain's clock is ahead of the page's, milliseconds; orders and options expire by it. Null before it was read. */
  chainOffsetMs: number | null
  /** Whether the relay answers. */
  link: Link
  /** Null until the relay told it. */
  environment: Environment | null
  /** Null until they were read; an empty list is a relay without any. */
  markets: readonly MarketSummary[] | null
  /** All series, packages too; null until they were read. */
  series: readonly ListedSeries[] | null
  wallet: WalletState
  ticket: Ticket
  /** The trades of this page and of others of its origin, newest first. */
  trades: readonly TradeRecord[]
  /** The races of requests that are watched, by their request. */
  races: Readonly<Record<string, Race>>
  /** The request that the page is about; null while a new one is put together. */
  activeTradeId: string | null
  /** Of the connected wallet; null until they were read, and without a wallet. */
  positions: Positions | null
  /** The prices of settlement windows that were looked at, by their series. */
  windows: Readonly<Record<SeriesId, Window>>
  /** What was asked for and is being done, or was: by its name. */
  tasks: Readonly<Partial<Record<TaskKey, Task>>>
  /** Whether the browser keeps nothing: a reload would lose open requests. */
  isForgetful: boolean
}

/** Whether the relay answers. */
export type Link =
  /** Nothing was heard yet; `failure` is why the last try came to nothing. */
  | { kind: 'connecting'; failure: Failure | null; retryAt: number | null }
  | { kind: 'live' }
  /** It answered before: what is shown is as old as `since`. */
  | { kind: 'lost'; since: number; retryAt: number; failure: Failure }

/** The wallets that there are, and the one that is used. */
export type WalletState = {
  offers: readonly WalletOffer[]
  standing: WalletStanding
  /** What the wallet holds; null until it was read. */
  funds: Funds | null
  /** What the wallet, or its owner, refused last. */
  failure: Failure | null
}

/** The wallet that is used. */
export type WalletStanding =
  | { kind: 'none' }
  | { kind: 'connecting'; offerId: string }
  | {
      kind: 'connected'
      offerId: string
      name: string
      /** `sandbox`: an account whose key this page has made. */
      walletKind: WalletOffer['kind']
      address: Address
      /** The chain that it is on; null where it follows the relay's. */
      chainId: number | null
    }

/** What a wallet holds: micro-dollars, and wei of the chain's coin, which pays for gas. */
export type Funds = { stablecoin: Usd6; coin: bigint; readAt: number }

/** What is put together before makers are asked. Texts are as they were typed: `view-model.ts` reads them. */
export type Ticket = {
  /** The market, as `marketKeyOf` has it; null until there is one. */
  marketKey: string | null
  /** When the options expire, Unix seconds. */
  expiry: number | null
  /** None, one for a single option, or two to four for a package. */
  legs: readonly Leg[]
  side: Side
  /** What a purchase may cost, dollars. */
  budgetText: string
  /** How many options are sold. */
  sizeText: string
  /** Whether only quotes are taken whose makers have signed already. */
  firmOnly: boolean
  /** Whether options that their seller holds may be handed over. */
  inventory: boolean
  /** The worst price per option that is taken, dollars; null: the one that is shown (decision C1). */
  limitText: string | null
  /** The fewest options that are taken; null: half of those shown. */
  minText: string | null
  payBy: PayBy
  /** The most that a relayer may charge, dollars. */
  maxFeeText: string
}

/** What a wallet has in all series. */
export type Positions = {
  rows: readonly PositionEntry[]
  readAt: number
  /** Why the last look failed; null where it did not. */
  failure: Failure | null
}

/** What a wallet has in a series. */
export type PositionEntry = PositionValue & {
  series: ListedSeries
  long: bigint
  short: bigint
  /** The price of the YES token that it is valued at, dollars; null where none is known. */
  price: number | null
  /** What was put into it; null until it was read. */
  cost: PositionCost | null
}

/** The prices of one settlement window. */
export type Window = { prices: WindowPrices | null; readAt: number | null; failure: Failure | null }

/** What can be asked for beside trades; each of a name is done once at a time. */
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

/** How far it has come. `step` says what it waits for now; `hash` is its newest transaction. */
export type Task =
  | { kind: 'running'; since: number; step: TaskStep; hash: Hex | null }
  | { kind: 'done'; at: number; outcome: Outcome }
  | { kind: 'failed'; at: number; failure: Failure }

/** What a task waits for: the relay, the wallet's owner, or a transaction to be mined. */
export type TaskStep = 'relay' | 'wallet' | 'sent'

/** What came of a task. */
export type Outcome =
  | { kind: 'asked'; requestId: string }
  | { kind: 'funded'; amount: Usd6; hash: Hex }
  /** `chainTime` is Unix seconds. */
  | { kind: 'warped'; chainTime: number }
  | { kind: 'switched' }
  /** Options that were both held and written ended against each other. */
  | { kind: 'closed'; amount: bigint; paid: Usd6; hash: Hex }
  | { kind: 'settled'; prepared: PreparedSettlement; hash: Hex }
  /** `hashes` are one or two: a holder's claim, a writer's. */
  | { kind: 'claimed'; paid: Usd6; hashes: readonly Hex[] }
  | { kind: 'cancelled' }

/** The most tasks that are remembered, and the most windows. */
export const MAX_TASKS = 50
export const MAX_WINDOWS = 8

/** An empty ticket: what a purchase of $250 by one approval asks for. */
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

/** A page that was opened just now and has heard nothing yet. */
export const initialState = (now: number): TradeState => ({
  now,
  relayOffsetMs: 0,
  chainOffsetMs: null,
  link: { kind: 'connecting', failure: null, retryAt: null },
  environment: null,
  markets: null,
  series: null,
  wallet: { offers: [], standing: { kind: 'none' }, funds: null, failure: null },
  ticket: EMPTY_TICKET,
  trades: [],
  races: {},
  activeTradeId: null,
  positions: null,
  windows: {},
  tasks: {},
  isForgetful: false,
})
