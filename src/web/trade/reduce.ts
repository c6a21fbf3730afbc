import type {
  ListedSeries,
  MarketSummary,
  MarketSurface,
  PositionCost,
  SeriesId,
  WindowPrices,
} from '@rfqctl/client/index'
import { afterLoss } from '../link.ts'
import { type ActionOf, type Handlers, reduceBy } from '../store.ts'
import type { Environment, WalletOffer } from './ports.ts'
import { boundedPrivacy, type Privacy } from './privacy.ts'
import { addressHandlers, arrive } from './reduce-address.ts'
import { ticketHandlers, withDefaults } from './reduce-ticket.ts'
import { expireTrades, tradesHandlers } from './reduce-trades.ts'
import {
  type Funds,
  MAX_TASKS,
  MAX_WINDOWS,
  type Marks,
  type NoticeChoice,
  type PositionEntry,
  type PriceHistory,
  type Tape,
  type Task,
  type TaskKey,
  type TradeState,
  type WalletHistory,
  type WalletStanding,
  type Window,
} from './state.ts'
import type { Failure } from './trade-record.ts'

export type TradeAction = ActionOf<TradeState, typeof handlers>

const MAX_OFFERS = 20

const handlers = {
  ...ticketHandlers,
  ...tradesHandlers,
  ...addressHandlers,
  ticked: (state, { now }: { now: number }) => expireTrades({ ...state, now }),
  /** Unix milliseconds: the page's clock, and the relay's and the chain's at that moment. */
  'clocks-read': (state, { now, relay, chain }: { now: number; relay: number; chain: number | null }) => {
    const chainOffsetMs = chain === null ? state.chainOffsetMs : chain - now
    return expireTrades({ ...state, now, relayOffsetMs: relay - now, chainOffsetMs })
  },
  'relay-answered': (state) => (state.link.kind === 'live' ? state : { ...state, link: { kind: 'live' } }),
  'relay-failed': (state, { now, retryAt, failure }: { now: number; retryAt: number; failure: Failure }) => ({
    ...state,
    now,
    link: afterLoss(state.link, { at: now, retryAt, reason: failure }),
  }),
  'environment-read': (state, { environment }: { environment: Environment }) => ({ ...state, environment }),
  'market-read': (
    state,
    read: { markets: readonly MarketSummary[]; series?: readonly ListedSeries[]; surface?: MarketSurface },
  ) => {
    const { markets, series = state.series, surface } = read
    const seen = surface === undefined ? state : { ...state, surface, marks: marksOf(surface) }
    return withDefaults(arrive({ ...seen, markets, series }))
  },
  'tape-read': (state, { tape }: { tape: Tape }) => ({ ...state, tape }),
  'prices-read': (state, { prices }: { prices: PriceHistory }) => ({ ...state, prices }),
  'series-read': (state, { series }: { series: ListedSeries }) => {
    const others = (state.series ?? []).filter(({ seriesId }) => seriesId !== series.seriesId)
    return { ...state, series: [...others, series] }
  },
  'wallet-offered': (state, { offer }: { offer: WalletOffer }) => {
    const others = state.wallet.offers.filter(({ id }) => id !== offer.id)
    return withWallet(state, { offers: [...others, offer].slice(0, MAX_OFFERS) })
  },
  'wallet-stands': (state, { standing }: { standing: WalletStanding }) => {
    if (addressOf(state.wallet.standing) === addressOf(standing)) return withWallet(state, { standing })
    // Another account's holdings are not this one's.
    return { ...withWallet(state, { standing, funds: null, failure: null }), positions: null, history: null }
  },
  'wallet-failed': (state, { failure }: { failure: Failure | null }) => withWallet(state, { failure }),
  'funds-read': (state, { funds }: { funds: Funds | null }) => withWallet(state, { funds }),
  'positions-read': (state, action: { now: number; rows: readonly PositionEntry[] }) => {
    const costs = new Map(state.positions?.rows.map(({ series, cost }) => [series.seriesId, cost]))
    const rows = action.rows.map((row) => ({ ...row, cost: row.cost ?? costs.get(row.series.seriesId) ?? null }))
    return { ...state, positions: { rows, readAt: action.now, failure: null } }
  },
  'positions-failed': (state, { now, failure }: { now: number; failure: Failure }) => {
    const { rows = [], readAt = now } = state.positions ?? {}
    return { ...state, positions: { rows, readAt, failure } }
  },
  'history-read': (state, { history }: { history: WalletHistory }) => ({ ...state, history }),
  'history-failed': (state, { failure }: { failure: Failure }) => {
    const { trades = [], isComplete = false, csv = '' } = state.history ?? {}
    return { ...state, history: { trades, isComplete, csv, failure } }
  },
  'costs-read': (state, { costs }: { costs: ReadonlyMap<SeriesId, PositionCost> }) => {
    if (state.positions === null) return state
    const rows = state.positions.rows.map((row) => ({ ...row, cost: costs.get(row.series.seriesId) ?? row.cost }))
    return { ...state, positions: { ...state.positions, rows } }
  },
  'window-read': (state, { now, seriesId, prices }: { now: number; seriesId: SeriesId; prices: WindowPrices }) =>
    withWindow(state, seriesId, { prices, readAt: now, failure: null }),
  'window-failed': (state, { seriesId, failure }: { seriesId: SeriesId; failure: Failure }) => {
    const { prices = null, readAt = null } = state.windows[seriesId] ?? {}
    return withWindow(state, seriesId, { prices, readAt, failure })
  },
  /** Null removes the task. Those asked for last stay, and a running one always does. */
  'task-changed': (state, { key, task }: { key: TaskKey; task: Task | null }) => {
    const others = Object.entries(state.tasks).filter(([name]) => name !== key)
    const kept = task === null ? others : [...others, [key, task] as const]
    const over = Math.max(0, kept.length - MAX_TASKS)
    const dropped = new Set(kept.filter(([, each]) => each?.kind !== 'running').slice(0, over))
    return { ...state, tasks: Object.fromEntries(kept.filter((entry) => !dropped.has(entry))) }
  },
  'privacy-chosen': (state, { change }: { change: Partial<Privacy> }) => ({
    ...state,
    privacy: boundedPrivacy({ ...state.privacy, ...change }),
  }),
  /** Another page of this origin changed it, or an earlier one kept it. */
  'privacy-kept': (state, { privacy }: { privacy: Privacy }) => ({ ...state, privacy }),
  'notices-chosen': (state, { notices }: { notices: NoticeChoice }) => ({ ...state, notices }),
  'nothing-kept': (state) => ({ ...state, isForgetful: true }),
} satisfies Handlers<TradeState>

