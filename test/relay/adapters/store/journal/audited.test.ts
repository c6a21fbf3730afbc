import { expect, test } from 'vitest'
import { createAudited } from '../../../../../src/relay/adapters/store/journal/audited.ts'

test('the rows of a request are found in their order until their time is over', () => {
  const clock = { now: 0 }
  const audited = createAudited<number>({ now: () => clock.now, keptMs: 100, isTrade: () => false })
  audited.add('r', 0, 1)
  audited.add('s', 0, 2)
  audited.add('r', 50, 3)
  expect(audited.of('r')).toEqual([1, 3])
  clock.now = 100
  expect([audited.of('r'), audited.of('s')]).toEqual([[1, 3], []])
  expect(audited.of('unknown')).toEqual([])
})

test('among very many rows those of the latest requests are kept', () => {
  const audited = createAudited<number>({ now: () => 0, keptMs: 100, maxRows: 10, isTrade: () => false })
  for (let location = 0; location < 40; location += 1) audited.add(`r${Math.floor(location / 4)}`, 0, location)
  expect(['r6', 'r7', 'r8', 'r9'].map((requestId) => audited.of(requestId).length)).toEqual([0, 0, 4, 4])
})

test('rows of trades make no room for those of requests that came to nothing', () => {
  const trades = new Set<string>()
  const audited = createAudited<number>({ now: () => 0, keptMs: 100, maxRows: 10, isTrade: (id) => trades.has(id) })
  for (const location of [1, 2, 3]) audited.add('trade', 0, location)
  trades.add('trade')
  audited.keep('trade')
  for (let location = 0; location < 100; location += 1) audited.add(`r${location}`, 0, location)
  audited.add('trade', 1, 4)
  expect(audited.of('trade')).toEqual([1, 2, 3, 4])
  expect([audited.of('r89'), audited.of('r90')]).toEqual([[], [90]])
})

test('a request whose rows go on stays when those that ended before make room, and its rows within a second count', () => {
  const audited = createAudited<number>({ now: () => 0, keptMs: 10_000, maxRows: 4, isTrade: () => false })
  audited.add('long', 0, 1)
  audited.add('ended', 10, 2)
  audited.add('long', 1_000, 3)
  audited.add('long', 1_100, 4)
  audited.add('next', 1_200, 5)
  expect([audited.of('ended'), audited.of('long'), audited.of('next')]).toEqual([[], [1, 3, 4], [5]])
  audited.add('next', 1_300, 6)
  expect([audited.of('long'), audited.of('next')]).toEqual([[], [5, 6]])
})
