import type { ConnectionState, OperatorEvent } from '@rfqctl/client/index'
import { afterEvents, EMPTY_MARKET, type Market } from './market.ts'

/** In the order of their keys 1 to 6. */
export const VIEWS = ['requests', 'makers', 'confirmations', 'settlement', 'events', 'health'] as const

export type ViewName = (typeof VIEWS)[number]

/** Times are Unix milliseconds of this machine. */
export type Link =
  | { kind: 'connecting'; retryAt: number | null; attempts: number; reason: string | null }
  | { kind: 'live' }
  | { kind: 'lost'; since: number; retryAt: number; reason: string }
  | { kind: 'refused'; isUnauthorised: boolean; reason: string }

export type Overlay = 'none' | 'detail' | 'help'

/** All that the screen shows, apart from its size. Times are Unix milliseconds. */
export type DashboardState = {
  link: Link
  market: Market
  frozen: { market: Market; now: number; eventCount: number } | null
  eventCount: number
  /** This machine's time; the relay's clock is `aheadMs` ahead of it. */
  localNow: number
  aheadMs: number
  view: ViewName
  overlay: Overlay
  selected: Readonly<Partial<Record<ViewName, string>>>
  scroll: number
  filter: string
  /** The filter being typed, which overrides the kept one; null when none is. */
  typing: string | null
  notice: { text: string; until: number } | null
}

export type Action =
  | { kind: 'events'; events: readonly OperatorEvent[]; at: number }
  | { kind: 'link'; state: ConnectionState; at: number }
  | { kind: 'refused'; isUnauthorised: boolean; reason: string }
  | { kind: 'tick'; at: number }
  | { kind: 'view'; view: ViewName }
  | { kind: 'overlay'; overlay: Overlay }
  | { kind: 'select'; id: string }
  | { kind: 'scroll'; to: number }
  | { kind: 'pause' }
  | { kind: 'type'; text: string | null }
  | { kind: 'filter'; text: string }
  | { kind: 'notice'; text: string }

const NOTICE_MS = 4_000

export const initialState = (at: number, view: ViewName = 'requests'): DashboardState => ({
  link: { kind: 'connecting', retryAt: null, attempts: 0, reason: null },
  market: EMPTY_MARKET,
  frozen: null,
  eventCount: 0,
  localNow: at,
  aheadMs: 0,
  view,
  overlay: 'none',
  selected: {},
  scroll: 0,
  filter: '',
  typing: null,
  notice: null,
})

export function reduce(state: DashboardState, action: Action): DashboardState {
  switch (action.kind) {
    case 'events':
      return afterOperatorEvents(state, action.events, action.at)
    case 'link':
      return afterLink(state, action.state, action.at)
    case 'refused':
      return { ...state, link: action }
    case 'tick': {
      const isOver = state.notice !== null && action.at >= state.notice.until
      return { ...state, localNow: action.at, notice: isOver ? null : state.notice }
    }
    case 'view':
      return { ...state, view: action.view, overlay: 'none', scroll: 0, filter: '' }
    case 'overlay':
      return { ...state, overlay: action.overlay, scroll: 0 }
    case 'select':
      return { ...state, selected: { ...state.selected, [state.view]: action.id } }
    case 'scroll':
      return { ...state, scroll: Math.max(0, action.to) }
    case 'pause': {
      const { market, eventCount } = state
      return { ...state, frozen: state.frozen === null ? { market, eventCount, now: relayNow(state) } : null }
    }
    case 'type':
      return { ...state, typing: action.text }
    case 'filter':
      return { ...state, filter: action.text, typing: null, scroll: 0 }
    case 'notice':
      return { ...state, notice: { text: action.text, until: state.localNow + NOTICE_MS } }
  }
}

export const shownMarket = ({ frozen, market }: DashboardState): Market => frozen?.market ?? market

export const shownFilter = ({ typing, filter }: DashboardState): string => typing ?? filter

/** The relay's time as shown: it stops while the relay is lost or the dashboard paused. */
export function shownNow(state: DashboardState): number {
  return state.frozen?.now ?? relayNow(state)
}

export const behind = ({ frozen, eventCount }: DashboardState): number =>
  frozen === null ? 0 : eventCount - frozen.eventCount

const relayNow = ({ link, localNow, aheadMs }: DashboardState): number =>
  (link.kind === 'lost' ? link.since : localNow) + aheadMs

function afterOperatorEvents(state: DashboardState, events: readonly OperatorEvent[], at: number): DashboardState {
  const connected = events.findLast((event) => event.kind === 'connected')
  return {
    ...state,
    link: { kind: 'live' },
    localNow: at,
    aheadMs: connected === undefined ? state.aheadMs : connected.serverTime - at,
    market: afterEvents(state.market, events),
    eventCount: state.eventCount + events.filter(({ kind }) => kind === 'happened').length,
  }
}

/** An opened connection counts only from its first event; unreadable events are skipped. */
function afterLink(state: DashboardState, news: ConnectionState, at: number): DashboardState {
  if (news.kind !== 'lost') return state
  const retryAt = at + news.retryInMs
  const reason = news.error.message
  return { ...state, localNow: at, link: afterLoss(state.link, { at, retryAt, reason }) }
}

function afterLoss(link: Link, { at, retryAt, reason }: { at: number; retryAt: number; reason: string }): Link {
  if (link.kind === 'live') return { kind: 'lost', since: at, retryAt, reason }
  if (link.kind === 'lost') return { ...link, retryAt, reason }
  return { kind: 'connecting', retryAt, reason, attempts: link.kind === 'connecting' ? link.attempts + 1 : 1 }
}
