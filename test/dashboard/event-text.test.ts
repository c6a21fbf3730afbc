import { expect, it } from 'vitest'
import { UNICODE } from '../../src/web/dashboard/theme.ts'
import { eventText } from '../../src/web/dashboard/views/events.ts'

it('a decline shows the reason that its maker gave, if any', () => {
  const entry = { at: 1, requestId: 'r', kind: 'declined', makerId: 'ada', quoteId: 'q', waitedMs: 5 } as const
  const words = (reason: string | null) => eventText({ ...entry, reason }, UNICODE).text
  expect(words('inventory is full')).toBe(`${words(null)}: inventory is full`)
})
