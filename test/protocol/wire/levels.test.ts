import { expect, test } from 'vitest'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { decodeLevels, decodeLevelsKept, encodeLevels, MAX_LEVELS } from '../../../src/protocol/wire/levels.ts'

const level = { seriesId: '77', bid: 0.11, ask: 0.13 }

test('levels come as they were sent, in micro-dollars', () => {
  const levels = decodeLevels({ levels: [level, { ...level, seriesId: '78', bid: 0 }] })
  expect(levels).toEqual([
    { seriesId: '77', bid: usd6(110_000n), ask: usd6(130_000n) },
    { seriesId: '78', bid: usd6(0n), ask: usd6(130_000n) },
  ])
  expect(decodeLevels(encodeLevels(levels))).toEqual(levels)
  expect(decodeLevelsKept({ success: true, count: 2, keptMs: 60_000 })).toEqual({ count: 2, keptMs: 60_000 })
})

test.each([
  [{}, /levels/],
  [{ levels: Array.from({ length: MAX_LEVELS + 1 }, () => level) }, /at most 100/],
  [{ levels: [{ ...level, seriesId: 'x' }] }, /seriesId/],
  [{ levels: [{ ...level, ask: 1.1 }] }, /0\.\.1/],
  [{ levels: [{ ...level, bid: -0.1 }] }, /0\.\.1/],
  [{ levels: [level, { ...level, bid: 0.14 }] }, /levels\[1\]\.bid must be at most the ask, got 0\.14/],
])('levels that cannot be are refused: %j', (body, sentence) => {
  expect(() => decodeLevels(body)).toThrow(sentence)
})
