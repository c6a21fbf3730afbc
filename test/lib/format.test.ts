import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createColors } from '../../src/cli/terminal/colors.ts'
import { factLines, tableLines } from '../../src/cli/terminal/table.ts'
import {
  age,
  chainAheadText,
  clockTime,
  coin,
  countdown,
  duration,
  exactUsd,
  latency,
  markText,
  optionCode,
  optionsText,
  optionText,
  percent,
  plural,
  priceText,
  resolution,
  shortId,
  shownRest,
  shownUsd,
  strike,
  usd,
  when,
} from '../../src/lib/format.ts'
import type { Leg } from '../../src/protocol/domain/option.ts'
import { contracts, type StrikeBps, usd6 } from '../../src/protocol/domain/units.ts'

test.each([
  [0n, '$0.00'],
  [12_000_000n, '$12.00'],
  [99_960_000n, '$99.96'],
  [120_000n, '$0.12'],
  [500_000n, '$0.50'],
  [1n, '$0.000001'],
  [-71_600n, '-$0.0716'],
  [999_999n, '$0.999999'],
  [1_234_567_890_000n, '$1,234,567.89'],
  [-1_500_000n, '-$1.50'],
  [99_999_000n, '$100.00'],
  [2_135_751_000n, '$2,135.75'],
  [49_994_999n, '$49.99'],
  [-49_995_000n, '-$50.00'],
])('%d micro-dollars read %s: to the cent from a dollar on, exact below (decision U8)', (amount, text) => {
  expect(usd(usd6(amount))).toBe(text)
})

test.each([
  [99_999_000n, '$99.9990'],
  [2_135_751_000n, '$2,135.7510'],
  [49_999_950n, '$49.999950'],
  [100_000_000n, '$100.00'],
  [-8_452_500n, '-$8.4525'],
])('%d micro-dollars, each of which counts, read %s: two, four or six decimals (decision U8)', (amount, text) => {
  expect(exactUsd(usd6(amount))).toBe(text)
})

test.each([
  [120_000n, '$0.12'],
  [99_876_700n, '$99.88'],
  [999_999_980_000n, '$999,999.98'],
  [999_999_999_999n, '$1.00M'],
  [12_500_000_000_000n, '$12.50M'],
])('%d micro-dollars read %s in a column: in at most eleven signs', (amount, text) => {
  expect(usd(usd6(amount), 'column')).toBe(text)
})

test('no amount but nothing reads as nothing, and none reads a cent away from what it is', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), (amount) => {
      const shown = shownUsd(usd6(amount))
      expect(shown === 0n).toBe(amount === 0n)
      expect(shown - amount <= 5_000n && amount - shown <= 5_000n).toBe(true)
    }),
  )
})

test('a rest of two amounts is their difference as they read, and a small rest is exact', () => {
  expect(shownRest(usd6(60_004_000n), usd6(99_996_000n))).toBe(-40_000_000n)
  expect(shownRest(usd6(100_004_000n), usd6(99_996_000n))).toBe(8_000n)
})

test('prices of options have one form, so that they stand under each other', () => {
  expect([176_000n, 171_900n, 500_000n, 82_530n].map((micro) => priceText(usd6(micro)))).toEqual([
    '$0.1760',
    '$0.1719',
    '$0.5000',
    '$0.082530',
  ])
  expect([120_000n, 999_999n, 1n].map((micro) => priceText(usd6(micro), 'column'))).toEqual([
    '0.1200',
    '0.999999',
    '0.000001',
  ])
})

test('a chain whose time was moved is ahead by so much, and one within a minute is not', () => {
  expect(chainAheadText(3_600_000)).toBe('chain time is 1h ahead of the clock')
  expect([chainAheadText(59_999), chainAheadText(-3_600_000)]).toEqual([null, null])
})

const leg = (quantity: number, optionType: Leg['optionType'], strikeBps: number): Leg => ({
  optionType,
  strikeBps: strikeBps as StrikeBps,
  quantity,
})

test.each([
  [{ optionType: 'call', strikeBps: 4_500 as StrikeBps } as const, 'call $0.45', 'c45', '50 call $0.45', 'call 0.45'],
  [
    { optionType: 'put', strikeBps: 5_250 as StrikeBps } as const,
    'put $0.5250',
    'p52_5',
    '50 put $0.5250',
    'put 0.525',
  ],
  [
    { legs: [leg(1, 'call', 4_000), leg(-2, 'call', 5_000), leg(1, 'call', 6_000)] },
    '+1 call $0.40 -2 call $0.50 +1 call $0.60',
    'c40-2c50+c60',
    '50 (+1 call $0.40 -2 call $0.50 +1 call $0.60)',
    'c40-2c50+c60',
  ],
  [
    { legs: [leg(-1, 'call', 4_000), leg(3, 'put', 6_000)] },
    '-1 call $0.40 +3 put $0.60',
    '-c40+3p60',
    '50 (-1 call $0.40 +3 put $0.60)',
    '-c40+3p60',
  ],
])(
  'an option reads in words, in letters, with its count, and in a column: %j',
  (option, words, letters, counted, narrow) => {
    expect(optionText(option)).toBe(words)
    expect(optionCode(option)).toBe(letters)
    expect(optionsText(contracts(50n), option)).toBe(counted)
    expect(optionText(option, 'column')).toBe(narrow)
  },
)

