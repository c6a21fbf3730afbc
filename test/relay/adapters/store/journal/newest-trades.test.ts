import { expect, it } from 'vitest'
import { createNewestTrades } from '../../../../../src/relay/adapters/store/journal/newest-trades.ts'

const ALL = { until: 1_000, before: null, limit: 100 }

it('lists trades newest first, by time and then by id, in whatever order their rows come', () => {
  const trades = createNewestTrades<string>()
  for (const [at, tradeId] of [
    [2, 'b'],
    [3, 'a'],
    [1, 'd'],
    [2, 'c'],
  ] as const)
    trades.add({ at, tradeId, location: `${at}${tradeId}` })
  expect(trades.list(ALL)).toEqual(['3a', '2c', '2b', '1d'])
  expect(trades.list({ ...ALL, limit: 2 })).toEqual(['3a', '2c'])
  expect(trades.list({ ...ALL, before: { at: 2, tradeId: 'c' } })).toEqual(['2b', '1d'])
  expect(trades.list({ ...ALL, until: 2, limit: 1 })).toEqual(['2c'])
})

it('keeps at least as many as it must, and less than twice as many', () => {
  const trades = createNewestTrades<number>(3)
  const lengths = Array.from({ length: 9 }, (_, at) => {
    trades.add({ at, tradeId: 'a', location: at })
    return trades.list(ALL).length
  })
  expect(lengths).toEqual([1, 2, 3, 4, 5, 3, 4, 5, 3])
  expect(trades.list(ALL)).toEqual([8, 7, 6])
})
