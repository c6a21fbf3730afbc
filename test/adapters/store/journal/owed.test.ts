import { expect, test } from 'vitest'
import { createOwed } from '../../../../src/adapters/store/journal/owed.ts'

test('what a wallet owes are the orders that can still be filled', () => {
  const owed = createOwed<string>()
  owed.note('ada', 100, 'first')
  owed.note('ada', 200, 'second')
  owed.note('bob', 300, 'of bob')
  expect(owed.of('ada', 100)).toEqual(['first', 'second'])
  expect(owed.of('ada', 101)).toEqual(['second'])
  expect(owed.of('ada', 100)).toEqual(['first', 'second'])
  expect(owed.of('cyd', 0)).toEqual([])
})

test('orders that lapsed long ago are let go of, also where nobody asks for them', () => {
  const owed = createOwed<number>()
  const day = 86_400
  for (let n = 0; n < 10_000; n += 1) owed.note('ada', n * 100, n)
  const kept = owed.of('ada', 0)
  expect(kept.length).toBeLessThan(4_000)
  expect(kept).toEqual(expect.arrayContaining(Array.from({ length: day / 100 }, (_, i) => 9_999 - i)))
})
