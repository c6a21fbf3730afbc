import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { seriesIdOf } from '../../../../src/protocol/domain/series.ts'
import { checkFixtureMarkets } from '../../../../src/relay/adapters/markets/check-fixture-markets.ts'
import { fixtureSeries, readFixtureMarkets } from '../../../../src/relay/adapters/markets/fixture-markets.ts'
import { newFolder, removeFolder } from '../../../kit/folder.ts'

const START = 1_800_000_001

describe('the fixture markets of the package', () => {
  const markets = readFixtureMarkets()

  it('are at least four, one of them closed with an outcome', () => {
    expect(markets.length).toBeGreaterThanOrEqual(4)
    expect(markets.filter(({ outcome }) => outcome !== null)).toHaveLength(1)
  })

  it('give at least twelve distinct series, calls and puts, at several strikes and expiries', () => {
    const series = fixtureSeries(markets, START)
    expect(new Set(series.map(seriesIdOf)).size).toBe(series.length)
    expect(series.length).toBeGreaterThanOrEqual(12)
    expect(new Set(series.map(({ optionType }) => optionType))).toEqual(new Set(['call', 'put']))
    expect(new Set(series.map(({ strikeBps }) => strikeBps)).size).toBeGreaterThan(3)
    expect(new Set(series.map(({ expiry }) => expiry)).size).toBeGreaterThan(3)
  })

  it('expire between half of their length and all of it ahead, on whole minutes', () => {
    for (let now = START; now < START + 3_600; now += 61) {
      const ahead = fixtureSeries(markets, now).map(({ expiry }) => expiry - now)
      expect(fixtureSeries(markets, now).every(({ expiry }) => expiry % 60 === 0)).toBe(true)
      expect(Math.min(...ahead)).toBeGreaterThan(300)
      expect(ahead.filter((seconds) => seconds <= 600).length).toBeGreaterThanOrEqual(4)
      expect(Math.max(...ahead)).toBeGreaterThan(302_400)
      expect(Math.max(...ahead)).toBeLessThanOrEqual(604_800)
    }
  })

  it('are the same for a sandbox that starts again within the same five minutes, and new in the next', () => {
    const ids = (now: number) => new Set(fixtureSeries(markets, now).map(seriesIdOf))
    const start = Math.ceil(START / 300) * 300
    expect(ids(start + 299)).toEqual(ids(start))
    expect(ids(start + 300)).not.toEqual(ids(start))
    expect(new Set([...ids(start), ...ids(start + 300)]).size).toBeLessThan(2 * ids(start).size)
  })
})

describe('checkFixtureMarkets', () => {
  const market = {
    question: 'Will it?',
    conditionId: `0x${'ab'.repeat(32)}`,
    yesTokenId: '12345',
    path: { seed: 1, base: 0.5, swing: 0.3 },
    outcome: null,
    series: [{ strikesBps: [5000], expiresInS: [600], optionTypes: ['call'] }],
  }
  const faultsOf = (changes: object) => checkFixtureMarkets({ markets: [{ ...market, ...changes }] })

  it('finds no fault in a market of the right shape', () => {
    expect(faultsOf({})).toEqual([])
    expect(faultsOf({ outcome: { yesPrice: 0, closedAt: 1 } })).toEqual([])
  })

  it.each([null, [], {}, { markets: [] }, { markets: [1] }])(
    'refuses content that is no list of markets: %j',
    (content) => {
      expect(checkFixtureMarkets(content)).toEqual(['markets must be a list of objects'])
    },
  )

  it.each([
    ['question', ''],
    ['question', 'x'.repeat(301)],
    ['conditionId', `0x${'AB'.repeat(32)}`],
    ['conditionId', '0xab'],
    ['yesTokenId', '0x10'],
    ['yesTokenId', '010'],
    ['yesTokenId', (1n << 256n).toString()],
    ['path', null],
    ['outcome', { yesPrice: 0.5, closedAt: 1 }],
    ['outcome', { yesPrice: 1 }],
    ['outcome', undefined],
    ['series', []],
  ])('names the field %s when it is %j', (field, value) => {
    expect(faultsOf({ [field]: value })).toEqual([expect.stringMatching(`^markets\\[0\\]\\.${field} must be `)])
  })

  it.each([
    [{ seed: 1.5 }, 'seed'],
    [{ base: 1 }, 'base'],
    [{ base: 0 }, 'base'],
    [{ swing: -1 }, 'swing'],
    [{ swing: 3 }, 'swing'],
  ])('refuses a path with %j', (change, field) => {
    expect(faultsOf({ path: { ...market.path, ...change } })).toEqual([
      expect.stringContaining(`path.${field} must be`),
    ])
  })

  it.each([
    [{ strikesBps: [] }, 'strikesBps'],
    [{ strikesBps: [10_000] }, 'strikesBps'],
    [{ expiresInS: [0] }, 'expiresInS'],
    [{ expiresInS: [0.5] }, 'expiresInS'],
    [{ optionTypes: ['straddle'] }, 'optionTypes'],
  ])('refuses series with %j', (change, field) => {
    expect(faultsOf({ series: [{ ...market.series[0], ...change }] })).toEqual([
      expect.stringContaining(`series[0].${field} must be`),
    ])
  })

  it('names every fault at once, also a market that repeats another', () => {
    const faults = checkFixtureMarkets({ markets: [market, { ...market, question: '' }] })
    expect(faults).toEqual([
      'markets[1].question must be text of 1 to 300 characters',
      'markets[1].conditionId repeats an earlier one',
      'markets[1].yesTokenId repeats an earlier one',
    ])
  })
})

describe('readFixtureMarkets', () => {
  let folder: string
  beforeEach(() => {
    folder = newFolder()
  })
  afterEach(() => removeFolder(folder))

  it('names the file that is not there, is not JSON or has the wrong shape', () => {
    const path = join(folder, 'markets.json')
    expect(() => readFixtureMarkets(path)).toThrow(`${path} cannot be read as JSON`)
    writeFileSync(path, '{"markets"')
    expect(() => readFixtureMarkets(path)).toThrow(`${path} cannot be read as JSON`)
    writeFileSync(path, '{"markets":[]}')
    expect(() => readFixtureMarkets(path)).toThrow(`${path} is not a file of fixture markets: markets must be`)
  })
})
