import { expect, test } from 'vitest'
import { valueLine, valueText } from '../../../src/cli/show/contract-text.ts'

test.each([
  ['usd', 24_000_000n, '$24.00'],
  ['usd', 2n ** 256n - 1n, 'no limit'],
  ['options', 1n, '1 option'],
  ['options', 833n, '833 options'],
  ['time', 1_800_000_000n, '2027-01-15T08:00:00Z'],
  ['time', 2n ** 64n - 1n, '18446744073709551615'],
  ['strike', 4_500, '$0.45'],
  ['resolution', 59, '$0.59'],
  ['optionType', 0, 'call'],
  ['optionType', 1, 'put'],
  ['optionType', 2, '2'],
  ['series', 77_770_871_434_891n, '77770871…'],
  ['plain', true, 'true'],
  ['plain', undefined, 'undefined'],
  ['plain', `0x${'ab'.repeat(65)}`, '0xabababab…'],
  ['plain', `0x${'ab'.repeat(32)}`, `0x${'ab'.repeat(32)}`],
  ['plain', 'a\u001b[31mb', 'a\ufffd[31mb'],
  ['series', [1n, 2n], '[1, 2]'],
  ['plain', { maker: '0x1', nonce: 3n }, '{maker 0x1, nonce 3}'],
] as const)('%s %s reads as %s', (unit, value, words) => {
  expect(valueText(unit, value)).toBe(words)
})

test('a value is shown with its name', () => {
  expect(valueLine({ name: 'payout', unit: 'usd', value: 7n })).toBe('payout $0.000007')
})
