import type { KeyPress } from '../dashboard/keys.ts'

export type PageKey = {
  key: string
  isModified: boolean
  /** Tag of the focused element, in lower case; `row` for the button of a row. */
  focused: string
}

const NAMES: Readonly<Record<string, KeyPress['name']>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  PageUp: 'pageUp',
  PageDown: 'pageDown',
  Enter: 'enter',
  Escape: 'escape',
}

const TYPED_INTO = new Set(['input', 'textarea', 'select'])
const PRESSED = new Set(['a', 'button', 'summary'])

/**
 * Null for a key that is the browser's: one with a modifier, any while something is typed, Tab, which moves the focus,
 * and `q`, for a page is closed by its tab.
 */
export function pressOf({ key, isModified, focused }: PageKey): KeyPress | null {
  if (isModified || TYPED_INTO.has(focused) || key === 'q') return null
  const name = NAMES[key] ?? null
  if (name === 'enter' && PRESSED.has(focused)) return null
  if (name === null && [...key].length !== 1) return null
  return { text: name === null ? key : '', name, isCtrl: false }
}
