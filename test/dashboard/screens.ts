import { RelayUnreachableError } from '../../src/client/errors.ts'
import { type Action, type DashboardState, initialState, reduce, VIEWS } from '../../src/dashboard/state.ts'
import { BUSY, connected, healthOf, idOf, NOON, opened } from './scene.ts'

const LOCAL = NOON - 250

const error = new RelayUnreachableError('http://127.0.0.1:8787/ops/v1/events', { reason: 'ECONNREFUSED' })
const lost = (at: number): Action => ({ kind: 'link', state: { kind: 'lost', error, retryInMs: 1_400 }, at })
const tick = (at: number): Action => ({ kind: 'tick', at })
const from = (state: DashboardState, ...actions: Action[]): DashboardState => actions.reduce(reduce, state)
const health = (events: ReturnType<typeof healthOf>): Action => ({ kind: 'events', events: [events], at: LOCAL })

const DOWN = { state: 'down', tookMs: 2_000, detail: 'The chain cannot be read.' } as const

/** Every view and every state that the dashboard can be in, by its name. */
export const SCREENS: Readonly<Record<string, DashboardState>> = {
  ...Object.fromEntries(VIEWS.map((view) => [view, connected(BUSY, { view })])),
  'a request': from(connected(), { kind: 'overlay', overlay: 'detail' }),
  'a request, scrolled': from(connected(), { kind: 'overlay', overlay: 'detail' }, { kind: 'scroll', to: 4 }),
  'another request chosen': from(connected(), { kind: 'select', id: idOf(4) }),
  'a committed request chosen': from(connected(), { kind: 'select', id: idOf(1) }),
  'another maker chosen': from(connected(BUSY, { view: 'makers' }), { kind: 'select', id: 'maker-4' }),
  help: from(connected(), { kind: 'overlay', overlay: 'help' }),
  connecting: initialState(LOCAL),
  'connecting, no answer': from(initialState(LOCAL), lost(LOCAL), lost(LOCAL + 900), tick(LOCAL + 1_300)),
  unauthorised: from(initialState(LOCAL), {
    kind: 'refused',
    isUnauthorised: true,
    reason: 'The operator token is missing or not valid.',
  }),
  refused: from(initialState(LOCAL), {
    kind: 'refused',
    isUnauthorised: false,
    reason: 'Too many connections are open.',
  }),
  lost: from(connected(), lost(LOCAL + 2_000), tick(LOCAL + 14_500), lost(LOCAL + 14_600), tick(LOCAL + 15_000)),
  simulated: connected(BUSY, { mode: 'simulated' }),
  paused: from(
    connected(),
    { kind: 'pause' },
    { kind: 'events', events: [opened(8, 0), opened(10, 0)], at: LOCAL + 9_000 },
  ),
  'not ready': from(
    connected(BUSY, { view: 'health' }),
    health(
      healthOf({
        isReady: false,
        head: null,
        parts: {
          store: { state: 'up', tookMs: 0, detail: null },
          bus: { state: 'up', tookMs: 0, detail: null },
          chain: DOWN,
        },
        droppedSlow: 3,
        eventLoopLagMs: 87.5,
      }),
    ),
  ),
  'typing a filter': from(connected(), { kind: 'type', text: 'zür' }),
  'a filter': from(connected(), { kind: 'filter', text: 'zür' }),
  'a filter that nothing matches': from(connected(), { kind: 'filter', text: 'nothing like it' }),
  copied: from(connected(), { kind: 'notice', text: `sent to the clipboard: ${idOf(2)}` }),
  ...Object.fromEntries(VIEWS.map((view) => [`${view}, empty`, connected([], { view })])),
}
