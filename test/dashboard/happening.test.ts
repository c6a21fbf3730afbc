import { expect, it } from 'vitest'
import { UNICODE } from '../../src/dashboard/look.ts'
import { happeningWords } from '../../src/dashboard/panels/happening.ts'

it('a decline is told with the reason that its maker gave, if any', () => {
  const entry = { at: 1, requestId: 'r', kind: 'declined', makerId: 'ada', quoteId: 'q', waitedMs: 5 } as const
  const words = (reason: string | null) => happeningWords({ ...entry, reason }, UNICODE).words
  expect(words('inventory is full')).toBe(`${words(null)}: inventory is full`)
})
