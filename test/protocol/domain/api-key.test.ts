import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { API_KEY_BITS, apiKeyOf, apiKeyPrefix, isApiKey } from '../../../src/protocol/domain/api-key.ts'

const MAX = 2n ** BigInt(API_KEY_BITS) - 1n
const keys = fc.bigInt({ min: 0n, max: MAX }).map(apiKeyOf)
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('a self-serve key', () => {
  it('is mk_live_ and 33 digits of base 62, whatever its random bits (fault B3)', () => {
    fc.assert(fc.property(keys, (key) => /^mk_live_[0-9A-Za-z]{33}$/.test(key) && isApiKey(key)))
    expect([0n, MAX].map(apiKeyOf).map(isApiKey)).toEqual([true, true])
  })

  it('has at least 128 random bits, also behind what is shown of it', () => {
    expect(API_KEY_BITS - 4 * Math.log2(62)).toBeGreaterThan(128)
  })

  it('is another one for other random bits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX }), fc.bigInt({ min: 0n, max: MAX }), (a, b) => {
        return (a === b) === (apiKeyOf(a) === apiKeyOf(b))
      }),
    )
  })

  it('ends with the CRC-32 of the rest', () => {
    fc.assert(
      fc.property(keys, (key) => {
        const checksum = [...key.slice(-6)].reduce((value, digit) => value * 62 + BASE62.indexOf(digit), 0)
        return checksum === crc32(key.slice(0, -6))
      }),
    )
  })

  it('is known by its prefix and four digits', () => {
    expect(apiKeyPrefix(apiKeyOf(MAX))).toBe(apiKeyOf(MAX).slice(0, 12))
  })
})

describe('invalid self-serve keys', () => {
  it('is one with a digit mistyped, left out, doubled, or swapped with its neighbour', () => {
    const place = fc.nat(32).map((i) => i + 'mk_live_'.length)
    fc.assert(
      fc.property(keys, place, fc.constantFrom(...BASE62), (key, i, digit) => {
        const mistyped = key.slice(0, i) + digit + key.slice(i + 1)
        const swapped = key.slice(0, i) + (key[i + 1] ?? '') + key[i] + key.slice(i + 2)
        const shorter = key.slice(0, i) + key.slice(i + 1)
        const longer = key.slice(0, i) + key[i] + key.slice(i)
        const isRight = (text: string) => text === key || !isApiKey(text)
        return [mistyped, swapped, shorter, longer].every(isRight)
      }),
    )
  })

  it.each([
    '',
    'mk_live_',
    'mk_live_abc',
    `MK_LIVE_${apiKeyOf(1n).slice(8)}`,
    `mk_test_${apiKeyOf(1n).slice(8)}`,
    ` ${apiKeyOf(1n)}`,
    `${apiKeyOf(1n)}\n`,
    `${apiKeyOf(1n)} `,
    `mk_live_${'é'.repeat(33)}`,
    'x'.repeat(100_000),
  ])('is %j', (text) => {
    expect(isApiKey(text)).toBe(false)
  })
})
