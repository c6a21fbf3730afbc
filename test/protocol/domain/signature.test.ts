import { Signature, SigningKey } from 'ethers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isOfUndeployed, normaliseSignature, signatureForms } from '../../../src/protocol/domain/signature.ts'
import { bytes32 } from '../../support/arbitraries.ts'

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const HALF_ORDER = ORDER / 2n

const hex32 = (value: bigint) => value.toString(16).padStart(64, '0')
const full = (r: bigint, s: bigint, v: string) => `0x${hex32(r)}${hex32(s)}${v}`
const compact = (r: bigint, s: bigint, parity: 0n | 1n) => `0x${hex32(r)}${hex32(s + (parity << 255n))}`

/** Signatures of random digests by random keys, made by ethers. */
const signature = fc
  .tuple(bytes32, bytes32)
  .filter(([key]) => BigInt(key) > 0n && BigInt(key) < ORDER)
  .map(([key, digest]) => new SigningKey(key).sign(digest))

describe('a signature', () => {
  test('in any of its accepted forms becomes the one form that ethers writes', () => {
    fc.assert(
      fc.property(signature, (signed) => {
        const { r, s, yParity } = signed
        const forms = [
          signed.serialized,
          signed.compactSerialized,
          `${r}${s.slice(2)}0${yParity}`,
          `0x${signed.serialized.slice(2).toUpperCase()}`,
          `0x${signed.compactSerialized.slice(2).toUpperCase()}`,
        ]
        for (const form of forms) expect(normaliseSignature(form)).toBe(signed.serialized)
        for (const form of [signed.serialized, signed.compactSerialized]) {
          expect(Signature.from(form).serialized).toBe(signed.serialized)
        }
      }),
      { numRuns: 50 },
    )
  })

  test('keeps its leading zeros', () => {
    expect(normaliseSignature(full(1n, 1n, '1b'))).toBe(full(1n, 1n, '1b'))
    expect(normaliseSignature(compact(1n, 1n, 1n))).toBe(full(1n, 1n, '1c'))
  })

  test('has v of 27 or 28 whatever it came with', () => {
    const normalised = ['00', '01', '1b', '1c', '1B', '1C'].map((v) => normaliseSignature(full(5n, 7n, v)))
    const [v27, v28] = [full(5n, 7n, '1b'), full(5n, 7n, '1c')]
    expect(normalised).toEqual([v27, v28, v27, v28, v27, v28])
  })

  test.each(['02', '1a', '1d', '25', '26', 'ff'])('with v of 0x%s is invalid', (v) => {
    expect(normaliseSignature(full(5n, 7n, v))).toBeNull()
  })

  test('with a high s is refused, for it is the twin of one that was seen', () => {
    expect(normaliseSignature(full(5n, HALF_ORDER, '1b'))).toBe(full(5n, HALF_ORDER, '1b'))
    expect(normaliseSignature(full(5n, HALF_ORDER + 1n, '1b'))).toBeNull()
    expect(normaliseSignature(compact(5n, HALF_ORDER, 0n))).toBe(full(5n, HALF_ORDER, '1b'))
    expect(normaliseSignature(compact(5n, HALF_ORDER + 1n, 0n))).toBeNull()
    fc.assert(
      fc.property(signature, ({ r, s, yParity }) => {
        const twin = full(BigInt(r), ORDER - BigInt(s), yParity === 0 ? '1c' : '1b')
        expect(Signature.from(twin).isValid()).toBe(false)
        expect(normaliseSignature(twin)).toBeNull()
      }),
      { numRuns: 20 },
    )
  })

  test('with a zero r or s is refused', () => {
    for (const [r, s] of [
      [0n, 7n],
      [5n, 0n],
      [0n, 0n],
    ] as const) {
      expect(normaliseSignature(full(r, s, '1b'))).toBeNull()
      expect(normaliseSignature(compact(r, s, 1n))).toBeNull()
    }
  })

  test.each([
    ['nothing', ''],
    ['a prefix alone', '0x'],
    ['63 bytes', `0x${'11'.repeat(63)}`],
    ['64 and a half bytes', `0x${'11'.repeat(64)}1`],
    ['66 bytes', `0x${'11'.repeat(66)}`],
    ['no prefix', `${'11'.repeat(65)}`],
    ['other letters', `0x${'1g'.repeat(65)}`],
    ['a line break after it', `${full(5n, 7n, '1b')}\n`],
  ])('made of %s is invalid', (_, text) => {
    expect(normaliseSignature(text)).toBeNull()
  })
})

describe('the questions to a contract', () => {
  test('is the bytes as they came, and the form of a key where that is another', () => {
    fc.assert(
      fc.property(signature, ({ r, s, yParity, serialized, compactSerialized }) => {
        const legacy = `${r}${s.slice(2)}0${yParity}`
        expect(signatureForms(serialized)).toEqual([serialized])
        expect(signatureForms(legacy)).toEqual([legacy, serialized])
        expect(signatureForms(compactSerialized)).toEqual([compactSerialized, serialized])
      }),
      { numRuns: 20 },
    )
  })

  test('is any bytes, also none, up to 4,096 of them, in one case of letters', () => {
    for (const bytes of ['0x', '0xabcd', `0x${'5e'.repeat(4_096)}`]) expect(signatureForms(bytes)).toEqual([bytes])
    expect(signatureForms('0xABcD')).toEqual(['0xabcd'])
  })

  test.each(['', 'abcd', '0x1', '0xzz', '0x12\n', ' 0x12', `0x${'5e'.repeat(4_097)}`])('is nothing of %j', (text) => {
    expect(signatureForms(text)).toEqual([])
  })

  test('is not what a wallet signed that is still to be deployed', () => {
    const magic = '6492'.repeat(16)
    expect(isOfUndeployed(`0x1234${magic}`)).toBe(true)
    expect(isOfUndeployed(`0x${magic}12`)).toBe(false)
    expect(isOfUndeployed(`0x${magic.slice(2)}`)).toBe(false)
  })
})
