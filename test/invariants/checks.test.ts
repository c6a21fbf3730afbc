import { expect, test } from 'vitest'
import { check, createScores } from './checks.ts'

test('checks are counted by their invariant, and the first faults are told in full', () => {
  const scores = createScores()
  scores.note([check('V1', true, () => 'never made'), check('V6', false, () => 'an id fell')])
  scores.note(Array.from({ length: 20 }, () => check('V9', false, () => 'one too many')))
  const report = scores.report()
  expect(report.scores).toEqual({
    V1: { checks: 1, faults: 0 },
    V6: { checks: 1, faults: 1 },
    V9: { checks: 20, faults: 20 },
  })
  expect(report.faults).toBe(21)
  expect(report.examples).toEqual(['V6: an id fell', ...Array(9).fill('V9: one too many')])
})