test('a strike and a resolution are dollars on two scales', () => {
  expect([strike(4_500), strike(1), strike(9_999), strike(5_000)]).toEqual(['$0.45', '$0.0001', '$0.9999', '$0.50'])
  expect([strike(4_500, 'column'), strike(4_550, 'column'), strike(5_000, 'column')]).toEqual(['0.45', '0.455', '0.50'])
  expect([resolution(59), resolution(0), resolution(100)]).toEqual(['$0.59', '$0.00', '$1.00'])
})

test.each([
  [5, '5ms'],
  [1_000, '1s'],
  [90_000, '1m 30s'],
  [3_600_000, '1h'],
  [90_061_000, '1d 1h'],
])('%d ms read %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})

test('times are relative to now', () => {
  expect([when(5_000, 0), when(0, 60_000), when(2_356_000, 0)]).toEqual(['in 5s', '1m ago', 'in 39m 16s'])
  expect(clockTime(Date.UTC(2026, 0, 1, 9, 5, 7))).toBe('09:05:07')
})

test('an event of this moment was a second ago, also by a clock that is behind', () => {
  expect([when(5, 5), when(0, 850), age(-300), age(7_900)]).toEqual(['1s ago', '1s ago', '1s', '8s'])
})

test('time that is left counts down in tenths of a second at its end, and never below nothing', () => {
  expect([-5, 850, 7_250, 9_999].map(countdown)).toEqual(['0.0s', '0.8s', '7.2s', '9.9s'])
  expect([10_000, 95_000].map(countdown)).toEqual(['10s', '1m 35s'])
})

test('response times can be compared', () => {
  expect([null, 34.4, 850, 1_240, 9_949, 9_950].map(latency)).toEqual(['-', '34ms', '850ms', '1.2s', '9.9s', '10s'])
})

test('nouns agree with their count, ids are cut', () => {
  expect([plural(1, 'maker'), plural(0, 'maker')]).toEqual(['1 maker', '0 makers'])
  expect([shortId('1234567890'), shortId('12345678901')]).toEqual(['1234567890', '12345678…'])
  expect(shortId('12345678901', 'column')).toBe('12345678')
  expect([percent(null), percent(0.304)]).toEqual(['-', '30%'])
})

test('columns are as wide as their widest cell, colour not counted', () => {
  const colors = createColors(true)
  const rows = [
    { name: 'a', size: 7 },
    { name: 'bcd', size: 1_000 },
  ]
  const columns = [
    { heading: 'NAME', cell: ({ name }: { name: string }) => colors.bold(name) },
    { heading: 'SIZE', cell: ({ size }: { size: number }) => String(size), align: 'right' as const },
    { heading: 'WHAT', cell: () => 'x' },
  ]
  const plain = tableLines(columns, rows, { colors, width: null }).map(stripVTControlCharacters)
  expect(plain).toEqual(['NAME  SIZE  WHAT', 'a        7  x', 'bcd   1000  x'])
})

test('the last column ends at the edge of the terminal, and continues below where hardly anything of it would be left', () => {
  const rows = [{ name: 'bcd', question: 'Will it rain in Norvik?' }]
  const columns = [
    { heading: 'NAME', cell: ({ name }: { name: string }) => name },
    { heading: 'QUESTION', cell: ({ question }: { question: string }) => question },
  ]
  const at = (width: number) => tableLines(columns, rows, { colors: createColors(false), width }).slice(1)
  expect(at(26)).toEqual(['bcd   Will it rain in Nor…'])
  expect(at(29)).toEqual(['bcd   Will it rain in Norvik?'])
  expect(at(20)).toEqual(['    QUESTION', 'bcd', '    Will it rain in…'])
})

test.each([
  [0n, '0'],
  [1n, '0.000001'],
  [1_500_000_000_000_000_000n, '1.5'],
])('%s wei of a coin are %s, never fewer', (wei, words) => {
  expect(coin(wei)).toBe(words)
})

test('facts stand under each other', () => {
  expect(
    factLines(
      [
        ['a', '1'],
        ['long', '2'],
      ],
      createColors(false),
    ),
  ).toEqual(['a     1', 'long  2'])
})

test('a mark is shown to a hundredth of a cent', () => {
  expect([51_817n, 51_849n, 51_850n, 0n].map((mark) => markText(usd6(mark)))).toEqual([
    '$0.0518',
    '$0.0518',
    '$0.0519',
    '$0.0000',
  ])
})
