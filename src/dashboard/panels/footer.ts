import { fitLine, type Line, line, type Span, span } from '../line.ts'
import { copyableId, rowIds, selectedRequest } from '../selectors.ts'
import type { DashboardState } from '../state.ts'
import type { Theme } from '../theme.ts'

/** The last line: only the keys that do something now; while a filter is typed, the filter; else a notice. */
export function drawFooter(state: DashboardState, { glyphs }: Theme, width: number): Line {
  if (state.typing !== null) {
    const keys = span('   enter keeps it, esc restores what was shown', 'faint')
    return fitLine(
      line(span(' / ', 'title'), span(state.typing, 'strong'), span('_', 'busy'), keys),
      width,
      glyphs.ellipsis,
    )
  }
  if (state.notice !== null) return fitLine(line(span(` ${state.notice.text}`, 'good')), width, glyphs.ellipsis)
  const keys = keysNow(state).flatMap(([key, does]): Span[] => [span(` ${key} `, 'title'), span(`${does} `)])
  const filter = state.filter === '' ? [] : [span(` only "${state.filter}" `, 'busy')]
  return fitLine([...filter, ...keys], width, glyphs.ellipsis)
}

/** The keys that do something in a state, the most useful first. */
function keysNow(state: DashboardState): readonly (readonly [key: string, does: string])[] {
  if (state.link.kind === 'refused') return [['q', 'quit']]
  if (state.overlay === 'help')
    return [
      ['esc', 'back'],
      ['q', 'quit'],
    ]
  const pause = ['p', state.frozen === null ? 'pause' : 'resume'] as const
  if (state.overlay === 'detail') return [['jk', 'scroll'], ['esc', 'back'], ['y', 'copy id'], pause, ['q', 'quit']]
  const rows = rowIds(state).length
  const choose = rows > 1 ? ([['jk', 'choose']] as const) : []
  const open = selectedRequest(state) === null ? [] : ([['enter', 'open']] as const)
  if (state.filter !== '')
    return [['esc', 'all'], ['/', 'change'], ...choose, ...open, pause, ['?', 'help'], ['q', 'quit']]
  return [
    ['1-6', 'view'],
    ...choose,
    ...open,
    ...(state.view === 'health' ? [] : ([['/', 'filter']] as const)),
    ...(copyableId(state) === null ? [] : ([['y', 'copy id']] as const)),
    pause,
    ['?', 'help'],
    ['q', 'quit'],
  ]
}
