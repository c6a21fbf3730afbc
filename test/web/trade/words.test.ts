import { expect, it } from 'vitest'
import { type Leg, type StrikeBps, usd6 } from '../../../src/client/index.ts'
import { centsText, count, legsText, optionName, timeText } from '../../../src/lib/format.ts'
import { matching } from '../../../src/web/trade/views/MarketList.tsx'
import { positionPoints } from '../../../src/web/trade/views/position-words.ts'
import { positionOf, seriesAt, TOMORROW } from '../trade-samples.ts'

const leg = (optionType: 'call' | 'put', strikeBps: number, quantity: number): Leg => ({
  optionType,
  strikeBps: strikeBps as StrikeBps,
  quantity,
})

it('options are called what traders call them', () => {
  expect(optionName({ optionType: 'put', strikeBps: 5_250 as StrikeBps })).toBe('Put $0.5250')
  const names = [
    [leg('call', 4_500, 1), leg('call', 6_000, -1)],
    [leg('put', 4_500, -1), leg('put', 6_000, 1)],
    [leg('call', 6_000, 1), leg('put', 4_500, 1)],
    [leg('call', 5_000, 1), leg('put', 5_000, 1)],
    [leg('call', 4_000, 1), leg('call', 5_000, -2), leg('call', 6_000, 1)],
    [leg('call', 6_000, 1), leg('put', 4_500, -1)],
  ].map((legs) => optionName({ legs }))
  expect(names).toEqual([
    'Call spread $0.45 / $0.60',
    'Put spread $0.45 / $0.60',
    'Strangle $0.60 / $0.45',
    'Straddle $0.50',
    'Package $0.40 / $0.50 / $0.60',
    'Package $0.60 / $0.45',
  ])
  expect(legsText({ legs: [leg('call', 4_500, 1), leg('call', 6_000, -2)] })).toBe('+1 call $0.45, −2 call $0.60')
})

it('numbers and times are written for people', () => {
  expect([0n, 999n, 1_000n, 2_510_000n].map(count)).toEqual(['0', '999', '1,000', '2,510,000'])
  expect([55, 45.92, 60.5].map(centsText)).toEqual(['$0.55', '$0.4592', '$0.6050'])
  expect(timeText(Date.UTC(2026, 5, 2, 9, 5) / 1_000)).toBe('2 Jun, 09:05 UTC')
})

it('markets are found by words in any order and case', () => {
  const rows = ['Will it rain?', 'Will the launch be on time?'].map((name) => ({
    key: name,
    name,
    yesPrice: null,
    openCount: 0,
    nextExpiry: null,
    volume: usd6(0n),
    isChosen: false,
  }))
  expect(matching(rows, 'LAUNCH will').map(({ name }) => name)).toEqual(['Will the launch be on time?'])
  expect(matching(rows, ' ')).toHaveLength(2)
  expect(matching(rows, 'snow')).toEqual([])
})

it('a position makes what it pays less what it cost; a writer keeps what its options do not pay', () => {
  const held = positionPoints(positionOf(seriesAt(TOMORROW, 5_000), { long: 10n, cost: 600_000n as never }))
  expect([held[50]?.profit, held[56]?.profit, held[100]?.profit]).toEqual([-600_000n, 0n, 4_400_000n])
  const written = positionPoints(positionOf(seriesAt(TOMORROW, 5_000), { short: 10n, cost: 4_000_000n as never }))
  expect([written[0]?.profit, written[100]?.profit]).toEqual([1_000_000n, -4_000_000n])
})
