import { type DashboardState, reduce, type ViewName } from '../../src/web/dashboard/state.ts'
import { BUSY, connected, happened, idOf, makerOf, opened, quoted } from '../dashboard/scene.ts'
import { SCREENS } from '../dashboard/screens.ts'

const after = (state: DashboardState, ...actions: Parameters<typeof reduce>[1][]): DashboardState =>
  actions.reduce(reduce, state)

/** More requests than are drawn at a time. */
const MANY = Array.from({ length: 130 }, (_, i) => opened(1_000 + i, 200_000 - i * 1_000))

/** What strangers may call themselves, and what they may ask. */
const HOSTILE_NAME = '<script>alert(1)</script>'

const HOSTILE = [
  ...BUSY,
  makerOf(HOSTILE_NAME),
  quoted(2, 1_000, HOSTILE_NAME, 139_000n),
  happened(2, 900, { kind: 'quote_refused', makerId: HOSTILE_NAME, code: 'quote_invalid', detail: '"><img src=x>' }),
]

/** Makers in every standing that there is. */
const STANDINGS = [
  ...BUSY,
  makerOf('maker-5', { suspendedUntil: Number.MAX_SAFE_INTEGER, missed: 9, score: 12 }),
  makerOf('maker-6', { demotedUntil: Number.MAX_SAFE_INTEGER, missed: 3, score: 61 }),
]

const FIRM = [...BUSY, happened(2, 500, { kind: 'quote_sealed', makerId: 'maker-2', quoteId: 'maker-2-2' })]

const detailOf = (number: number, view: ViewName = 'requests'): DashboardState =>
  after(connected(BUSY, { view }), { kind: 'select', id: idOf(number) }, { kind: 'overlay', overlay: 'detail' })

/** Every state that the operator's page is drawn in, by its name: those of the terminal, and what only a page has. */
export const OPERATE_STATES: Readonly<Record<string, DashboardState>> = {
  ...SCREENS,
  'many requests': connected([...BUSY, ...MANY]),
  'many requests, the second page': after(connected([...BUSY, ...MANY]), { kind: 'select', id: idOf(1_070) }),
  'a committed request': detailOf(1),
  'a cancelled request': detailOf(3),
  'a firm quote': connected(FIRM),
  'a suspended maker chosen': after(connected(STANDINGS, { view: 'makers' }), { kind: 'select', id: 'maker-5' }),
  'a demoted maker chosen': after(connected(STANDINGS, { view: 'makers' }), { kind: 'select', id: 'maker-6' }),
  'hostile texts': connected(HOSTILE),
}
