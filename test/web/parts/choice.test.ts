import { expect, it } from 'vitest'
import { type Tab, tabAfter } from '../../../src/web/parts/Choice.tsx'

const TABS: readonly Tab<string>[] = ['one', 'two', 'three'].map((id) => ({ id, text: id }))

it('arrow keys move between tabs and around their ends, Home and End to these; other keys do nothing', () => {
  expect(tabAfter(TABS, 'one', 'ArrowRight')).toBe('two')
  expect(tabAfter(TABS, 'three', 'ArrowRight')).toBe('one')
  expect(tabAfter(TABS, 'one', 'ArrowLeft')).toBe('three')
  expect(tabAfter(TABS, 'two', 'Home')).toBe('one')
  expect(tabAfter(TABS, 'two', 'End')).toBe('three')
  expect(tabAfter(TABS, 'two', 'a')).toBeNull()
  expect(tabAfter([], 'two', 'End')).toBeNull()
})
