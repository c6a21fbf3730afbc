import { expect, test } from 'vitest'
import { createAudited } from '../../../../src/adapters/store/journal/audited.ts'

test('the rows of a request are found in their order until their time is over', () => {
  const clock = { now: 0 }
  const audited = createAudited<number>({ now: () => clock.now, keptMs: 100 })
  audited.note('r', 0, 1)
  audited.note('s', 0, 2)
  audited.note('r', 50, 3)
  expect(audited.of('r')).toEqual([1, 3])
  clock.now = 100
  expect([audited.of('r'), audited.of('s')]).toEqual([[1, 3], []])
  expect(audited.of('unknown')).toEqual([])
})

test('of very many rows those of the requests that were heard of last are kept', () => {
  const audited = createAudited<number>({ now: () => 0, keptMs: 100, maxRows: 10 })
  for (let place = 0; place < 40; place += 1) audited.note(`r${Math.floor(place / 4)}`, 0, place)
  expect(['r6', 'r7', 'r8', 'r9'].map((requestId) => audited.of(requestId).length)).toEqual([0, 0, 4, 4])
})
