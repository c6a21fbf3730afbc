import type { ConnectionState, OperatorEvent } from '@rfqctl/client/index'
import type { Clock } from '@rfqctl/lib/clock'
import { afterLoss, CONNECTING, type Link } from '../link.ts'
import { type ActionOf, createStore, type Handlers, reduceBy, type Store } from '../store.ts'
import { afterEvents, EMPTY_MARKET, type Market } from './market.ts'

/** In the order of their keys 1 to 6. */
export const VIEWS = ['requests', 'makers', 'confirmations', 'settlement', 'events', 'health'] as const

export type ViewName = (typeof VIEWS)[number]

/** A relay that refused is not asked again. */
export type DashboardLink = Link<string> | { kind: 'refused'; isUnauthorised: boolean; reason: string }

export type Overlay = 'none' | 'detail' | 'help'

/** All that the screen shows, apart from its size. Times are Unix milliseconds. */
export type DashboardState = {
  link: DashboardLink
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

export type Action = ActionOf<DashboardState, typeof handlers>

const NOTICE_MS = 4_000

export const initialState = (at: number, view: ViewName = 'requests'): DashboardState => ({
  link: CONNECTING,
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

const handlers = {
  events: (state, { events, at }: { events: readonly OperatorEvent[]; at: number }) => {
    const connected = events.findLast((event) => event.kind === 'connected')
    return {
      ...state,
      link: { kind: 'live' },
      localNow: at,
      aheadMs: connected === undefined ? state.aheadMs : connected.serverTime - at,
      market: afterEvents(state.market, events),
      eventCount: state.eventCount + events.filter(({ kind }) => kind === 'happened').length,
    }
  },
  /** An opened connection counts only from its first event; unreadable events are skipped. */
  link: (state, { state: news, at }: { state: ConnectionState; at: number }) => {
    if (news.kind !== 'lost') return state
    const retryAt = at + news.retryInMs
    const link = state.link.kind === 'refused' ? CONNECTING : state.link
    return { ...state, localNow: at, link: afterLoss(link, { at, retryAt, reason: news.error.message }) }
  },
  refused: (state, { isUnauthorised, reason }: { isUnauthorised: boolean; reason: string }) => ({
    ...state,
    link: { kind: 'refused', isUnauthorised, reason },
  }),
  tick: (state, { at }: { at: number }) => {
    const isOver = state.notice !== null && at >= state.notice.until
    return { ...state, localNow: at, notice: isOver ? null : state.notice }
  },
  view: (state, { view }: { view: ViewName }) => ({ ...state, view, overlay: 'none', scroll: 0, filter: '' }),
  overlay: (state, { overlay }: { overlay: Overlay }) => ({ ...state, overlay, scroll: 0 }),
  select: (state, { id }: { id: string }) => ({ ...state, selected: { ...state.selected, [state.view]: id } }),
  scroll: (state, { to }: { to: number }) => ({ ...state, scroll: Math.max(0, to) }),
  pause: (state) => {
    const { market, eventCount } = state
    return { ...state, frozen: state.frozen === null ? { market, eventCount, now: relayNow(state) } : null }
  },
  type: (state, { text }: { text: string | null }) => ({ ...state, typing: text }),
  filter: (state, { text }: { text: string }) => ({ ...state, filter: text, typing: null, scroll: 0 }),
  notice: (state, { text }: { text: string }) => ({ ...state, notice: { text, until: state.localNow + NOTICE_MS } }),
} satisfies Handlers<DashboardState>

export const reduce = (state: DashboardState, action: Action): DashboardState => reduceBy(handlers, state, action)

export type DashboardStore = Store<DashboardState, Action>

/** Shortest intervals of drawings, milliseconds: `relayMs` for the relay's events, `keyMs` for keys and the link. */
export type Pace = { relayMs: number; keyMs: number }

export const createDashboardStore = ({
  view,
  clock,
  pace,
}: {
  view?: ViewName
  clock: Clock
  pace: Pace
}): DashboardStore =>
  createStore({
    initial: initialState(clock.now(), view),
    reduce,
    clock,
    waitMs: ({ kind }, before, after) =>
      OF_RELAY.has(kind) && after.link.kind === before.link.kind ? pace.relayMs : pace.keyMs,
  })

const OF_RELAY: ReadonlySet<Action['kind']> = new Set(['events', 'tick', 'link', 'refused'] as const)

export const shownMarket = ({ frozen, market }: DashboardState): Market => frozen?.market ?? market

export const shownFilter = ({ typing, filter }: DashboardState): string => typing ?? filter

/** The relay's time as shown: it stops while the relay is lost or the dashboard paused. */
export const shownNow = (state: DashboardState): number => state.frozen?.now ?? relayNow(state)

export const behind = ({ frozen, eventCount }: DashboardState): number =>
  frozen === null ? 0 : eventCount - frozen.eventCount

const relayNow = ({ link, localNow, aheadMs }: DashboardState): number =>
  (link.kind === 'lost' ? link.since : localNow) + aheadMs
