import { expect, test } from 'vitest'
import { marketText, termsText } from '../../src/lib/format.ts'
import type { StrikeBps } from '../../src/protocol/domain/units.ts'
import { termsOf } from '../dashboard/scene.ts'

test('a request shows its side, a package its legs in few letters', () => {
  expect([termsText(termsOf(0)), termsText(termsOf(1))]).toEqual(['buy call 0.45 $100', 'sell put 0.455 x250'])
  const call = { optionType: 'call', strikeBps: 4_500 as StrikeBps } as const
  const legs = [
    { ...call, quantity: 1 },
    { ...call, strikeBps: 5_500 as StrikeBps, quantity: -2 },
  ]
  const terms = termsOf(0)
  expect(termsText({ ...terms, option: { legs, expiryMs: terms.option.expiryMs } })).toBe('buy c45-2c55 $100')
})

test.each([
  ['Will the Harbour Bridge reopen?', 'Harbour Bridge reopen?'],
  ['Will a dog bark?', 'dog bark?'],
  ['Will Helios-3 land?', 'Helios-3 land?'],
  ['Will it rain?', 'Will it rain?'],
  ['Willow Creek: will it rain?', 'Willow Creek: will it rain?'],
  [null, '-'],
])('a list shows %j as %j', (question, shown) => expect(marketText(question)).toBe(shown))