export function reduce(state: TradeState, action: TradeAction): TradeState {
  const next = reduceBy(handlers, state, action)
  return CHOICES.has(action.kind) ? { ...next, arrival: { kind: 'chosen' } } : next
}

/** A choice leaves the address that the page was opened at. */
const CHOICES: ReadonlySet<TradeAction['kind']> = new Set([
  'expiry-chosen',
  'option-chosen',
  'leg-set',
  'preset-chosen',
  'series-chosen',
  'legs-cleared',
  'trade-opened',
  'trade-shown',
  'position-shown',
  'ticket-shown',
] as const)

const marksOf = ({ series }: MarketSurface): Marks =>
  new Map(series.flatMap(({ seriesId, mark }) => (mark === null ? [] : [[seriesId, mark] as const])))

const withWallet = (state: TradeState, change: Partial<TradeState['wallet']>): TradeState => ({
  ...state,
  wallet: { ...state.wallet, ...change },
})

const addressOf = (standing: WalletStanding): string | null => (standing.kind === 'connected' ? standing.address : null)

/** The windows looked at last are kept. */
function withWindow(state: TradeState, seriesId: SeriesId, window: Window): TradeState {
  const others = Object.entries(state.windows).filter(([id]) => id !== seriesId)
  return { ...state, windows: { ...Object.fromEntries(others.slice(-(MAX_WINDOWS - 1))), [seriesId]: window } }
}
