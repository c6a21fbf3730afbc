import { expect, it } from 'vitest'
import { parseCap } from '../../../src/cli/declare/parse.ts'

it('a cap is a sum in whole dollars that the core can keep, or none', () => {
  expect(['none', '1', '250000', '9999999999999'].map(parseCap)).toEqual([
    0n,
    1_000_000n,
    250_000_000_000n,
    9_999_999_999_999_000_000n,
  ])
  expect(parseCap('9999999999999')).toBeLessThan(2n ** 64n)
})

it.each(['0', '-2', '2.5', '0x4', '', 'None', '01', '10000000000000', '9'.repeat(24)])('%s is no cap', (text) => {
  expect(() => parseCap(text)).toThrow('Expected whole dollars')
})
