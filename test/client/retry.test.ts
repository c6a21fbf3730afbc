import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BACKOFF } from '../../src/client/retry.ts'
import { backoffMs } from '../../src/lib/retry.ts'

describe('pauses between attempts', () => {
  test('double from the first to the longest', () => {
    const pauses = [0, 1, 2, 3, 4, 5, 50].map((attempt) => backoffMs(attempt, 1, BACKOFF))
    expect(pauses).toEqual([100, 200, 400, 800, 1_600, 1_600, 1_600])
  })

  test('are spread over their upper half, and stay under 2 s whatever happens', () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, random) => {
        const pause = backoffMs(attempt, random, BACKOFF)
        const full = backoffMs(attempt, 1, BACKOFF)
        expect(pause).toBeGreaterThanOrEqual(full / 2)
        expect(pause).toBeLessThanOrEqual(full)
        expect(pause).toBeLessThan(2_000)
      }),
    )
  })

  test('can be set', () => {
    expect(backoffMs(3, 0, { firstMs: 10, mostMs: 1_000 })).toBe(40)
    expect(BACKOFF.firstMs).toBe(100)
  })
})
