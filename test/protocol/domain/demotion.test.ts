import { describe, expect, test } from 'vitest'
import { afterMiss, isDemotedBy, type MissStreak } from '../../../src/protocol/domain/reliability.ts'

const RULE = { misses: 3, windowMs: 1_000 }

/** The streak after misses at these times. */
const missedAt = (...times: number[]): MissStreak | undefined =>
  times.reduce<MissStreak | undefined>((streak, at) => afterMiss(streak, at, RULE), undefined)

describe('a demotion', () => {
  test('comes with the miss that makes the streak long enough, and not before', () => {
    expect(isDemotedBy(undefined, 0, RULE)).toBe(false)
    expect(isDemotedBy(missedAt(0, 500), 500, RULE)).toBe(false)
    expect(isDemotedBy(missedAt(0, 500, 900), 900, RULE)).toBe(true)
  })

  test('lasts until the window after the last miss is over', () => {
    const streak = missedAt(0, 500, 900)
    expect(isDemotedBy(streak, 1_899, RULE)).toBe(true)
    expect(isDemotedBy(streak, 1_900, RULE)).toBe(false)
  })

  test('counts only misses of which each is within the window of the one before', () => {
    expect(isDemotedBy(missedAt(0, 999, 1_998), 1_998, RULE)).toBe(true)
    expect(isDemotedBy(missedAt(0, 1_000, 1_999), 1_999, RULE)).toBe(false)
  })
})
