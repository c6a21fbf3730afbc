import { RelayUnreachableError } from '../../src/client/errors.ts'
import type { OperatorEvent } from '../../src/client/index.ts'
import type { AuthorityRecord } from '../../src/protocol/domain/authority.ts'
import type { ResolutionBps } from '../../src/protocol/domain/units.ts'
import { type Action, type DashboardState, initialState, reduce, VIEWS } from '../../src/web/dashboard/state.ts'
import { BOTH_SIDES, BUSY, connected, healthOf, idOf, NOON, opened, SOLD, seriesOf } from './scene.ts'

const LOCAL = NOON - 250

const error = new RelayUnreachableError('http://127.0.0.1:8787/ops/v1/events', { reason: 'ECONNREFUSED' })
const lost = (at: number): Action => ({ kind: 'link', state: { kind: 'lost', error, retryInMs: 1_400 }, at })
const tick = (at: number): Action => ({ kind: 'tick', at })
const from = (state: DashboardState, ...actions: Action[]): DashboardState => actions.reduce(reduce, state)
const health = (events: ReturnType<typeof healthOf>): Action => ({ kind: 'events', events: [events], at: LOCAL })

const DOWN = { state: 'down', tookMs: 2_000, detail: 'The chain cannot be read.' } as const

const ACCOUNT = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const PROPOSED_AT = NOON / 1_000 + 259_200

const AUTHORITY: AuthorityRecord = {
  roles: [
    { role: 'owner', holder: ACCOUNT, proposed: null },
    { role: 'guardian', holder: ACCOUNT, proposed: null },
    {
      role: 'resolution_signer',
      holder: null,
      proposed: { account: ACCOUNT, acceptableAt: PROPOSED_AT, lapsesAt: PROPOSED_AT + 604_800 },
    },
    { role: 'registrar', holder: ACCOUNT, proposed: null },
  ],
  events: [
    {
      kind: 'role_proposed',
      blockNumber: 1_200,
      transactionHash: `0x${'ab'.repeat(32)}`,
      role: 'resolution_signer',
      account: ACCOUNT,
      seriesId: null,
      resolutionBps: null,
      effectiveAt: PROPOSED_AT,
    },
  ],
}

const settledSeries = seriesOf(1, {
  expiresInS: -600,
  phase: 'settled',
  resolution: { resolutionBps: 59 as ResolutionBps, method: 'twap' },
})
const vetoedSeries = seriesOf(2, { expiresInS: -1_200, phase: 'due' })
const withDispute = (event: OperatorEvent, dispute: { finalAt?: number; vetoed?: boolean }): OperatorEvent =>
  event.kind === 'series'
    ? { ...event, progress: { ...event.progress, series: { ...event.progress.series, ...dispute } } }
    : event
const DISPUTED = withDispute(settledSeries, { finalAt: NOON / 1_000 + 3_000 })
const VETOED = withDispute(vetoedSeries, { vetoed: true })

/** Every view and every state that the dashboard can be in, by its name. */
export const SCREENS: Readonly<Record<string, DashboardState>> = {
  ...Object.fromEntries(VIEWS.map((view) => [view, connected(BUSY, { view })])),
  'a request': from(connected(), { kind: 'overlay', overlay: 'detail' }),
  'a request, scrolled': from(connected(), { kind: 'overlay', overlay: 'detail' }, { kind: 'scroll', to: 4 }),
  'another request chosen': from(connected(), { kind: 'select', id: idOf(4) }),
  'a committed request chosen': from(connected(), { kind: 'select', id: idOf(1) }),
  'both sides': from(connected(BOTH_SIDES), { kind: 'select', id: idOf(2) }),
  'both sides, a sale': from(connected(SOLD), { kind: 'select', id: idOf(2) }),
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
  'a proposed signer': from(connected(BUSY, { view: 'health' }), {
    kind: 'events',
    events: [{ kind: 'authority', authority: AUTHORITY }],
    at: LOCAL,
  }),
  'a price in its dispute window': from(connected([], { view: 'settlement' }), {
    kind: 'events',
    events: [DISPUTED, VETOED],
    at: LOCAL,
  }),
  'typing a filter': from(connected(), { kind: 'type', text: 'zür' }),
  'a filter': from(connected(), { kind: 'filter', text: 'zür' }),
  'a filter that nothing matches': from(connected(), { kind: 'filter', text: 'nothing like it' }),
  copied: from(connected(), { kind: 'notice', text: `sent to the clipboard: ${idOf(2)}` }),
  ...Object.fromEntries(VIEWS.map((view) => [`${view}, empty`, connected([], { view })])),
}
