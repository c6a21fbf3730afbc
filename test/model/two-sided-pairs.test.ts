import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toldApart } from '../support/told-apart.ts'
import { stories, tell } from './two-sided-pairs.ts'

const PAIRS = Number(process.env.RFQCTL_PAIRS ?? 25)

it('two requests that differ only in the side of their commit look alike to all but their taker and the makers that are asked', {
  timeout: 3_600_000,
}, async () => {
  const seen = { pairs: 0, apart: 0, next: 0, ordered: 0 }
  await fc.assert(
    fc.asyncProperty(stories, async (story) => {
      const [bought, sold, none] = [await tell(story, 'buy'), await tell(story, 'sell'), await tell(story, null)]
      expect(toldApart(bought, sold)).toBeNull()
      // A maker that is asked on one side only hears nothing of the commit on the other one.
      for (const committed of [bought, sold]) expect(toldApart(committed, none)).toBeNull()
      seen.pairs += 1
      // Each side has its own maker, more than one was asked, and both have an order.
      if ([...bought.askedIn.keys()][0] !== [...sold.askedIn.keys()][0]) seen.apart += 1
      if (Math.max(bought.askedIn.size, sold.askedIn.size) > 1) seen.next += 1
      if (bought.orderedIn !== null && sold.orderedIn !== null) seen.ordered += 1
    }),
    { numRuns: PAIRS },
  )
  // Pairs in which it makes no difference would prove nothing.
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThanOrEqual(PAIRS / 50)
})
