import { describe, expect, test } from 'vitest'
import { findByPrefix } from '../../../src/cli/context/find-by-prefix.ts'
import { createSeriesNames, type SeriesRow, seriesChoice } from '../../../src/cli/show/series-listing.ts'
import type { ListedSeries } from '../../../src/client/index.ts'
import { seriesIdOf } from '../../../src/protocol/domain/series.ts'
import type { Hex, StrikeBps } from '../../../src/protocol/domain/units.ts'
import { fixtureSeries, readFixtureMarkets } from '../../../src/relay/adapters/markets/fixture-markets.ts'

const idOf = (digit: string): Hex => `0x${digit.repeat(64)}`
const marketOf = (digit: string, name: string) => ({ conditionId: idOf(digit), yesTokenId: digit, name })
const seriesOf = (digit: string, over: Partial<ListedSeries> = {}): ListedSeries => ({
  seriesId: '1',
  conditionId: idOf(digit),
  yesTokenId: digit,
  strikeBps: 4_500 as StrikeBps,
  expiry: Date.UTC(2026, 10, 22, 3, 10) / 1_000,
  optionType: 'call',
  resolutionBps: null,
  ...over,
})

describe('the name of a series', () => {
  test('is a word that only its market has, type and strike, and the expiry in UTC', () => {
    const nameOf = createSeriesNames([
      marketOf('1', 'Will the rain stop?'),
      marketOf('2', 'Will the rain reach Öland?'),
    ])
    expect(nameOf(seriesOf('1'))).toBe('stop-c45-nov22-0310')
    expect(nameOf(seriesOf('2', { optionType: 'put' }))).toBe('reach-p45-nov22-0310')
  })

  test('for a package has its legs, each with its quantity where that is not one', () => {
    const nameOf = createSeriesNames([marketOf('1', 'Will the rain stop?')])
    const legs = [4_000, 5_000, 6_000].map((strikeBps, index) => ({
      optionType: 'call' as const,
      strikeBps: strikeBps as StrikeBps,
      quantity: [1, -2, 1][index] as number,
    }))
    const { conditionId, yesTokenId, expiry, seriesId, resolutionBps } = seriesOf('1')
    expect(nameOf({ conditionId, yesTokenId, expiry, seriesId, resolutionBps, legs })).toBe(
      'rain-c40-2c50+c60-nov22-0310',
    )
  })

  test('keeps half cents and seconds where there are any', () => {
    const nameOf = createSeriesNames([marketOf('1', 'Rain?')])
    const odd = seriesOf('1', { strikeBps: 4_550 as StrikeBps, expiry: Date.UTC(2026, 0, 2, 13, 4, 5) / 1_000 })
    expect(nameOf(odd)).toBe('rain-c45_5-jan02-130405')
  })

  test('begins with the conditionId where no word tells the market from others', () => {
    const nameOf = createSeriesNames([
      marketOf('1', 'Will it rain?'),
      marketOf('2', 'Will it rain?'),
      marketOf('3', '雨?'),
    ])
    expect(['1', '2', '3', '4'].map((digit) => nameOf(seriesOf(digit)))).toEqual([
      'm111111-c45-nov22-0310',
      'm222222-c45-nov22-0310',
      'm333333-c45-nov22-0310',
      'm444444-c45-nov22-0310',
    ])
  })

  test('is another for each series of the sandbox, and finds it when it is shortened', () => {
    const markets = readFixtureMarkets()
    const nameOf = createSeriesNames(markets.map(({ question, ...market }) => ({ ...market, name: question })))
    const rows = fixtureSeries(markets, 1_800_000_000).map((terms): SeriesRow => {
      const series = { ...terms, seriesId: seriesIdOf(terms), resolutionBps: null }
      return { ...series, name: nameOf(series), market: '', state: 'open' }
    })
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length)
    const find = (text: string) => findByPrefix(text, seriesChoice(rows, text))
    for (const row of rows) {
      expect(find(row.name)).toBe(row)
      expect(find(row.seriesId.slice(0, 12))).toBe(row)
    }
    expect(() => find('central-c45')).toThrow('is the start of 2 ids of series')
  })
})
