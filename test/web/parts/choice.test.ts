import { expect, it } from 'vitest'
import { type Tab, tabAfter } from '../../../src/web/parts/Choice.tsx'
import { countdownText } from '../../../src/web/parts/Countdown.tsx'

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

it('time that is left has tenths of a second at its end only', () => {
  expect([9_999, 1_250, 0].map(countdownText)).toEqual(['9.9s', '1.2s', '0.0s'])
  expect([10_000, 95_000].map(countdownText)).toEqual(['10s', '1m 35s'])
})
