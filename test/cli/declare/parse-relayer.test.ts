import { describe, expect, it } from 'vitest'
import { parseCoin, parseFee, parseGwei } from '../../../src/cli/declare/parse.ts'

describe('the instructions to a relayer', () => {
  it('is exact to the wei and the micro-dollar', () => {
    expect(parseFee('0.05')).toBe(50_000n)
    expect(parseGwei('1.5')).toBe(1_500_000_000n)
    expect(parseCoin('0.000000000000000001')).toBe(1n)
    expect(parseCoin('5')).toBe(5n * 10n ** 18n)
  })

  it('may be a fee of nothing', () => {
    expect([parseFee('0'), parseFee('0.00')]).toEqual([0n, 0n])
  })

  it.each(['-1', '1e3', '0x10', '', '1.', '0', '0.0', '0.0000000001'])('is not a price of gas: %j', (text) => {
    expect(() => parseGwei(text)).toThrow('Expected a price in gwei')
  })

  it.each(['-1', '1,5', ' 1', '1.0000001'])('is not a fee: %j', (text) => {
    expect(() => parseFee(text)).toThrow('Expected dollars from 0.000001')
  })
})
