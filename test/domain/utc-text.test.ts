import { expect, test } from 'vitest'
import { utcText } from '../../src/domain/utc-text.ts'

test('a time in a sentence has no milliseconds, whether it was counted or kept as text', () => {
  expect(utcText(1_800_000_000_123)).toBe('2027-01-15T08:00:00Z')
  expect(utcText('2027-01-15T08:00:00.123Z')).toBe('2027-01-15T08:00:00Z')
  expect(utcText('long ago')).toBe('long ago')
})
