import type { ListedSeries, MarketSummary, PositionCost, SeriesId, WindowPrices } from '@rfqctl/client/index'
import type { Environment, WalletOffer } from './ports.ts'
import { reduceTicket, type TicketAction, withDefaults } from './reduce-ticket.ts'
import { expireTrades, reduceTrades, type TradesAction } from './reduce-trades.ts'
import {
  type Funds,
  MAX_TASKS,
  MAX_WINDOWS,
  type PositionEntry,
  type Task,
  type TaskKey,
  type TradeState,
  type WalletStanding,
} from './state.ts'
import type { Failure } from './trade-record.ts'

export type TradeAction =
  | TicketAction
  | TradesAction
  | { kind: 'ticked'; now: number }
  /** Unix milliseconds: the page's clock, and the relay's and the chain's at that moment. */
  | { kind: 'clocks-read'; now: number; relay: number; chain: number | null }
  | { kind: 'relay-answered' }
  | { kind: 'relay-failed'; now: number; retryAt: number; failure: Failure }
  | { kind: 'environment-read'; environment: Environment }
  | { kind: 'market-read'; markets: readonly MarketSummary[]; series?: readonly ListedSeries[] }
  | { kind: 'series-read'; series: ListedSeries }
  | { kind: 'wallet-offered'; offer: WalletOffer }
  | { kind: 'wallet-stands'; standing: WalletStanding }
  | { kind: 'wallet-failed'; failure: Failure | null }
  | { kind: 'funds-read'; funds: Funds | null }
  | { kind: 'positions-read'; now: number; rows: readonly PositionEntry[] }
  | { kind: 'positions-failed'; now: number; failure: Failure }
  | { kind: 'costs-read'; costs: ReadonlyMap<SeriesId, PositionCost> }
  | { kind: 'window-read'; now: number; seriesId: SeriesId; prices: WindowPrices }
  | { kind: 'window-failed'; seriesId: SeriesId; failure: Failure }
  /** Null removes the task. */
  | { kind: 'task-changed'; key: TaskKey; task: Task | null }
  | { kind: 'nothing-kept' }

const MAX_OFFERS = 20

export function reduce(state: TradeState, action: TradeAction): TradeState {
  switch (action.kind) {
    case 'ticked':
      return expireTrades({ ...state, now: action.now })
    case 'clocks-read':
      return expireTrades(withClocks(state, action))
    case 'relay-answered':
      return state.link.kind === 'live' ? state : { ...state, link: { kind: 'live' } }
    case 'relay-failed':
      return withLost(state, action)
    case 'environment-read':
      return { ...state, environment: action.environment }
    case 'market-read':
      return withDefaults({ ...state, markets: action.markets, series: action.series ?? state.series })
    case 'series-read':
      return { ...state, series: withSeries(state.series, action.series) }
    case 'wallet-offered':
    case 'wallet-stands':
    case 'wallet-failed':
    case 'funds-read':
      return reduceWallet(state, action)
    case 'positions-read':
    case 'positions-failed':
    case 'costs-read':
    case 'window-read':
    case 'window-failed':
      return reducePositions(state, action)
    case 'task-changed':
      return { ...state, tasks: withTask(state.tasks, action) }
    case 'nothing-kept':
      return { ...state, isForgetful: true }
    default:
      return isTicket(action) ? reduceTicket(state, action) : reduceTrades(state, action)
  }
}

const TICKET_KINDS: readonly string[] = [
  'market-chosen',
  'expiry-chosen',
  'option-chosen',
  'leg-set',
  'preset-chosen',
  'series-chosen',
  'legs-cleared',
  'ticket-edited',
] satisfies TicketAction['kind'][]

const isTicket = (action: TicketAction | TradesAction): action is TicketAction => TICKET_KINDS.includes(action.kind)

const withClocks = (
  state: TradeState,
  { now, relay, chain }: { now: number; relay: number; chain: number | null },
): TradeState => ({
  ...state,
  now,
  relayOffsetMs: relay - now,
  chainOffsetMs: chain === null ? state.chainOffsetMs : chain - now,
})

