import type { KeyPress } from '../dashboard/keys.ts'

/** What is known of a key on a page: which it is, and what has the focus. */
export type PageKey = {
  key: string
  isModified: boolean
  /** The tag of the element that has the focus, in lower case; `row` for the button of a row. */
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

/** Elements that take the keys themselves. */
const TYPED_INTO = new Set(['input', 'textarea', 'select'])
/** Elements that Enter presses. */
const PRESSED = new Set(['a', 'button', 'summary'])

/**
 * A key of a page as the dashboard knows it; null for one that is the browser's: with a modifier, while something is typed,
 * the tab key, which moves the focus, and `q`, for a page is closed by its tab.
 */
export function pressOf({ key, isModified, focused }: PageKey): KeyPress | null {
  if (isModified || TYPED_INTO.has(focused) || key === 'q') return null
  const name = NAMES[key] ?? null
  if (name === 'enter' && PRESSED.has(focused)) return null
  if (name === null && [...key].length !== 1) return null
  return { text: name === null ? key : '', name, isCtrl: false }
}
