import { copyableId, rowIds, selectedRequest } from '../selectors.ts'
import type { DashboardState } from '../state.ts'
import type { Theme } from '../theme.ts'

export type Entry = readonly [name: string, text: string]

export const helpKeys = ({ medium }: Pick<Theme, 'medium'>): readonly Entry[] => [
  [medium === 'page' ? '1 to 6' : '1 to 6, tab', 'requests, makers, confirmations, settlement, events, health'],
  ['up down, j k', 'choose a row; page up, page down, g for the first, G for the last'],
  ['enter', 'the whole history of the chosen request; esc goes back'],
  ['/', 'show only the rows that contain a text; esc shows all again'],
  ['p', 'pause the view; the relay keeps running, p catches up'],
  [
    'y',
    `copy the id of the chosen row, if the ${medium === 'page' ? 'browser lets pages' : 'terminal lets programs'} copy`,
  ],
  ...(medium === 'page' ? [] : [['q, ctrl-c', 'quit; the dashboard is read-only, so nothing is lost'] as const]),
]

export const helpSigns = ({ glyphs }: Theme): readonly Entry[] => [
  [glyphs.busy, 'waits for someone, with a deadline'],
  [glyphs.good, 'went well'],
  [glyphs.bad, 'refused, missed, or down'],
  [glyphs.live, 'alive'],
  [glyphs.lost, 'over, away, or lost'],
  [glyphs.warning, 'needs a person'],
  [glyphs.best, 'the best quote: fewest misses, then best price, then first'],
  [`${glyphs.dot} ${glyphs.path}`, 'a quote, and the best price over time'],
]

export function keysNow(state: DashboardState, medium: Theme['medium']): readonly Entry[] {
  const quit: readonly Entry[] = medium === 'page' ? [] : [['q', 'quit']]
  if (state.link.kind === 'refused') return quit
  if (state.overlay === 'help') return [['esc', 'back'], ...quit]
  const pause: Entry = ['p', state.frozen === null ? 'pause' : 'resume']
  if (state.overlay === 'detail') return [['jk', 'scroll'], ['esc', 'back'], ['y', 'copy id'], pause, ...quit]
  const choose: readonly Entry[] = rowIds(state).length > 1 ? [['jk', 'choose']] : []
  const open: readonly Entry[] = selectedRequest(state) === null ? [] : [['enter', 'open']]
  if (state.filter !== '') return [['esc', 'all'], ['/', 'change'], ...choose, ...open, pause, ['?', 'help'], ...quit]
  return [
    ['1-6', 'view'],
    ...choose,
    ...open,
    ...(state.view === 'health' ? [] : ([['/', 'filter']] as const)),
    ...(copyableId(state) === null ? [] : ([['y', 'copy id']] as const)),
    pause,
    ['?', 'help'],
    ...quit,
  ]
}

export const TYPING_HINT = 'enter keeps it, esc restores what was shown'

export const filterText = ({ filter }: DashboardState): string | null => (filter === '' ? null : `only "${filter}"`)
