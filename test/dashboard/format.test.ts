import { expect, test } from 'vitest'
import { type StrikeBps, usd6 } from '../../src/protocol/domain/units.ts'
import {
  ago,
  clockTime,
  dollars,
  duration,
  latency,
  marketText,
  megabytes,
  optionText,
  percent,
  price,
  shortId,
  strike,
  termsText,
  when,
} from '../../src/web/dashboard/format.ts'
import { termsOf } from './scene.ts'

test('an option is told by type and strike, a package by its legs in few letters', () => {
  const call = { optionType: 'call', strikeBps: 4_500 as StrikeBps } as const
  const legs = [
    { ...call, quantity: 1 },
    { ...call, strikeBps: 5_500 as StrikeBps, quantity: -2 },
  ]
  expect(optionText(call)).toBe('call 0.45')
  expect(optionText({ legs })).toBe('c45-2c55')
  const terms = termsOf(0)
  expect(termsText({ ...terms, option: { legs, expiryMs: terms.option.expiryMs } })).toContain(' c45-2c55 ')
})

test.each([
  [120_000n, '0.1200'],
  [999_999n, '0.999999'],
  [1n, '0.000001'],
])('a price of %d micro-dollars is %s', (amount, text) => expect(price(usd6(amount))).toBe(text))

test.each([
  [0n, '$0.00'],
  [120_000n, '$0.12'],
  [123_457n, '$0.123457'],
  [99_960_000n, '$99.96'],
  [99_876_700n, '$99.88'],
  [100_000_000n, '$100.00'],
  [1_250_000_000n, '$1,250.00'],
  [999_999_980_000n, '$999,999.98'],
  [999_999_999_999n, '$1.00M'],
  [12_500_000_000_000n, '$12.50M'],
])('%d micro-dollars are %s', (amount, text) => expect(dollars(usd6(amount))).toBe(text))

test.each([
  [-5, '0.0s'],
  [7_250, '7.2s'],
  [9_999, '9.9s'],
  [42_000, '42s'],
  [252_000, '4m 12s'],
  [7_500_000, '2h 5m'],
  [273_600_000, '3d 4h'],
  [120_000, '2m'],
])('%d ms are %s', (ms, text) => expect(duration(ms)).toBe(text))

test('what is past is told in whole seconds', () => {
  expect([ago(0), ago(7_900), ago(42_000)]).toEqual(['0s', '7s', '42s'])
})

test('latencies, strikes, shares, ids and counts are short', () => {
  expect([latency(null), latency(34.4), latency(1_240)]).toEqual(['-', '34ms', '1.2s'])
  expect([strike(4_500), strike(4_550), strike(5_000), strike(1)]).toEqual(['0.45', '0.455', '0.50', '0.0001'])
  expect([percent(null), percent(0.304), shortId('3f2a91c0-0000')]).toEqual(['-', '30%', '3f2a91c0'])
  expect(megabytes(84_400_000)).toBe('84 MB')
  expect(clockTime(Date.UTC(2026, 0, 1, 9, 5, 7))).toBe('09:05:07')
})

test('what a taker asks for is told by side', () => {
  expect([termsText(termsOf(0)), termsText(termsOf(1))]).toEqual(['buy call 0.45 $100', 'sell put 0.455 x250'])
})

test('an instant is told from now', () => {
  expect([when(2_356_000, 0), when(0, 30_000), when(5, 5)]).toEqual(['in 39m 16s', '30s ago', '0s ago'])
})

test.each([
  ['Will the Harbour Bridge reopen?', 'Harbour Bridge reopen?'],
  ['Will a dog bark?', 'dog bark?'],
  ['Will Helios-3 land?', 'Helios-3 land?'],
  ['Will it rain?', 'Will it rain?'],
  ['Willow Creek: will it rain?', 'Willow Creek: will it rain?'],
  [null, '-'],
])('of %j a list shows %j', (question, shown) => expect(marketText(question)).toBe(shown))
