import { expect, test } from 'vitest'
import { createMissStreaks } from '../../../../../src/relay/adapters/live/memory/miss-streaks.ts'

const RULE = { misses: 2, windowMs: 1_000 }

test('a maker whose misses are too old to count is reported once as others miss, so that its quotes get their place back', () => {
  let now = 0
  const forgotten: string[] = []
  const streaks = createMissStreaks({ now: () => now, rule: RULE, onForgotten: (makerId) => forgotten.push(makerId) })
  expect(['ada', 'ada'].map(streaks.recordMiss)).toEqual([false, true])
  now = RULE.windowMs - 1
  streaks.recordMiss('bob')
  expect(forgotten).toEqual([])
  now = RULE.windowMs
  streaks.recordMiss('bob')
  streaks.recordMiss('cyd')
  expect(forgotten).toEqual(['ada'])
  expect(['ada', 'bob'].map(streaks.clear)).toEqual([false, true])
})
