import { expect, test } from 'vitest'
import { safeText } from '../../src/domain/safe-text.ts'

test('text of strangers cannot move the cursor, hide or turn around', () => {
  const hostile = 'a\u001b[2Jb\u0007c\u202ed\u200be\nf\ud800g\u2028h\u009bi'
  expect(safeText(hostile)).toBe('a�[2Jb�c�d�e�f�g�h�i')
  expect(safeText('Will Zürich 中 win? 🎉')).toBe('Will Zürich 中 win? 🎉')
})
