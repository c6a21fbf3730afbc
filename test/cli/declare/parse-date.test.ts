import { expect, test } from 'vitest'
import { parseDate } from '../../../src/cli/declare/parse.ts'

test('a day is the second at which it begins in UTC, and one that no calendar has is refused', () => {
  expect(parseDate('2026-01-31')).toBe(1_769_817_600)
  for (const text of ['2026-02-30', '2026-13-01', '2026-1-1', '2026-01', '30d', ''])
    expect(() => parseDate(text)).toThrow('Expected a day such as 2026-01-31.')
})
