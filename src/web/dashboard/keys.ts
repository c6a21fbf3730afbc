import { copyableId, rowIds, selectedIndex, selectedRequest } from './selectors.ts'
import { type Action, type DashboardState, VIEWS } from './state.ts'

/** Printable text, or the name of a key that has none. */
export type KeyPress = {
  text: string
  name: 'up' | 'down' | 'pageUp' | 'pageDown' | 'enter' | 'escape' | 'tab' | 'backspace' | null
  isCtrl: boolean
}

export type Command = { kind: 'act'; action: Action } | { kind: 'copy'; id: string } | { kind: 'quit' }

const PAGE = 10

export function commandOf(state: DashboardState, press: KeyPress): Command | null {
  if (press.isCtrl) return press.text === 'c' ? { kind: 'quit' } : null
  if (state.typing !== null) return act(typed(state.typing, press))
  if (press.text === 'q') return { kind: 'quit' }
  if (state.link.kind === 'refused') return null
  if (press.text === 'y') {
    const id = copyableId(state)
    return id === null ? null : { kind: 'copy', id }
  }
  return act(pressed(state, press))
}

const act = (action: Action | null): Command | null => (action === null ? null : { kind: 'act', action })

function typed(text: string, { name, text: added }: KeyPress): Action | null {
  if (name === 'enter') return { kind: 'filter', text }
  if (name === 'escape') return { kind: 'type', text: null }
  if (name === 'backspace') return { kind: 'type', text: [...text].slice(0, -1).join('') }
  return name === null && added !== '' ? { kind: 'type', text: text + added } : null
}

function pressed(state: DashboardState, { text, name }: KeyPress): Action | null {
  const view = VIEWS[Number(text) - 1]
  if (text !== '' && view !== undefined) return { kind: 'view', view }
  if (name === 'tab') return { kind: 'view', view: VIEWS[(VIEWS.indexOf(state.view) + 1) % VIEWS.length] ?? 'requests' }
  if (name === 'escape') return back(state)
  if (text === '?') return { kind: 'overlay', overlay: state.overlay === 'help' ? 'none' : 'help' }
  if (text === 'p') return { kind: 'pause' }
  if (text === '/') return { kind: 'type', text: state.filter }
  if (name === 'enter') return selectedRequest(state) === null ? null : { kind: 'overlay', overlay: 'detail' }
  return moved(state, text, name)
}

function back({ overlay, filter }: DashboardState): Action | null {
  if (overlay !== 'none') return { kind: 'overlay', overlay: 'none' }
  return filter === '' ? null : { kind: 'filter', text: '' }
}

function moved(state: DashboardState, text: string, name: KeyPress['name']): Action | null {
  const step = stepOf(text, name)
  if (step === null || state.overlay === 'help') return null
  if (state.overlay === 'detail') return { kind: 'scroll', to: state.scroll + step }
  const ids = rowIds(state)
  const index = selectedIndex(ids, state.selected[state.view]) + step
  const id = ids[Math.max(0, Math.min(ids.length - 1, index))]
  return id === undefined ? null : { kind: 'select', id }
}

function stepOf(text: string, name: KeyPress['name']): number | null {
  if (name === 'up' || text === 'k') return -1
  if (name === 'down' || text === 'j') return 1
  if (name === 'pageUp') return -PAGE
  if (name === 'pageDown') return PAGE
  if (text === 'g') return -Number.MAX_SAFE_INTEGER
  return text === 'G' ? Number.MAX_SAFE_INTEGER : null
}
