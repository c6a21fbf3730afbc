import { expect, it } from 'vitest'
import { comparePair } from './two-sided-pairs.ts'

const PAIRS = Number(process.env.RFQCTL_PAIRS ?? 10)

it('stories of a venue that differ in the side of a commit sound alike to all makers but those that are asked', {
  timeout: 3_600_000,
}, async () => {
  const seen = { pairs: 0, apart: 0, next: 0, ordered: 0 }
  for (let seed = 1; seed <= PAIRS; seed += 1) {
    const { toldApart, isApart, isNext, isOrdered } = await comparePair(seed)
    expect(toldApart, `seed ${seed}`).toBeNull()
    seen.pairs += 1
    if (isApart) seen.apart += 1
    if (isNext) seen.next += 1
    if (isOrdered) seen.ordered += 1
  }
  // Pairs in which it makes no difference would prove nothing.
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThanOrEqual(PAIRS / 20)
})
