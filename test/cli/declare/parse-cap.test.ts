import { expect, it } from 'vitest'
import { parseCap } from '../../../src/cli/declare/parse.ts'

it('a cap is a power of two that the core can keep, or none', () => {
  expect([parseCap('none'), parseCap('2'), parseCap('1048576'), parseCap(String(2n ** 79n))]).toEqual([0, 1, 20, 79])
})

it.each(['0', '1', '3', '1048575', '-2', '2.0', '0x4', '', 'None', String(2n ** 80n), '9'.repeat(24)])(
  '%s is no cap',
  (text) => {
    expect(() => parseCap(text)).toThrow('Expected a power of two')
  },
)
