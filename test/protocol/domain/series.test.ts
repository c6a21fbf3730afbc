import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { optionTypeNumber } from '../../../src/protocol/domain/option.ts'
import {
  fixingKey,
  isDisputable,
  parseUint256,
  type SeriesTerms,
  seriesIdOf,
} from '../../../src/protocol/domain/series.ts'
import type { StrikeBps } from '../../../src/protocol/domain/units.ts'
import { seriesTerms, uint256 } from '../../support/arbitraries.ts'
import { ethersSeriesId } from '../../support/oracles/ethers-signing.ts'

const GOLDEN: SeriesTerms = {
  conditionId: `0x${'11'.repeat(32)}`,
  yesTokenId: '123456789',
  strikeBps: 4_500 as StrikeBps,
  expiry: 1_800_000_000,
  optionType: 'call',
}

describe('seriesIdOf', () => {
  test('gives the golden id', () => {
    expect(seriesIdOf(GOLDEN)).toBe('77770871434891359308267302489959896538900816656636245744408345915189366187400')
  })

  test('agrees with a second implementation of the ABI and of keccak', () => {
    fc.assert(
      fc.property(seriesTerms, (terms) => {
        expect(seriesIdOf(terms)).toBe(ethersSeriesId(terms))
      }),
    )
  })

  test.each<[string, Partial<SeriesTerms>]>([
    ['condition', { conditionId: `0x${'12'.repeat(32)}` }],
    ['YES token', { yesTokenId: '123456790' }],
    ['strike', { strikeBps: 4_501 as StrikeBps }],
    ['expiry', { expiry: 1_800_000_001 }],
    ['option type', { optionType: 'put' }],
  ])('changes with the %s', (_, change) => {
    expect(seriesIdOf({ ...GOLDEN, ...change })).not.toBe(seriesIdOf(GOLDEN))
  })

  test('does not depend on the case of the condition id', () => {
    const lower = { ...GOLDEN, conditionId: `0x${'ab'.repeat(32)}` as const }
    expect(seriesIdOf({ ...lower, conditionId: `0x${'AB'.repeat(32)}` })).toBe(seriesIdOf(lower))
  })
})

test('series of one market and expiry have one fixing, and no other series has it', () => {
  const sibling: SeriesTerms = { ...GOLDEN, optionType: 'put' }
  expect(fixingKey(sibling)).toBe(fixingKey(GOLDEN))
  const changes = [{ conditionId: `0x${'12'.repeat(32)}` as const }, { yesTokenId: '1234567890' }, { expiry: 1 }]
  expect(new Set([{}, ...changes].map((change) => fixingKey({ ...GOLDEN, ...change }))).size).toBe(4)
})

test('a call is 0 on chain and a put 1', () => {
  expect([optionTypeNumber('call'), optionTypeNumber('put')]).toEqual([0, 1])
})

describe('parseUint256', () => {
  test('reads decimal and hex text of every case as one canonical text', () => {
    fc.assert(
      fc.property(uint256, fc.integer({ min: 0, max: 5 }), (value, zeros) => {
        const hex = value.toString(16)
        const texts = [`${'0'.repeat(zeros)}${value}`, `0x${hex}`, `0X${hex.toUpperCase()}`]
        expect(texts.map(parseUint256)).toEqual(Array(3).fill(value.toString()))
      }),
    )
    expect(parseUint256('0x0A')).toBe('10')
    expect(parseUint256(`0x${'f'.repeat(64)}`)).toBe((2n ** 256n - 1n).toString())
  })

  test.each([
    ['one past the end', (2n ** 256n).toString()],
    ['101 digits', `${'0'.repeat(100)}1`],
    ['65 hex digits', `0x${'0'.repeat(64)}1`],
    ['a prefix alone', '0x'],
    ['nothing', ''],
    ['a sign', '-1'],
    ['an exponent', '1e18'],
    ['a fraction', '1.0'],
    ['a space', ' 1'],
    ['a line break', '1\n'],
    ['digits of another script', '١'],
  ])('has no answer for %s', (_, text) => {
    expect(parseUint256(text)).toBeNull()
  })
})

describe('the price of a series', () => {
  test('can be taken back until it is final, and needs one to begin with', () => {
    expect([{ finalAt: 10 }, { finalAt: 10 }, {}].map((series, i) => isDisputable(series, 9 + i))).toEqual([
      true,
      false,
      false,
    ])
  })
})
