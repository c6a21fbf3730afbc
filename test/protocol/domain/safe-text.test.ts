import { expect, test } from 'vitest'
import { isPlainText, safeText, storableText, utcText } from '../../../src/protocol/domain/safe-text.ts'

test('text of strangers cannot move the cursor, hide or turn around', () => {
  const hostile = 'a\u001b[2Jb\u0007c\u202ed\u200be\nf\ud800g\u2028h\u009bi'
  expect(safeText(hostile)).toBe('a�[2Jb�c�d�e�f�g�h�i')
  expect(safeText('Will Zürich 中 win? 🎉')).toBe('Will Zürich 中 win? 🎉')
})

test('text that Postgres cannot keep is kept with marks in its place', () => {
  expect(storableText('a\0b\ud800c🎉')).toBe('a\ufffdb\ufffdc🎉')
})

test('a long text is judged by work that grows with its length alone', () => {
  const start = process.cpuUsage()
  expect(isPlainText('👩\u200d'.repeat(50_000))).toBe(false)
  expect(isPlainText(`${'a\ufe0f'.repeat(50_000)}\u200b`)).toBe(false)
  // Time of the processor is the same beside other work.
  expect(process.cpuUsage(start).user).toBeLessThan(2_000_000)
})

test('a time in a sentence has no milliseconds, whether it was counted or kept as text', () => {
  expect(utcText(1_800_000_000_123)).toBe('2027-01-15T08:00:00Z')
  expect(utcText('2027-01-15T08:00:00.123Z')).toBe('2027-01-15T08:00:00Z')
  expect(utcText('long ago')).toBe('long ago')
})