/** Before the first answer there is nothing to dim. */
function withLost(
  state: TradeState,
  { now, retryAt, failure }: { now: number; retryAt: number; failure: Failure },
): TradeState {
  if (state.link.kind === 'connecting') return { ...state, now, link: { kind: 'connecting', failure, retryAt } }
  const since = state.link.kind === 'lost' ? state.link.since : now
  return { ...state, now, link: { kind: 'lost', since, retryAt, failure } }
}

function withSeries(series: readonly ListedSeries[] | null, one: ListedSeries): readonly ListedSeries[] {
  const others = (series ?? []).filter(({ seriesId }) => seriesId !== one.seriesId)
  return [...others, one]
}

function reduceWallet(
  state: TradeState,
  action: Extract<TradeAction, { kind: 'wallet-offered' | 'wallet-stands' | 'wallet-failed' | 'funds-read' }>,
): TradeState {
  const { wallet } = state
  if (action.kind === 'wallet-offered') {
    const others = wallet.offers.filter(({ id }) => id !== action.offer.id)
    return { ...state, wallet: { ...wallet, offers: [...others, action.offer].slice(0, MAX_OFFERS) } }
  }
  if (action.kind === 'wallet-failed') return { ...state, wallet: { ...wallet, failure: action.failure } }
  if (action.kind === 'funds-read') return { ...state, wallet: { ...wallet, funds: action.funds } }
  const { standing } = action
  const isSame = addressOf(wallet.standing) === addressOf(standing)
  // Another account's holdings are not this one's.
  return isSame
    ? { ...state, wallet: { ...wallet, standing } }
    : { ...state, wallet: { ...wallet, standing, funds: null, failure: null }, positions: null }
}

const addressOf = (standing: WalletStanding): string | null => (standing.kind === 'connected' ? standing.address : null)

function reducePositions(
  state: TradeState,
  action: Extract<
    TradeAction,
    { kind: 'positions-read' | 'positions-failed' | 'costs-read' | 'window-read' | 'window-failed' }
  >,
): TradeState {
  const { positions, windows } = state
  switch (action.kind) {
    case 'positions-read': {
      const costs = new Map(positions?.rows.map(({ series, cost }) => [series.seriesId, cost]))
      const rows = action.rows.map((row) => ({ ...row, cost: row.cost ?? costs.get(row.series.seriesId) ?? null }))
      return { ...state, positions: { rows, readAt: action.now, failure: null } }
    }
    case 'positions-failed':
      return {
        ...state,
        positions: { rows: positions?.rows ?? [], readAt: positions?.readAt ?? action.now, failure: action.failure },
      }
    case 'costs-read': {
      if (positions === null) return state
      const rows = positions.rows.map((row) => ({ ...row, cost: action.costs.get(row.series.seriesId) ?? row.cost }))
      return { ...state, positions: { ...positions, rows } }
    }
    case 'window-read':
      return {
        ...state,
        windows: newest(windows, action.seriesId, { prices: action.prices, readAt: action.now, failure: null }),
      }
    case 'window-failed': {
      const { prices = null, readAt = null } = windows[action.seriesId] ?? {}
      return { ...state, windows: newest(windows, action.seriesId, { prices, readAt, failure: action.failure }) }
    }
  }
}

/** The windows looked at last. */
function newest(
  windows: TradeState['windows'],
  seriesId: SeriesId,
  window: TradeState['windows'][string],
): TradeState['windows'] {
  const others = Object.entries(windows).filter(([id]) => id !== seriesId)
  return { ...Object.fromEntries(others.slice(-(MAX_WINDOWS - 1))), [seriesId]: window }
}

/** The tasks asked for last; a running one is never dropped. */
function withTask(tasks: TradeState['tasks'], { key, task }: { key: TaskKey; task: Task | null }): TradeState['tasks'] {
  const others = Object.entries(tasks).filter(([name]) => name !== key)
  const kept = task === null ? others : [...others, [key, task] as const]
  const over = Math.max(0, kept.length - MAX_TASKS)
  const dropped = new Set(kept.filter(([, each]) => each?.kind !== 'running').slice(0, over))
  return Object.fromEntries(kept.filter((entry) => !dropped.has(entry)))
}
